"""The vendor's asynchronous jobs: what is submitted, the receipt, the job with its batches, the list.

Source: https://console.upstage.ai/docs (information extraction, asynchronous), read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from service.protocol.base import Count, WireModel
from service.protocol.completion import ChatCompletion
from service.protocol.emission import WirePath, emit
from service.protocol.json_text import decode_json
from service.protocol.request import OptionFields

MAX_DOCUMENTS = 20
"""Files of one submission."""


class JobStatus(StrEnum):
    """States of a job on the vendor's wire."""

    CREATED = "CREATED"
    IN_PROGRESS = "IN_PROGRESS"
    PARTIALLY_COMPLETED = "PARTIALLY_COMPLETED"
    """Some files failed; whether others still run is told by the batches."""
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELED = "CANCELED"


class BatchStatus(StrEnum):
    """States of one file of a job."""

    CREATED = "CREATED"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


def _schema_value(value: object) -> object:
    return decode_json(value) if isinstance(value, str) else value


class AsyncSubmission(OptionFields):
    """The form fields of a submission, without its files (`documents`, repeated)."""

    model: str = Field(min_length=1)
    source: Annotated[dict[str, JsonValue], BeforeValidator(_schema_value)] = Field(
        validation_alias="schema", serialization_alias="schema"
    )
    """The bare schema, sent as JSON text; one for every file of the job."""


def read_submission(fields: Mapping[str, str]) -> AsyncSubmission:
    """A submission from its form fields; an empty field counts as not sent.

    Raises:
        ValidationError: a field is missing or breaks a rule of the wire.
    """
    return AsyncSubmission.model_validate({name: value for name, value in fields.items() if value.strip()})


class JobReceipt(WireModel):
    """The answer to a submission."""

    job_id: str
    status: str = JobStatus.CREATED
    created_at: str | None = None
    """ISO 8601, UTC."""
    message: str | None = None


class JobBatch(WireModel):
    """One file of a job."""

    id: int
    """1-based."""
    file_name: str | None = None
    status: str
    """A `BatchStatus`; other strings are kept."""
    failure_message: Annotated[str, BeforeValidator(lambda text: "" if text is None else text)] = ""
    """Empty unless failed."""
    result: ChatCompletion | None = None
    """Only when asked for with `with_result=true`, and only when completed."""


class ExtractionJob(WireModel):
    """A job with its batches."""

    job_id: str
    status: str
    """A `JobStatus`; other strings are kept."""
    model: str | None = None
    total_documents: Count = 0
    completed_documents: Count = 0
    created_at: str | None = None
    started_at: str | None = None
    """Null or absent before that moment, as `completed_at`."""
    completed_at: str | None = None
    batches: list[JobBatch] = Field(default_factory=list[JobBatch])

    def body(self) -> dict[str, JsonValue]:
        """The job as it is sent: moments not reached are null, a result that was not asked for is left out."""
        plain: dict[str, JsonValue] = self.model_dump(exclude={"batches"})
        plain["batches"] = [_batch_body(batch) for batch in self.batches]
        return plain


def _batch_body(batch: JobBatch) -> JsonValue:
    plain: dict[str, JsonValue] = batch.model_dump(exclude={"result"})
    if batch.result is not None:
        plain["result"] = emit(batch.result, WirePath.ASYNC)
    return plain


class JobList(WireModel):
    """The caller's jobs. The vendor does not document this shape; it is that of its receipts, in one list."""

    jobs: list[ExtractionJob]


def wire_time(moment: datetime) -> str:
    """A moment as these bodies write it: UTC, whole seconds, with `Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
