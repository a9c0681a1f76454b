"""Values while a job runs, as callers get them."""

from __future__ import annotations

from typing import Literal

from service.api.payloads.base import Payload
from service.domain.records import JsonObject


class ProvisionalRecordPayload(Payload):
    """A document as far as it is extracted."""

    index: int
    pages: list[int]
    schema_name: str
    values: JsonObject


class ProvisionalPayload(Payload):
    """What is known so far."""

    job_id: str
    status: str
    provisional: Literal[True] = True
    records: list[ProvisionalRecordPayload]


PROVISIONAL: JsonObject = {
    "job_id": "job_8c1f0c7a4b4f0f9a6d8f4e2b1c0d9e3f",
    "status": "extracting",
    "provisional": True,
    "records": [{"index": 0, "pages": [1, 2], "schema_name": "invoice", "values": {"total": 425.4}}],
}
