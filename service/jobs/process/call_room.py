"""How many calls to models a process has in flight, and who settles what they gave."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
_AHEAD = 8
"""Calls that are made ready while all others are in flight, so that the next one goes out when an answer comes in."""
_STOP_S = 10.0
_log = logging.getLogger(__name__)


class CallRoom:
    """Room for the calls of a process to models elsewhere, and the few threads that settle them.

    A call that waits for its model has a place and no thread; a few more are ready and wait for their turn. No more
    answers wait to be settled than calls may be in flight, however slow settling is.
    """

    def __init__(self, in_flight: int, threads: int) -> None:
        self._most = in_flight
        self._turns = asyncio.Semaphore(in_flight)
        self._change = threading.Condition()
        self._unanswered = 0
        """Ready or in flight."""
        self._begun = 0
        """Ready, in flight or not yet settled."""
        self._answered: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._most_threads = threads
        self._threads: list[threading.Thread] = []

    def enter(self, most: int) -> int:
        """Take places, at least one and up to `most` (≥ 1); waits for the first."""
        with self._change:
            self._change.wait_for(lambda: self._free() > 0)
            taken = min(most, self._free())
            self._unanswered += taken
            self._begun += taken
        return taken

    def _free(self) -> int:
        return min(self._most + _AHEAD - self._unanswered, 2 * self._most + _AHEAD - self._begun)

    async def in_turn(self, call: Callable[[], Awaitable[T]]) -> T:
        """Make a call once fewer than all are in flight; the first to come is the first to go."""
        async with self._turns:
            return await call()

    def answered(self, settle: Callable[[], None]) -> None:
        """A call is over: another may begin, and one of the threads does what is left to do."""
        with self._change:
            self._unanswered -= 1
            self._change.notify_all()
            self._answered.put(settle)
            if len(self._threads) < self._most_threads:
                # A pool of the standard library would keep a process that ends from ending while one of them hangs.
                thread = threading.Thread(target=_settle_all, args=(self._answered,), name="settle", daemon=True)
                self._threads.append(thread)
                thread.start()

    def leave(self, places: int, *, called: bool) -> None:
        """Give places back: of calls that are settled, or of steps that were not `called` for."""
        with self._change:
            self._begun -= places
            self._unanswered -= 0 if called else places
            self._change.notify_all()

    def wait_settled(self, timeout_s: float) -> bool:
        """Wait until nothing is in flight and all is settled; whether it is."""
        with self._change:
            return self._change.wait_for(lambda: not self._begun, timeout_s)

    def stop(self, timeout_s: float = _STOP_S) -> bool:
        """End the threads after what there is to settle; what is answered later is settled by new ones.

        Returns:
            Whether all have ended in time; one that has not goes on until the process ends, and does not keep it.
        """
        with self._change:
            threads, self._threads = self._threads, []
            answered, self._answered = self._answered, SimpleQueue()
        for _ in threads:
            answered.put(None)
        until = time.monotonic() + timeout_s
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        hanging = sum(thread.is_alive() for thread in threads)
        if hanging:
            _log.warning("%d threads still settle an answer; their claims run out, and others do it again", hanging)
        return not hanging


def _settle_all(answered: SimpleQueue[Callable[[], None] | None]) -> None:
    while (settle := answered.get()) is not None:
        try:
            settle()
        except BaseException:  # whoever waits for the step has it too: this thread goes on with the next
            _log.exception("an answer was left")
