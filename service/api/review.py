"""Review: the next document, claims, and decisions."""

from __future__ import annotations

from functools import partial

from anyio import to_thread
from fastapi import APIRouter, Depends, Request

from service.api import examples, review_examples
from service.api.bodies import read_object
from service.api.context import Reviewer, ServicesOf, refuse_query
from service.api.documentation import JOB, errors, json_body, success
from service.api.faults import check_body
from service.api.jobs import JobId, job_payload
from service.api.payloads import JobPayload
from service.api.review_payloads import ApproveRequest, NextPayload, NextRequest, RejectRequest
from service.domain.errors import ErrorCode
from service.jobs.reviewing import (
    approve_job,
    claim_job,
    count_waiting,
    next_to_review,
    reject_job,
    release_job,
    reopen_job,
)
from service.jobs.services import Services

router = APIRouter(tags=["review"], dependencies=[Depends(refuse_query)])
_ERRORS = errors(*JOB, ErrorCode.NOT_FINISHED, ErrorCode.WRONG_STATE)
_ANSWER = success(JobPayload, examples.JOB, "Where the job stands now.")


@router.post(
    "/review/next",
    summary="Take the next document",
    responses=errors() | success(NextPayload, review_examples.NEXT, "Yours for ten idle minutes, or null."),
    openapi_extra=json_body(NextRequest, {"skip": []}, required=False),
)
async def take_next(request: Request, services: ServicesOf, caller: Reviewer) -> NextPayload:
    """Hand one waiting document to one reviewer: two who ask at once never get the same."""
    asked = check_body(NextRequest, await read_object(request))
    return await to_thread.run_sync(partial(_next, services, caller.tenant_id, caller.user, tuple(asked.skip)))


@router.post("/jobs/{job_id}/claim", summary="Take a document in hand", responses=_ERRORS | _ANSWER)
def claim(job_id: JobId, services: ServicesOf, caller: Reviewer) -> JobPayload:
    """Keep others from deciding; it ends after ten idle minutes, and each correction or claim begins them anew."""
    return job_payload(services, claim_job(services, caller.tenant_id, job_id, caller.user))


@router.post("/jobs/{job_id}/release", summary="Give a document back", responses=_ERRORS | _ANSWER)
def release(job_id: JobId, services: ServicesOf, caller: Reviewer) -> JobPayload:
    """Postpone it: any reviewer may take it; its corrections stay."""
    return job_payload(services, release_job(services, caller.tenant_id, job_id, caller.user))


@router.post(
    "/jobs/{job_id}/approve",
    summary="Approve a record",
    responses=_ERRORS | _ANSWER,
    openapi_extra=json_body(ApproveRequest, {"accept_unseen": False}, required=False),
)
async def approve(job_id: JobId, request: Request, services: ServicesOf, caller: Reviewer) -> JobPayload:
    """Approve the record as it is now; `version=approved` gives it from then on."""
    asked = check_body(ApproveRequest, await read_object(request))
    work = partial(approve_job, services, caller.tenant_id, job_id, caller.user, accept_unseen=asked.accept_unseen)
    return await to_thread.run_sync(job_payload, services, await to_thread.run_sync(work))


@router.post(
    "/jobs/{job_id}/reject",
    summary="Reject a document",
    responses=_ERRORS | _ANSWER,
    openapi_extra=json_body(RejectRequest, {"reason": "Not an invoice."}),
)
async def reject(job_id: JobId, request: Request, services: ServicesOf, caller: Reviewer) -> JobPayload:
    """Reject it, with the reason."""
    asked = check_body(RejectRequest, await read_object(request))
    work = partial(reject_job, services, caller.tenant_id, job_id, caller.user, asked.reason)
    return await to_thread.run_sync(job_payload, services, await to_thread.run_sync(work))


@router.post("/jobs/{job_id}/reopen", summary="Take a decision back", responses=_ERRORS | _ANSWER)
def reopen(job_id: JobId, services: ServicesOf, caller: Reviewer) -> JobPayload:
    """An approved or rejected document goes on being reviewed; what was decided stays in the history."""
    return job_payload(services, reopen_job(services, caller.tenant_id, job_id, caller.user))


def _next(services: Services, tenant_id: str, who: str, skip: tuple[str, ...]) -> NextPayload:
    job = next_to_review(services, tenant_id, who, skip=skip)
    shown = None if job is None else job_payload(services, job)
    return NextPayload(job=shown, waiting=count_waiting(services, tenant_id))
