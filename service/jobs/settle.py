"""The two short transactions of a step: claim it, and settle what came of it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from service.domain.errors import ErrorCode, InputError, ProviderBusyError, ServiceError
from service.domain.events import EventType
from service.domain.jobs import Job, JobStatus
from service.domain.records import NO_USAGE, Processing, Usage, join_processing
from service.domain.steps import FIRST_STEPS, Fault, QueueName, Step, StepKind, StepState
from service.jobs import lifecycle
from service.jobs.lifecycle import LeaseRule, NewStep
from service.jobs.planning import new_steps, view_run
from service.jobs.services import Services
from service.messaging.queue import Ring, bundled
from service.storage.store import Rows

_NEEDED = (StepKind.OPEN, StepKind.PLAN, StepKind.MERGE)
"""Steps whose failure is the run's."""
_BAD_ANSWER_CLAIMS = 2
"""A model that answers nonsense is asked once more, not for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A step in this process's hands, with the job as it was when it was claimed."""

    step: Step
    job: Job

    @property
    def owner(self) -> str:
        """The token that only this claim has."""
        return self.step.owner or ""


def _unchanged(_rows: Rows, job: Job) -> Job:
    return job


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a step's work gave; stored in the same transaction that ends the step."""

    apply: Callable[[Rows, Job], Job] = field(default=_unchanged)
    """Writes what belongs to other rows, and gives the job as it now is."""
    result: object | None = None
    """Kept with the step."""
    more: tuple[NewStep, ...] = ()
    """Steps that follow from this one alone."""
    fault: Fault | None = None
    """Ends the step as failed, for good, though `apply` and `more` hold."""
    awaited: frozenset[int] = frozenset()
    """Pages whose words this result still wants: reading them is put off no longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the calls of a step used, and who saw its pages."""

    usage: Usage = NO_USAGE
    processing: tuple[Processing, ...] = ()

    def added_to(self, job: Job) -> Job:
        """The job with it."""
        processing = join_processing((*job.processing, *self.processing))
        return replace(job, usage=job.usage + self.usage, processing=processing)


NOTHING_SPENT = Spent()


def claim_steps(services: Services, step_ids: Collection[str]) -> tuple[Claim, ...]:
    """Claim those of the steps that are to be had; one transaction."""
    claims: list[Claim] = []
    with services.store.write() as rows:
        # Only now: a budget goes by who began first, and a claim that waited for the database must not count as older
        # than one that it let go ahead.
        now = services.clock()
        # In the order in which cancelling and ringing lock them, so that no two transactions wait for each other.
        for step, job in sorted(rows.steps.get_with_jobs(step_ids), key=lambda found: found[0].id):
            taken = _claimed(services, step, now)
            if taken is None or job.run != step.run or job.status.is_terminal:
                continue
            if rows.steps.swap(step, taken):
                claims.append(Claim(step=taken, job=job))
    return tuple(sorted(claims, key=lambda claim: claim.step.ordinal))


def _claimed(services: Services, step: Step, now: float) -> Step | None:
    owner = f"{services.process_id}:{uuid.uuid4().hex[:12]}"
    return lifecycle.claim(step, owner=owner, now=now, rule=services.rule)


Choice = Callable[[Sequence[Step]], Step | None]
"""Which of the steps that follow one a worker does itself, at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How a run went on."""

    following: tuple[Step, ...] = ()
    """Steps that can start now, not yet rung."""
    mine: Claim | None = None
    """The step that this worker chose to do itself: a claim from the same transaction, and not among the others."""


def lock_run(rows: Rows, step: Step) -> Job | None:
    """The job of a step, which nobody else changes before this transaction ends; None: the step's run is over."""
    job = rows.jobs.get(step.job_id, lock=True)
    return None if job is None or job.run != step.run or job.status.is_terminal else job


def settle(services: Services, claim: Claim, outcome: Outcome) -> tuple[Step, ...]:
    """Store what a step gave and let the run go on; the steps that can start now, not yet rung.

    If the claim was lost (cancelled, or taken by another after a silence) nothing is stored: whoever takes a step gives
    it a version that the claim does not know.
    """
    return settle_and_take(services, claim, outcome, lambda _following: None).following


def settle_and_take(services: Services, claim: Claim, outcome: Outcome, choose: Choice) -> Settled:
    """The same, with a claim on what follows: neither a message nor a transaction more for what is done here."""
    now = services.clock()
    with services.store.write() as rows:
        job = lock_run(rows, claim.step)
        if job is None:
            return Settled()
        ended = _ended(claim, outcome, now, services.rule)
        if ended is None or not rows.steps.swap(claim.step, ended, outcome.result):
            return Settled()
        settled = _go_on(services, rows, outcome.apply(rows, job), job, outcome.more, choose)
        return replace(settled, following=(*settled.following, *_put_off(rows, job, outcome.awaited)))


def _put_off(rows: Rows, job: Job, pages: frozenset[int]) -> tuple[Step, ...]:
    """The waiting reading steps of these pages that went a lane lower, in the lane in which they are now rung for."""
    waiting = (s for s in rows.steps.of_run(job, StepKind.READ) if s.state is StepState.QUEUED) if pages else ()
    due = (s for s in waiting if s.ordinal < FIRST_STEPS and not pages.isdisjoint(s.pages))
    return tuple(replace(s, priority=job.options.priority) for s in due)


def settle_failure(
    services: Services, claim: Claim, error: ServiceError, spent: Spent = NOTHING_SPENT
) -> tuple[Step, ...]:
    """Give a failed step back, or end it; the steps that can start now, not yet rung."""
    now = services.clock()
    again = error.retryable or (error.code is ErrorCode.MODEL_BAD_ANSWER and claim.step.attempt < _BAD_ANSWER_CLAIMS)
    fault = Fault(code=error.code, message=error.message, retryable=again)
    with services.store.write() as rows:
        job = lock_run(rows, claim.step)
        if job is None:
            return ()
        given = _given(claim, error, fault, now, services.rule)
        if given is None or not rows.steps.swap(claim.step, given):
            return ()
        was, job = job, spent.added_to(job)
        if given.state.is_terminal:
            return go_on(services, rows, job, was)
        if job != was:
            rows.jobs.save(job)
        return ()


def _given(claim: Claim, error: ServiceError, fault: Fault, now: float, rule: LeaseRule) -> Step | None:
    step, owner = claim.step, claim.owner
    if isinstance(error, ProviderBusyError):
        return lifecycle.put_off(step, owner=owner, now=now, rule=rule, provider=error.provider, road=error.road)
    wait = error.retry_after_s or 0.0
    return lifecycle.fail(step, owner=owner, now=now, fault=fault, rule=rule, retry_after_s=wait)


def give_back(services: Services, claim: Claim) -> tuple[Step, ...]:
    """Let others have a step whose work was stopped here; nothing if the claim is lost anyway."""
    with services.store.write() as rows:
        job = lock_run(rows, claim.step)
        if job is None:
            return ()
        given = lifecycle.hand_back(claim.step, owner=claim.owner)
        return (given,) if given is not None and rows.steps.swap(claim.step, given) else ()


def _ended(claim: Claim, outcome: Outcome, now: float, rule: LeaseRule) -> Step | None:
    if outcome.fault is None:
        return lifecycle.finish(claim.step, owner=claim.owner, now=now)
    return lifecycle.fail(claim.step, owner=claim.owner, now=now, fault=outcome.fault, rule=rule)


def go_on(services: Services, rows: Rows, job: Job, was: Job, more: Sequence[NewStep] = ()) -> tuple[Step, ...]:
    """Advance a locked run inside the transaction that changed it; the steps that were added.

    Args:
        services: of this process.
        rows: the open transaction.
        job: the job as it now is; its status is final if the outcome ended the run.
        was: the job as the database still has it.
        more: steps that are wanted besides.
    """
    return _go_on(services, rows, job, was, more, lambda _following: None).following


def _go_on(services: Services, rows: Rows, job: Job, was: Job, more: Sequence[NewStep], choose: Choice) -> Settled:
    now = services.clock()
    try:
        moves = lifecycle.advance(view_run(services, rows, job, more))
    except InputError as error:
        _end_unplannable(rows, job, error, now)
        return Settled()
    added = new_steps(rows, job, (*more, *moves.steps), now)
    chosen = choose(added)
    taken = None if chosen is None else _claimed(services, chosen, now)
    following = added if taken is None else tuple(s for s in added if s is not chosen)
    rows.steps.add(following if taken is None else (taken, *following))
    if not job.status.is_terminal:
        started = job.started_at if moves.status is JobStatus.QUEUED else job.started_at or now
        job = replace(job, status=moves.status, planned=job.planned or moves.planned, started_at=started)
        if job.status is JobStatus.FAILED:
            job = _end_failed(rows, job, now)
    if job.status is not was.status:
        save_status(rows, job, now)
    elif job != was:
        rows.jobs.save(job)
    return Settled(following=following, mine=None if taken is None else Claim(step=taken, job=job))


def save_status(rows: Rows, job: Job, now: float) -> None:
    """Write a job whose status is another now, and tell of it."""
    seq = rows.jobs.save_told(job)
    rows.events.append(job, EventType.JOB_STATUS, {"status": job.status, "run": job.run}, now, seq=seq)


def _end_failed(rows: Rows, job: Job, now: float) -> Job:
    """End a run that a step failed which nothing can do without; its fault is the job's."""
    rows.jobs.forget_password(job.id)
    needed = (s for kind in _NEEDED for s in rows.steps.of_run(job, kind))
    fault = next((s.fault for s in needed if s.state is StepState.FAILED), None)
    return replace(job, finished_at=now, fault=fault, revision=job.revision + 1)


def cancel_steps(rows: Rows, job: Job, now: float) -> None:
    """End all open steps of a locked run."""
    for step in rows.steps.open_of(job):
        cancelled = lifecycle.cancel(step, now=now)
        if cancelled is not None:
            rows.steps.swap(step, cancelled)


def _end_unplannable(rows: Rows, job: Job, error: InputError, now: float) -> None:
    """End a run whose model or schema is not to be had here any more (a key that was taken away)."""
    cancel_steps(rows, job, now)
    rows.jobs.forget_password(job.id)
    fault = Fault(code=error.code, message=error.message)
    job = replace(job, status=JobStatus.FAILED, finished_at=now, fault=fault, revision=job.revision + 1)
    save_status(rows, job, now)


def ring(services: Services, steps: Sequence[Step]) -> None:
    """Send messages for steps; call it after the commit that made them."""
    rings = [_ring_for(step) for step in steps]
    calls = bundled([ring for ring in rings if ring.queue is QueueName.IO])  # a model takes long: its calls come first
    services.queue.send([*calls, *(ring for ring in rings if ring.queue is not QueueName.IO)])


def _ring_for(step: Step) -> Ring:
    shares = step.queue is QueueName.IO or step.kind is StepKind.MERGE
    return Ring(queue=step.queue, priority=step.priority, step_ids=(step.id,), shares=shares)
