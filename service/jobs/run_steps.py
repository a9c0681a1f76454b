"""What a worker does with a message: claim, work outside any transaction, settle, ring for what follows."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import ExitStack
from dataclasses import replace

from service.domain.errors import ErrorCode, InternalError, ServiceError
from service.domain.jobs import Job, QueueName, Step, StepKind
from service.domain.records import Extraction
from service.jobs.extract_split import read_answer, without_blank_ends
from service.jobs.find_documents import find_documents
from service.jobs.merge_splits import merge_splits
from service.jobs.model_calls import ModelCall, kept_answer, spent_by, start_call
from service.jobs.open_document import open_document
from service.jobs.read_pages import read_pages
from service.jobs.services import Services
from service.jobs.settle import Claim, Outcome, claim_steps, give_back, ring, settle, settle_failure
from service.messaging.queue import Ring
from service.protocol.completion import ChatCompletion
from service.storage.store import Rows

_log = logging.getLogger(__name__)
_SLOT_LOOK_S = 0.25
"""How often a free slot is looked for while calls of the same message are under way."""


def run_ring(services: Services, message: Ring) -> None:
    """Do what can be done of a message's steps; never raises: what goes wrong is stored with the step.

    Where even that fails (no database), the leases run out and the sweeper rings again.
    """
    try:
        if message.queue is QueueName.IO:
            _run_calls(services, message.step_ids)
        else:
            _run_work(services, message.step_ids)
    except ServiceError as error:
        _log.warning("a message of %d steps was left: %s", len(message.step_ids), error.message)
    except Exception:  # the edge of a worker: its thread goes on with the next message
        _log.exception("a message of %d steps was left", len(message.step_ids))


def _run_work(services: Services, step_ids: Sequence[str]) -> None:
    """Steps one after the other; of what follows, this worker takes the first itself and rings for the rest."""
    waiting = deque(step_ids)
    while waiting and not services.keeper.is_ending:
        for claim in claim_steps(services, [waiting.popleft()]):
            following = _work(services, claim)
            mine = _next_of_mine(claim, following)
            ring(services, [s for s in following if s is not mine])
            if mine is not None:
                waiting.append(mine.id)


def _next_of_mine(claim: Claim, following: Sequence[Step]) -> Step | None:
    """What this worker does at once; once calls have gone out, other files are opened before this one is read."""
    if any(s.queue is QueueName.IO for s in following):
        return None
    return next((s for s in following if s.priority <= claim.step.priority), None)


def _work(services: Services, claim: Claim) -> tuple[Step, ...]:
    me, stopped = threading.get_ident(), threading.Event()

    def stop() -> None:
        stopped.set()
        services.reader.abort(me)

    try:
        with services.keeper.hold(claim.owner, on_lost=stop):
            outcome = _WORK[claim.step.kind](services, claim)
        return settle(services, claim, outcome)
    except Exception as error:  # the edge of a step: everything becomes a stored fault
        if stopped.is_set():  # from outside, which is no fault of the step
            return give_back(services, claim)
        return settle_failure(services, claim, _as_service_error(error, claim))


def _extract_here(services: Services, claim: Claim) -> Outcome:
    """A model inside this process: no slot, no waiting for others."""
    call = start_call(services, claim)
    return _outcome(services, call, call.answer.result())


_WORK: Mapping[StepKind, Callable[[Services, Claim], Outcome]] = {
    StepKind.OPEN: open_document,
    StepKind.READ: read_pages,
    StepKind.PLAN: find_documents,
    StepKind.EXTRACT: _extract_here,
    StepKind.MERGE: merge_splits,
}


def _outcome(services: Services, call: ModelCall, answer: ChatCompletion) -> Outcome:
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


def _run_calls(services: Services, step_ids: Sequence[str]) -> None:
    """Start a call for each step as soon as a slot is free, and settle each as soon as it has ended."""
    waiting = deque(step_ids)
    calls: dict[Future[ChatCompletion], ModelCall] = {}
    with ExitStack() as held:
        held.callback(lambda: [call.cancel() for call in calls])
        while waiting or calls:
            if services.keeper.is_ending:
                waiting.clear()
            free = _take_slots(services, len(waiting), at_once=bool(calls))
            if free:
                calls |= _start_in_slots(services, [waiting.popleft() for _ in range(free)], held)
                continue
            ended, _ = wait(calls, timeout=_SLOT_LOOK_S if waiting else None, return_when=FIRST_COMPLETED)
            for call in ended:
                ring(services, _settle_call(services, calls.pop(call)))


def _take_slots(services: Services, most: int, *, at_once: bool) -> int:
    """As many free slots as there are, up to `most`; waits for the first, unless it is to be `at_once`."""
    if not most or not services.slots.acquire(blocking=not at_once):
        return 0
    return 1 + sum(services.slots.acquire(blocking=False) for _ in range(most - 1))


def _start_in_slots(
    services: Services, step_ids: Sequence[str], held: ExitStack
) -> dict[Future[ChatCompletion], ModelCall]:
    """Calls of those steps that are to be had; a slot is given back when its call ends, or at once without one."""
    calls: dict[Future[ChatCompletion], ModelCall] = {}
    try:
        # All are held before the first is begun, so that none of them is begun once the process ends.
        claimed = [(claim, _hold(services, claim, held)) for claim in claim_steps(services, step_ids)]
        for claim, started in claimed:
            calls |= _start_call(services, claim, started)
    finally:
        for _ in range(len(step_ids) - len(calls)):
            services.slots.release()
    return calls


def _hold(services: Services, claim: Claim, held: ExitStack) -> list[Future[ChatCompletion]]:
    """Keep a claim; what is put into the list is cancelled if the claim is lost."""
    started: list[Future[ChatCompletion]] = []
    held.enter_context(services.keeper.hold(claim.owner, on_lost=lambda: [call.cancel() for call in started]))
    return started


def _start_call(
    services: Services, claim: Claim, started: list[Future[ChatCompletion]]
) -> dict[Future[ChatCompletion], ModelCall]:
    if not services.keeper.holds(claim.owner):  # lost while others were begun, or this process ends
        ring(services, give_back(services, claim))
        return {}
    try:
        shown = without_blank_ends(services, claim)
        if shown is None:
            ring(services, settle(services, claim, Outcome()))
            return {}
        call = start_call(services, shown)
    except Exception as error:  # the request could not be built; the edge of a step
        ring(services, settle_failure(services, claim, _as_service_error(error, claim)))
        return {}
    call.answer.add_done_callback(lambda _call: services.slots.release())
    started.append(call.answer)
    if not services.keeper.holds(claim.owner):  # lost while the request was built
        call.answer.cancel()
    return {call.answer: call}


def _settle_call(services: Services, call: ModelCall) -> tuple[Step, ...]:
    claim, answer = call.claim, None
    try:
        answer = call.answer.result()
        return settle(services, claim, _outcome(services, call, answer))
    except CancelledError:  # stopped from outside: the claim was lost, or this process ends
        return give_back(services, claim)
    except Exception as error:  # the edge of a step: everything becomes a stored fault
        spent = spent_by(services, call, answer)
        return settle_failure(services, claim, _as_service_error(error, claim), spent)


def _as_service_error(error: Exception, claim: Claim) -> ServiceError:
    if isinstance(error, ServiceError):
        return error
    _log.exception("step %s (%s of job %s) failed", claim.step.id, claim.step.kind, claim.job.id, exc_info=error)
    return InternalError(ErrorCode.INTERNAL, f"The {claim.step.kind} step failed inside Fieldmark; it is in the log.")
