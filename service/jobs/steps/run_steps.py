"""What a worker does with a message: claim, work outside any transaction, settle, ring for what follows."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import nullcontext
from functools import partial

from service.domain.errors import ServiceError
from service.domain.steps import QueueName, Step, StepKind
from service.jobs.services import Services
from service.jobs.settle import (
    Claim,
    Outcome,
    Settled,
    claim_steps,
    give_back,
    ring,
    settle_and_take,
    settle_failure,
)
from service.jobs.steps.find_documents import find_documents
from service.jobs.steps.merge_splits import merge_splits
from service.jobs.steps.model_calls import start_call
from service.jobs.steps.open_document import open_document
from service.jobs.steps.read_pages import read_pages
from service.jobs.steps.run_calls import as_service_error, begin_calls, outcome_of
from service.messaging.queue import Ring

_log = logging.getLogger(__name__)


def run_ring(services: Services, message: Ring) -> None:
    """Do what can be done of a message's steps; never raises: what goes wrong is stored with the step.

    Where even that fails (no database), the leases run out and the sweeper rings again.
    """
    for call in begin_ring(services, message):
        call.result()


def begin_ring(services: Services, message: Ring) -> Sequence[Future[None]]:
    """Like `run_ring`, but without waiting for calls of models; each of what is given ends when one is settled."""
    calls: list[Future[None]] = []
    try:
        if message.queue is QueueName.IO:
            begin_calls(services, message.step_ids, calls)
        else:
            _run_work(services, message.step_ids)
    except ServiceError as error:
        _log.warning("a message of %d steps was left: %s", len(message.step_ids), error.message)
    except Exception:  # the edge of a worker: its thread goes on with the next message
        _log.exception("a message of %d steps was left", len(message.step_ids))
    return calls


def _run_work(services: Services, step_ids: Sequence[str]) -> None:
    """Steps one after the other; of what follows, this worker takes the first itself and rings for the rest."""
    for step_id in step_ids:
        if services.keeper.is_ending:
            return
        claims = claim_steps(services, [step_id])
        mine = claims[0] if claims else None
        while mine is not None:
            settled = _work(services, mine)
            mine = settled.mine
            with nullcontext() if mine is None else services.keeper.hold(mine.owner, on_lost=lambda: None):
                ring(services, settled.following)  # a broker that hangs may take longer than a lease


def _next_of_mine(services: Services, claim: Claim, following: Sequence[Step]) -> Step | None:
    """What this worker does at once; once calls have gone out, other files are opened before this one is read."""
    if services.keeper.is_ending or any(s.queue is QueueName.IO for s in following):
        return None
    return next((s for s in following if s.priority <= claim.step.priority), None)


def _work(services: Services, claim: Claim) -> Settled:
    me, stopped = threading.get_ident(), threading.Event()

    def stop() -> None:
        stopped.set()
        services.reader.abort(me)

    try:
        with services.keeper.hold(claim.owner, on_lost=stop):
            outcome = _WORK[claim.step.kind](services, claim)
        return settle_and_take(services, claim, outcome, partial(_next_of_mine, services, claim))
    except Exception as error:  # the edge of a step: everything becomes a stored fault
        if stopped.is_set() or isinstance(error, CancelledError):  # from outside, which is no fault of the step
            return Settled(following=give_back(services, claim))
        return Settled(following=settle_failure(services, claim, as_service_error(error, claim)))


def _extract_here(services: Services, claim: Claim) -> Outcome:
    """A model inside this process: no slot, no waiting for others."""
    call = start_call(services, claim)
    return outcome_of(services, call, call.answer.result())


_WORK: Mapping[StepKind, Callable[[Services, Claim], Outcome]] = {
    StepKind.OPEN: open_document,
    StepKind.READ: read_pages,
    StepKind.PLAN: find_documents,
    StepKind.EXTRACT: _extract_here,
    StepKind.MERGE: merge_splits,
}
