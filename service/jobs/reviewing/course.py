"""A review's course: handed out, claimed, given back, approved, rejected, reopened; and its history."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from service.domain import review
from service.domain.corrections import ReviewAction, ReviewEvent
from service.domain.errors import ErrorCode, StateError
from service.domain.events import EventType
from service.domain.jobs import Job
from service.domain.records import Json, JsonObject
from service.domain.review import Standing
from service.jobs.doubts import find_doubts
from service.jobs.queries import get_job, lock_job
from service.jobs.results.current import Current, refuse_unfinished
from service.jobs.reviewing.lookback import forget_lookback, keep_lookback, look_back
from service.jobs.services import Services
from service.storage.store import Rows

_LOOKED_FOR = ("low", "conflict", "check")
"""Reasons that a person settles field by field."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a reviewer asks, and whom."""

    to: str
    text: str


def standing_of(job: Job) -> Standing:
    """A job's review as the state machine sees it."""
    return Standing(
        state=job.review,
        claimed_by=job.claimed_by,
        claimed_until=job.claimed_until,
        decided_by=job.decided_by,
        decided_at=job.decided_at,
    )


def stand(job: Job, standing: Standing) -> Job:
    """The job with its review where the state machine says."""
    return replace(
        job,
        review=standing.state,
        claimed_by=standing.claimed_by,
        claimed_until=standing.claimed_until,
        decided_by=standing.decided_by,
        decided_at=standing.decided_at,
    )


def current_reasons(job: Job, current: Current) -> tuple[str, ...]:
    """What still calls for a person, after the corrections."""
    return find_doubts(job, current.result.records, current.result.coverage)


def next_to_review(services: Services, tenant_id: str, who: str, *, skip: tuple[str, ...] = ()) -> Job | None:
    """Hand the oldest waiting document to one reviewer, atomically; None when nothing waits.

    Args:
        services: of this process.
        tenant_id: whose documents.
        who: the reviewer.
        skip: jobs that the reviewer put off.
    """
    now = services.clock()
    with services.store.write(durable=True) as rows:
        job = rows.reviews.lock_next(tenant_id, who, now, skip=skip)
        if job is None:
            return None
        return _move(rows, job, review.claim(standing_of(job), who, now), _Deed(ReviewAction.CLAIM, who, now))


def claim_job(services: Services, tenant_id: str, job_id: str, who: str) -> Job:
    """Take a document in hand, or keep it ten more minutes.

    Raises:
        StateError: `wrong_state`, another has it or it is decided.
    """
    now = services.clock()
    with services.store.write() as rows:
        job = _finished(rows, tenant_id, job_id)
        standing = review.claim(standing_of(job), who, now)
        if standing_of(job).holder(now) == who:
            job = stand(job, standing)
            rows.jobs.save(job)
            return job  # only the time moves on: nobody needs to be told
        return _move(rows, job, standing, _Deed(ReviewAction.CLAIM, who, now))


def release_job(services: Services, tenant_id: str, job_id: str, who: str) -> Job:
    """Give a document back undecided, for any reviewer to take.

    Raises:
        StateError: `wrong_state`, another has it or it is decided.
    """
    now = services.clock()
    with services.store.write(durable=True) as rows:
        job = _finished(rows, tenant_id, job_id)
        return _move(rows, job, review.release(standing_of(job), who, now), _Deed(ReviewAction.RELEASE, who, now))


def ask_colleague(services: Services, tenant_id: str, job_id: str, who: str, question: Question) -> Job:
    """Give a document to a colleague, with a question; it is the next that they are handed.

    Raises:
        StateError: `wrong_state`, another has it or it is decided.
    """
    now = services.clock()
    detail: JsonObject = {"to": question.to, "question": question.text}
    with services.store.write(durable=True) as rows:
        job = _finished(rows, tenant_id, job_id)
        standing = review.hand_to(standing_of(job), who, question.to, now)
        return _move(rows, job, standing, _Deed(ReviewAction.ASK, who, now, detail))


def approve_job(services: Services, tenant_id: str, job_id: str, who: str, *, accept_unseen: bool) -> Job:
    """Approve the record as it is now.

    Args:
        services: of this process.
        tenant_id: whose job it is.
        job_id: the job.
        who: the reviewer.
        accept_unseen: whether doubts that nobody looked at may stay; how many is kept in the history.

    Raises:
        StateError: `wrong_state`: doubts are left, another has the document, or it is decided.
    """
    now = services.clock()
    job = get_job(services, tenant_id, job_id)
    refuse_unfinished(job)
    with services.store.read() as rows:  # what takes its time is done before anybody is kept waiting
        seen = look_back(rows, job, who, now)
    with services.store.write(durable=True) as rows:
        job = _finished(rows, tenant_id, job_id)
        standing = review.decide(standing_of(job), who, now, approved=True)
        unseen = sum(reason.partition(":")[0] in _LOOKED_FOR for reason in job.review_reasons)
        if unseen and not accept_unseen:
            raise StateError(
                ErrorCode.WRONG_STATE,
                f"{unseen} doubts were not settled; settle them, or approve with accept_unseen.",
                param="accept_unseen",
                details={"unseen": unseen},
            )
        keep_lookback(rows, job, seen if seen.revision == job.revision else look_back(rows, job, who, now))
        return _move(rows, job, standing, _Deed(ReviewAction.APPROVE, who, now, {"unseen": unseen}))


def reject_job(services: Services, tenant_id: str, job_id: str, who: str, reason: str) -> Job:
    """Reject a document, with the reason.

    Raises:
        StateError: `wrong_state`: another has the document, or it is decided.
    """
    now = services.clock()
    with services.store.write(durable=True) as rows:
        job = _finished(rows, tenant_id, job_id)
        standing = review.decide(standing_of(job), who, now, approved=False)
        return _move(rows, job, standing, _Deed(ReviewAction.REJECT, who, now, {"reason": reason}))


def reopen_job(services: Services, tenant_id: str, job_id: str, who: str) -> Job:
    """Take a decision back.

    Raises:
        StateError: `wrong_state`, nothing was decided.
    """
    now = services.clock()
    with services.store.write(durable=True) as rows:
        job = _finished(rows, tenant_id, job_id)
        forget_lookback(rows, job)
        return _move(rows, job, review.reopen(standing_of(job), who, now), _Deed(ReviewAction.REOPEN, who, now))


def count_waiting(services: Services, tenant_id: str) -> int:
    """How many documents wait for a reviewer and are in nobody's hands."""
    with services.store.read() as rows:
        return rows.reviews.count_waiting(tenant_id, services.clock())


def history_of(services: Services, tenant_id: str, job_id: str) -> tuple[ReviewEvent, ...]:
    """Everything that people did to a job, oldest first.

    Raises:
        StateError: there is no such job.
    """
    job = get_job(services, tenant_id, job_id)
    with services.store.read() as rows:
        return rows.reviews.of_job(job.id)


def _finished(rows: Rows, tenant_id: str, job_id: str) -> Job:
    """A job whose run is over, locked."""
    job = lock_job(rows, tenant_id, job_id)
    refuse_unfinished(job)
    return job


@dataclass(frozen=True, slots=True)
class _Deed:
    """Who does what, and when."""

    action: ReviewAction
    who: str
    at: float
    detail: JsonObject = field(default_factory=dict[str, Json])


def _move(rows: Rows, job: Job, standing: Standing, deed: _Deed) -> Job:
    """Store where the review stands now, with its entry in the history and in the log."""
    job = replace(stand(job, standing), revision=job.revision + 1)
    event = ReviewEvent(
        job_id=job.id,
        tenant_id=job.tenant_id,
        run=job.run,
        revision=job.revision,
        action=deed.action,
        by=deed.who,
        at=deed.at,
        detail=deed.detail,
    )
    rows.jobs.save(job)
    rows.reviews.append([event])
    rows.events.append(job, EventType.JOB_REVIEW, {"state": job.review, "by": deed.who}, deed.at)
    return job
