"""Client of Fieldmark's API: `Fieldmark` hands documents in, `verify_webhook` tells who sent an event."""

from __future__ import annotations

from fieldmark_client.client import Fieldmark, JobFields, RerunFields
from fieldmark_client.errors import ApiError, FieldmarkError, NoAnswerError, StillRunningError, WebhookError
from fieldmark_client.models import Box, Check, Event, Field, Job, Point, Receipt, Record, Result, Review
from fieldmark_client.transport import Retries
from fieldmark_client.webhook import verify_webhook

__all__ = [
    "ApiError",
    "Box",
    "Check",
    "Event",
    "Field",
    "Fieldmark",
    "FieldmarkError",
    "Job",
    "JobFields",
    "NoAnswerError",
    "Point",
    "Receipt",
    "Record",
    "RerunFields",
    "Result",
    "Retries",
    "Review",
    "StillRunningError",
    "WebhookError",
    "verify_webhook",
]
