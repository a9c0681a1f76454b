"""Values while the job runs."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Depends

from service.api.context import Reader, ServicesOf, refuse_query
from service.api.documentation import JOB, errors, success
from service.api.payloads.base import Payload
from service.api.routes.jobs import JobId
from service.domain.records import JsonObject
from service.jobs.queries import get_job
from service.jobs.results.provisional import provisional_records

router = APIRouter(tags=["jobs"], dependencies=[Depends(refuse_query)])


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


_EXAMPLE: JsonObject = {
    "job_id": "job_8c1f0c7a4b4f0f9a6d8f4e2b1c0d9e3f",
    "status": "extracting",
    "provisional": True,
    "records": [{"index": 0, "pages": [1, 2], "schema_name": "invoice", "values": {"total": 425.4}}],
}


@router.get(
    "/jobs/{job_id}/provisional",
    summary="Values while the job runs",
    responses=errors(*JOB) | success(ProvisionalPayload, _EXAMPLE, "So far; any of it may still change."),
)
def read_provisional(job_id: JobId, services: ServicesOf, caller: Reader) -> ProvisionalPayload:
    """What the finished parts of the run say, without places or confidence; the result replaces it."""
    job = get_job(services, caller.tenant_id, job_id)
    records = [
        ProvisionalRecordPayload(
            index=record.index,
            pages=list(record.pages.numbers()),
            schema_name=record.schema_name,
            values=record.values,
        )
        for record in provisional_records(services, job)
    ]
    return ProvisionalPayload(job_id=job.id, status=job.status, records=records)
