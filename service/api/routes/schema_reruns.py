"""A new version of a schema over old documents, over REST, and what it changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from service.api.context import Reader, ServicesOf, Submitter
from service.api.documentation import JOB, errors, success
from service.api.payloads.schema_reruns import (
    BEGUN,
    CHANGES,
    BegunRun,
    ChangesPayload,
    PassedOver,
    RecordChangesPayload,
    SchemaRerunPayload,
)
from service.api.routes.jobs import JobId
from service.api.routes.schemas import SchemaReference
from service.domain.errors import ErrorCode
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


@router.post(
    "/schemas/{reference}/rerun",
    status_code=202,
    summary="Run a version over old documents",
    responses=errors(ErrorCode.SCHEMA_NOT_FOUND)
    | success(SchemaRerunPayload, BEGUN, "The new runs, which go behind all other work.", status=202),
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
    | success(ChangesPayload, CHANGES, "Values that came, went, changed, or stayed."),
)
def read_changes(
    job_id: JobId, wanted: Annotated[ChangesQuery, Query()], services: ServicesOf, caller: Reader
) -> ChangesPayload:
    """Compare the result with that of an earlier run, record by record."""
    job = get_job(services, caller.tenant_id, job_id)
    number, records = changes_of(services, job, wanted.from_run)
    found = [RecordChangesPayload.model_validate(record, from_attributes=True) for record in records]
    return ChangesPayload(job_id=job.id, from_run=number, run=job.run, records=found)
