"""A new version of a schema over old documents, over REST, and what it changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from service.api.context import Reader, ServicesOf, Submitter
from service.api.documentation import JOB, errors, success
from service.api.payloads import examples
from service.api.payloads.base import Payload
from service.api.routes.jobs import JobId
from service.api.routes.schemas import SchemaReference
from service.domain.errors import ErrorCode
from service.domain.records import JsonObject
from service.jobs.control.schema_reruns import changes_of, rerun_schema
from service.jobs.queries import get_job

router = APIRouter(tags=["schemas"])
_MOST = 200


class RerunQuery(BaseModel):
    """How many jobs are looked at."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(50, ge=1, le=_MOST)
    cursor: str | None = Field(None, min_length=1, max_length=200, description="`next_cursor` of the call before.")


class ChangesQuery(BaseModel):
    """What the result is compared with."""

    model_config = ConfigDict(extra="forbid")

    from_run: int | None = Field(None, ge=1, le=2**31, description="An earlier run; the one before if left out.")


class BegunRun(Payload):
    """A job in its new run."""

    job_id: str
    run: int
    from_version: int | None


class PassedOver(Payload):
    """A job that could not be run anew."""

    job_id: str
    code: ErrorCode
    message: str


class SchemaRerunPayload(Payload):
    """What was begun."""

    jobs: list[BegunRun]
    passed_over: list[PassedOver]
    next_cursor: str | None
    """Send it as `cursor` until it is null: then all jobs were looked at."""


class ChangePayload(Payload):
    """A value that is another now."""

    path: str
    old: str | float | int | bool | None
    new: str | float | int | bool | None


class RecordChangesPayload(Payload):
    """What became of one record's values; null is no value."""

    index: int
    added: list[str]
    removed: list[str]
    changed: list[ChangePayload]
    same: int


class ChangesPayload(Payload):
    """How two runs differ, each with its corrections."""

    job_id: str
    from_run: int
    run: int
    records: list[RecordChangesPayload]


_JOB_ID = str(examples.JOB["id"])
_BEGUN: JsonObject = {
    "jobs": [{"job_id": _JOB_ID, "run": 2, "from_version": 1}],
    "passed_over": [],
    "next_cursor": None,
}
_CHANGES: JsonObject = {
    "job_id": _JOB_ID,
    "from_run": 1,
    "run": 2,
    "records": [
        {
            "index": 0,
            "added": ["/due_date"],
            "removed": [],
            "changed": [{"path": "/total", "old": 12.0, "new": 12.5}],
            "same": 7,
        }
    ],
}
EXAMPLES = ((SchemaRerunPayload, _BEGUN), (ChangesPayload, _CHANGES))


@router.post(
    "/schemas/{reference}/rerun",
    status_code=202,
    summary="Run a version over old documents",
    responses=errors(ErrorCode.SCHEMA_NOT_FOUND)
    | success(SchemaRerunPayload, _BEGUN, "The new runs, which go behind all other work.", status=202),
)
def rerun_old(
    reference: SchemaReference, wanted: Annotated[RerunQuery, Query()], services: ServicesOf, caller: Submitter
) -> SchemaRerunPayload:
    """Run finished jobs of this schema's other versions anew, newest first; corrections stay, no page is read again."""
    done = rerun_schema(services, caller.tenant_id, reference, cursor=wanted.cursor, most=wanted.limit)
    return SchemaRerunPayload(
        jobs=[BegunRun(job_id=job.id, run=job.run, from_version=old) for job, old in done.begun],
        passed_over=[
            PassedOver(job_id=job.id, code=error.code, message=error.message) for job, error in done.passed_over
        ],
        next_cursor=done.next_cursor,
    )


@router.get(
    "/jobs/{job_id}/changes",
    summary="What a new run changed",
    responses=errors(*JOB, ErrorCode.NOT_FINISHED, ErrorCode.WRONG_STATE)
    | success(ChangesPayload, _CHANGES, "Values that came, went, changed, or stayed."),
)
def read_changes(
    job_id: JobId, wanted: Annotated[ChangesQuery, Query()], services: ServicesOf, caller: Reader
) -> ChangesPayload:
    """Compare the result with that of an earlier run, record by record."""
    job = get_job(services, caller.tenant_id, job_id)
    number, records = changes_of(services, job, wanted.from_run)
    found = [RecordChangesPayload.model_validate(record, from_attributes=True) for record in records]
    return ChangesPayload(job_id=job.id, from_run=number, run=job.run, records=found)
