"""Review: the next document, claims, and decisions."""

from __future__ import annotations

from functools import partial

from anyio import to_thread
from fastapi import APIRouter, Depends, Request

from service.api.bodies import read_object
from service.api.context import Reviewer, ServicesOf, context_of, refuse_query
from service.api.documentation import JOB, errors, json_body, success
from service.api.faults import check_body
from service.api.payloads import examples, review_examples
from service.api.payloads.base import moment
from service.api.payloads.jobs import JobPayload
from service.api.payloads.reviews import (
    ApproveRequest,
    AskRequest,
    LinkPayload,
    LinkRequest,
    NextPayload,
    NextRequest,
    RejectRequest,
    ReviewersPayload,
)
from service.api.routes.jobs import JobId, job_payload
from service.auth.links import ReviewLink, check_return_url
from service.domain.access import Role
from service.domain.errors import AccessError, ErrorCode
from service.jobs.queries import get_job
from service.jobs.reviewing.course import (
    Question,
    approve_job,
    ask_colleague,
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


@router.post(
    "/jobs/{job_id}/review-link",
    summary="Make a signed link to a document",
    responses=errors(*JOB) | success(LinkPayload, review_examples.LINK, "Whoever has it may review this document."),
    openapi_extra=json_body(LinkRequest, {"expires_s": 3600, "user": "ada"}, required=False),
)
async def make_link(job_id: JobId, request: Request, services: ServicesOf, caller: Reviewer) -> LinkPayload:
    """For programs that send their users to the screen: it needs no key, ends, and opens nothing else."""
    asked = check_body(LinkRequest, await read_object(request))
    context = context_of(request)
    if caller.link is not None:
        raise AccessError(ErrorCode.FORBIDDEN, "A link makes no further links; use a key.")
    if asked.return_url:
        check_return_url(asked.return_url, context.settings.review_return_origins)
    job = await to_thread.run_sync(get_job, services, caller.tenant_id, job_id)
    link = ReviewLink(
        tenant_id=caller.tenant_id,
        user=asked.user.strip() or caller.user,
        job_id=job.id,
        file_id=job.file_id,
        expires_at=services.clock() + asked.expires_s,
        return_url=asked.return_url,
    )
    token = context.authenticator.links.sign(link)
    return LinkPayload(url=f"/review/{job.id}?link={token}", expires_at=moment(link.expires_at))


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


@router.post(
    "/jobs/{job_id}/ask",
    summary="Ask a colleague",
    responses=_ERRORS | _ANSWER,
    openapi_extra=json_body(AskRequest, {"to": "ben", "question": "Is this the right cost centre?"}),
)
async def ask(job_id: JobId, request: Request, services: ServicesOf, caller: Reviewer) -> JobPayload:
    """Give the document to a colleague for a day; it is the next that they are handed, with your question."""
    asked = check_body(AskRequest, await read_object(request))
    work = partial(ask_colleague, services, caller.tenant_id, job_id, caller.user, Question(asked.to, asked.question))
    return await to_thread.run_sync(job_payload, services, await to_thread.run_sync(work))


@router.get(
    "/reviewers",
    summary="Who may review",
    responses=errors() | success(ReviewersPayload, {"reviewers": ["ada", "ben"]}, "By name."),
)
def read_reviewers(services: ServicesOf, caller: Reviewer) -> ReviewersPayload:
    """Whom a document may be given to."""
    with services.store.read() as rows:
        return ReviewersPayload(reviewers=list(rows.access.names(caller.tenant_id, (Role.REVIEW, Role.ADMIN))))


@router.post("/jobs/{job_id}/reopen", summary="Take a decision back", responses=_ERRORS | _ANSWER)
def reopen(job_id: JobId, services: ServicesOf, caller: Reviewer) -> JobPayload:
    """An approved or rejected document goes on being reviewed; what was decided stays in the history."""
    return job_payload(services, reopen_job(services, caller.tenant_id, job_id, caller.user))


def _next(services: Services, tenant_id: str, who: str, skip: tuple[str, ...]) -> NextPayload:
    job = next_to_review(services, tenant_id, who, skip=skip)
    shown = None if job is None else job_payload(services, job)
    return NextPayload(job=shown, waiting=count_waiting(services, tenant_id))
