"""Whose turn it is to ask the reading processes: one at a time; what may be done elsewhere does not wait for long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from service.domain.errors import ErrorCode, ReadingError

LOOK_S = 2.0
"""Longest quick look, and longest wait for one: calls of other jobs wait for it."""
_REST_S = 10 * LOOK_S


class ReadingLine:
    """Turns of the threads of a process.

    Files that take long, or end the reading process, often come together. After one of them no quick look is begun for
    ten times as long as one may take, so that however many come, most of the time is left to others.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        self._rests_until = 0.0

    @contextmanager
    def turn(self) -> Generator[None]:
        """However long those before take."""
        with self._lock:
            yield

    @contextmanager
    def quick_turn(self) -> Generator[None]:
        """For a quick look.

        Raises:
            ReadingError: those before take too long, or one did a short while ago; nothing was begun.
        """
        self._refuse_resting()
        if not self._lock.acquire(timeout=LOOK_S):
            self._rest()
            raise _not_now()
        try:
            self._refuse_resting()  # since this thread began to wait
            yield
        except ReadingError:
            self._rest()
            raise
        finally:
            self._lock.release()

    def _rest(self) -> None:
        self._rests_until = self._clock() + _REST_S

    def _refuse_resting(self) -> None:
        if self._clock() < self._rests_until:
            raise _not_now()


def _not_now() -> ReadingError:
    return ReadingError(ErrorCode.PAGE_TIMEOUT, "Files that came before take long to read; look at this one later.")
