"""Steps that ask a model elsewhere: begun as there is room, settled as answers come, and without a thread meanwhile.

A small file is opened here too, just before its call: that is one message and two transactions less.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

from service.domain.errors import ErrorCode, InternalError, ServiceError
from service.domain.jobs import Job
from service.domain.records import Extraction
from service.domain.steps import QueueName, Step, StepKind
from service.jobs.services import Services
from service.jobs.settle import (
    Claim,
    Outcome,
    claim_steps,
    give_back,
    ring,
    settle,
    settle_and_take,
    settle_failure,
)
from service.jobs.steps.extract_split import read_answer, without_blank_ends
from service.jobs.steps.model_calls import ModelCall, kept_answer, spent_by, start_call
from service.jobs.steps.open_document import open_quickly
from service.protocol.completion import ChatCompletion
from service.storage.store import Rows

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Held:
    """A place for a call, with the claim that is kept alive: of opening the file, then of asking about it."""

    claim: Claim
    shows: bool = False
    """Whether its only page was seen to show something."""
    keeping: ExitStack = field(default_factory=ExitStack)
    calls: list[ModelCall] = field(default_factory=list[ModelCall])
    """The one that is under way, which is cancelled if the claim is lost. Taken out once it has ended: its answer knows
    what follows it, and would else be kept by it."""
    settled: Future[None] = field(default_factory=Future[None])


def begin_calls(services: Services, step_ids: Sequence[str], begun: list[Future[None]]) -> None:
    """Start a call for each step as soon as there is room for it.

    Args:
        services: of this process.
        step_ids: whose model is asked.
        begun: where each call that was begun leaves what ends when it is settled.
    """
    waiting = deque(step_ids)
    while waiting:
        free = services.calls.enter(len(waiting))
        entered = [waiting.popleft() for _ in range(free)]
        held: list[_Held] = []
        try:
            if services.keeper.is_ending:
                return
            # All are held before the first is begun, so that none of them is begun once the process ends.
            held = [_hold(services, claim) for claim in claim_steps(services, entered)]
        finally:
            services.calls.leave(len(entered) - len(held), called=False)
        begun += [one.settled for one in held]
        _begin_all(services, deque(held))


def _begin_all(services: Services, waiting: deque[_Held]) -> None:
    try:
        while waiting:
            _begin(services, waiting[0])
            waiting.popleft()
    finally:  # only if this thread was stopped
        for held in waiting:
            _let_go(services, held, called=False)


def _hold(services: Services, claim: Claim) -> _Held:
    held = _Held(claim)
    _keep(services, held)
    return held


def _keep(services: Services, held: _Held) -> None:
    keep = services.keeper.hold(held.claim.owner, on_lost=lambda: [call.answer.cancel() for call in held.calls])
    held.keeping.enter_context(keep)


def _begin(services: Services, held: _Held) -> None:
    """Ask the model of a step; where that cannot be, the step is settled here."""
    call: ModelCall | None = None
    try:
        if _open_first(services, held):
            call = _start_call(services, held)
    except ServiceError as error:
        _log.warning("a step was left: %s", error.message)
    except Exception:  # the edge of a worker: its thread goes on with the next step
        _log.exception("a step was left")
    if call is None:
        _let_go(services, held, called=False)
        return
    held.calls.append(call)
    if not services.keeper.holds(held.claim.owner):  # lost before it could be cancelled
        call.answer.cancel()
    end = partial(_end, services, held)
    # On the loop, or in the thread that cancelled: the work is for others.
    call.answer.add_done_callback(lambda _answer: services.calls.answered(end))


def _open_first(services: Services, held: _Held) -> bool:
    """Open a small file whose step is held, and hold the first call instead; whether there is one to make."""
    claim = held.claim
    if claim.step.kind is not StepKind.OPEN:
        return True
    if not services.keeper.holds(claim.owner):
        ring(services, give_back(services, claim))
        return False
    try:
        outcome, blank = open_quickly(services, claim)
        settled = settle_and_take(services, claim, outcome, _first_call)
    except Exception as error:  # the edge of a step
        ring(services, settle_failure(services, claim, as_service_error(error, claim)))
        return False
    held.keeping.close()
    if settled.mine is None:
        ring(services, settled.following)
        return False
    held.claim, held.shows = settled.mine, blank is False
    _keep(services, held)
    _ring_beside_a_call(services, settled.following)
    return True


def _first_call(following: Sequence[Step]) -> Step | None:
    return next((s for s in following if s.queue is QueueName.IO and s.kind is StepKind.EXTRACT), None)


def _ring_beside_a_call(services: Services, steps: Sequence[Step]) -> None:
    """Ring, but for reading that is over in a moment only once other files' calls are out: it would delay them."""
    readings = [s for s in steps if s.kind is StepKind.READ]
    if len(readings) > 1:
        readings = []
    ring(services, [s for s in steps if s not in readings])
    if readings:
        services.quiet.then(partial(ring, services, readings))


def _start_call(services: Services, held: _Held) -> ModelCall | None:
    """None: there is nothing to wait for."""
    claim = held.claim
    if not services.keeper.holds(claim.owner):  # lost while others were begun, or this process ends
        ring(services, give_back(services, claim))
        return None
    try:
        shown = claim if held.shows else without_blank_ends(services, claim)
        if shown is not None:
            return start_call(services, shown)
    except Exception as error:  # the request could not be built; the edge of a step
        ring(services, settle_failure(services, claim, as_service_error(error, claim)))
        return None
    ring(services, settle(services, claim, Outcome()))
    return None


def _end(services: Services, held: _Held) -> None:
    try:
        ring(services, _settle_call(services, held.calls.pop()))
    except ServiceError as error:
        _log.warning("a step was left: %s", error.message)
    except Exception:  # the edge of a worker: its thread goes on with the next step
        _log.exception("a step was left")
    except BaseException as crash:  # whoever waits ends with it
        held.settled.set_exception(crash)
        raise
    finally:
        _let_go(services, held, called=True)


def _let_go(services: Services, held: _Held, *, called: bool) -> None:
    held.keeping.close()
    services.calls.leave(1, called=called)
    if not held.settled.done():
        held.settled.set_result(None)


def _settle_call(services: Services, call: ModelCall) -> tuple[Step, ...]:
    claim, answer = call.claim, None
    try:
        answer = call.answer.result()
        return settle(services, claim, outcome_of(services, call, answer))
    except CancelledError:  # stopped from outside: the claim was lost, or this process ends
        return give_back(services, claim)
    except Exception as error:  # the edge of a step: everything becomes a stored fault
        spent = spent_by(services, call, answer)
        return settle_failure(services, claim, as_service_error(error, claim), spent)


def outcome_of(services: Services, call: ModelCall, answer: ChatCompletion) -> Outcome:
    """What an answer gave and cost; one that can be used is kept for the same request."""
    outcome = read_answer(services, call.claim, answer)
    spent = spent_by(services, call, answer)
    if isinstance(outcome.result, Extraction):
        outcome = replace(outcome, result=replace(outcome.result, usage=spent.usage))
    keep = call.key if outcome.result is not None else None
    body = kept_answer(answer) if keep is not None else b""

    def apply(rows: Rows, job: Job) -> Job:
        if keep is not None:
            source, at = job.source_key or "", services.clock()
            rows.answers.put(job.tenant_id, keep, source_key=source, job_id=job.id, body=body, at=at)
        return spent.added_to(job)

    return replace(outcome, apply=apply)


def as_service_error(error: Exception, claim: Claim) -> ServiceError:
    """What is stored of an error; one that is not ours is a fault of Fieldmark, and goes to the log."""
    if isinstance(error, ServiceError):
        return error
    _log.exception("step %s (%s of job %s) failed", claim.step.id, claim.step.kind, claim.job.id, exc_info=error)
    return InternalError(ErrorCode.INTERNAL, f"The {claim.step.kind} step failed inside Fieldmark; it is in the log.")
