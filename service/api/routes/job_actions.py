"""What is done to a job: cancelled, tried again, run anew, deleted."""

from __future__ import annotations

from functools import partial

from anyio import to_thread
from fastapi import APIRouter, Depends, Request

from service.api.bodies import read_object
from service.api.context import Mender, ServicesOf, Submitter, refuse_query
from service.api.documentation import JOB, errors, rerun_body, success
from service.api.payloads import examples
from service.api.payloads.job_requests import GivenSpan, RerunRequest, check_request
from service.api.payloads.jobs import JobPayload, ReceiptPayload
from service.api.routes.jobs import JobId, job_payload
from service.auth.callers import Caller
from service.domain.access import Role
from service.domain.errors import ErrorCode
from service.domain.jobs import Job
from service.domain.pages import PageRange
from service.jobs.control.ending import cancel_job, delete_job
from service.jobs.control.given import Given, GivenDocument
from service.jobs.control.rerun import rerun_job
from service.jobs.control.retry import retry_job
from service.jobs.intake.schemas import SchemaWish, choose_schemas
from service.jobs.queries import get_job
from service.jobs.services import Services
from service.jobs.steps.mend_pages import PageWishes

_CANCELLED = examples.JOB | {"status": "cancelled", "revision": 2}
_ANEW = success(JobPayload, examples.JOB | {"status": "queued", "run": 2}, "The new run.", status=202)
router = APIRouter(tags=["jobs"], dependencies=[Depends(refuse_query)])


@router.post(
    "/jobs/{job_id}/cancel",
    summary="Cancel a job",
    responses=errors(*JOB, ErrorCode.WRONG_STATE) | success(JobPayload, _CANCELLED, "Cancelled."),
)
def cancel(job_id: JobId, services: ServicesOf, caller: Submitter) -> JobPayload:
    """End the run now; model calls are cut, nothing is written after. Cancelling twice is fine."""
    return job_payload(services, cancel_job(services, caller.tenant_id, job_id))


@router.post(
    "/jobs/{job_id}/retry",
    status_code=202,
    summary="Try again what failed",
    responses=errors(*JOB, ErrorCode.WRONG_STATE) | _ANEW,
)
def retry(job_id: JobId, services: ServicesOf, caller: Mender) -> JobPayload:
    """Start a new run that takes over what is good."""
    return job_payload(services, retry_job(services, caller.tenant_id, job_id))


@router.post(
    "/jobs/{job_id}/rerun",
    status_code=202,
    summary="Run anew",
    responses=errors(
        *JOB, ErrorCode.WRONG_STATE, ErrorCode.INVALID_SCHEMA, ErrorCode.SCHEMA_NOT_FOUND, ErrorCode.UNKNOWN_MODEL
    )
    | _ANEW,
    openapi_extra=rerun_body(),
)
async def rerun(job_id: JobId, request: Request, services: ServicesOf, caller: Mender) -> JobPayload:
    """Start a new run with other schemas, another model or other documents; pages are read again only if you say so.

    Reviewers mend documents and pages; another schema of the job and other options need the role `submit`.
    """
    wanted = check_request(RerunRequest, await read_object(request))
    if wanted.changes_options() or wanted.schema_wish() != SchemaWish():
        caller.require(Role.SUBMIT)
    job = await to_thread.run_sync(partial(_rerun, services, caller, job_id, wanted))
    return await to_thread.run_sync(job_payload, services, job)


@router.delete(
    "/jobs/{job_id}",
    summary="Delete a job",
    responses=errors(*JOB, ErrorCode.ON_HOLD) | success(ReceiptPayload, examples.RECEIPT, "What is kept of it."),
)
def delete(job_id: JobId, services: ServicesOf, caller: Submitter) -> ReceiptPayload:
    """Remove a job, all that was made of it, and its file unless another job stands on it; the answer is a receipt."""
    return ReceiptPayload.of(delete_job(services, caller.tenant_id, job_id))


def _rerun(services: Services, caller: Caller, job_id: str, wanted: RerunRequest) -> Job:
    tenant_id = caller.tenant_id
    options = None
    if wanted.changes_options():
        options = wanted.merged_into(get_job(services, tenant_id, job_id).options)
    wish = wanted.schema_wish()
    schemas = None if wish == SchemaWish() else choose_schemas(services, tenant_id, wish)
    documents = None
    if wanted.documents is not None:
        documents = [_given(services, tenant_id, span) for span in wanted.documents]
    turn = {turned.page: turned.degrees for turned in wanted.turn}
    pages = PageWishes(read_again=wanted.read_again, turn=turn, by=caller.user)
    given = Given(documents=documents, pages=pages)
    return rerun_job(services, tenant_id, job_id, schemas=schemas, options=options, given=given)


def _given(services: Services, tenant_id: str, span: GivenSpan) -> GivenDocument:
    pages = PageRange(span.first, span.last)
    if span.schema_ref is None:
        return GivenDocument(pages=pages, is_ignored=span.ignore)
    (schema,) = choose_schemas(services, tenant_id, SchemaWish(reference=span.schema_ref)).schemas
    return GivenDocument(pages=pages, schema=schema, is_ignored=span.ignore)
