"""Values while the job runs."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from service.api.context import Reader, ServicesOf, refuse_query
from service.api.documentation import JOB, errors, success
from service.api.payloads.provisional import PROVISIONAL, ProvisionalPayload, ProvisionalRecordPayload
from service.api.routes.jobs import JobId
from service.jobs.queries import get_job
from service.jobs.results.provisional import provisional_records

router = APIRouter(tags=["jobs"], dependencies=[Depends(refuse_query)])


@router.get(
    "/jobs/{job_id}/provisional",
    summary="Values while the job runs",
    responses=errors(*JOB) | success(ProvisionalPayload, PROVISIONAL, "So far; any of it may still change."),
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
