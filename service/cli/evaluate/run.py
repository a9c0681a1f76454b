"""The work of `fieldmark evaluate`: hand the cases of a set in, a few at a time, and keep how each ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from service.cli.desk.base import Desk, Order
from service.cli.exit_codes import EXIT_CODES, ExitCode
from service.domain.errors import ErrorCode, ServiceError
from service.domain.steps import Priority
from service.evaluation.answers import Answer, extraction_of
from service.evaluation.cases import Case

_LOOK_S = 0.03


@dataclass(frozen=True, slots=True)
class _Open:
    """A case that is worked on."""

    index: int
    job_id: str
    begun: float


def answer_cases(
    cases: Sequence[Case], desk: Desk, *, model: str | None, jobs: int, report: Callable[[int], None]
) -> list[Answer]:
    """The answer of each case, in their order; an interruption cancels what is in work.

    Args:
        cases: of one set.
        desk: where they are handed in.
        model: None: the default of whoever does the work.
        jobs: cases in work at once.
        report: told how many are over.

    Raises:
        ServiceError: of the command or the installation (such as `unknown_model`); a document's own fault is an answer.
    """
    waiting = deque(range(len(cases)))
    answers: dict[int, Answer] = {}
    working: list[_Open] = []
    try:
        while waiting or working:
            while waiting and len(working) < jobs:
                index = waiting.popleft()
                begun = _begin(cases[index], index, desk, model)
                if isinstance(begun, Answer):
                    answers[index] = begun
                else:
                    working.append(begun)
            ended = {one: answer for one in working if (answer := _look(one, desk)) is not None}
            answers |= {one.index: answer for one, answer in ended.items()}
            working = [one for one in working if one not in ended]
            report(len(answers))
            if working and not ended:
                time.sleep(_LOOK_S)
    except BaseException:
        for one in working:
            with suppress(ServiceError):
                desk.cancel(one.job_id)
        raise
    return [answers[index] for index in range(len(cases))]


def _begin(case: Case, index: int, desk: Desk, model: str | None) -> _Open | Answer:
    begun = time.perf_counter()
    order = Order(path=case.path, schema=case.schema.source, model=model, priority=Priority.LOW)
    try:
        return _Open(index, desk.submit(order), begun)
    except ServiceError as error:
        if error.code is ErrorCode.NO_FILE or EXIT_CODES[error.code] is ExitCode.DOCUMENT:
            return Answer(extraction=None, code=error.code)
        raise


def _look(one: _Open, desk: Desk) -> Answer | None:
    """How a case ended; None while it goes on."""
    view = desk.look(one.job_id)
    if not view.status.is_terminal:
        return None
    seconds = time.perf_counter() - one.begun
    if not view.status.has_result:
        return Answer(extraction=None, seconds=seconds, code=view.fault_code or view.status)
    return Answer(extraction=extraction_of(desk.result(one.job_id)), seconds=seconds)
