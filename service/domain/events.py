"""The event log: what happened to jobs, in the order in which it became true."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from service.domain.records import JsonObject


class EventType(StrEnum):
    """What the event log tells."""

    JOB_STATUS = "job.status"
    JOB_DELETED = "job.deleted"
    JOB_CORRECTED = "job.corrected"
    """A person changed the record; the data names the revision, never a value."""
    JOB_HOLD = "job.hold"
    """A legal hold was laid on the job, or ended."""
    JOB_REVIEW = "job.review"
    """The review stands elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the durable, ordered log. Never holds document text."""

    position: int
    """Order over all jobs of a tenant; the cursor of polling."""
    seq: int
    """1, 2, … within its job; the `Last-Event-ID` of a job's stream."""
    tenant_id: str
    job_id: str
    type: EventType
    data: JsonObject
    at: float

    @property
    def id(self) -> str:
        """The same in polling, in streams and in webhooks, and unlike any other's."""
        return f"evt_{self.job_id.removeprefix('job_')}_{self.seq}"
