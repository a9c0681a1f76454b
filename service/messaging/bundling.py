"""Rings of many callers in few messages: a message costs its sender and its worker as much as what it asks for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from service.messaging.queue import Ring, TaskQueue, bundled

_REST_S = 0.015
"""Between two messages; what is rung meanwhile goes together. The first one after a pause goes at once."""
_STOP_S = 5.0
_log = logging.getLogger(__name__)


class BundlingQueue:
    """A `TaskQueue` before a broker's: what may share a message is sent by a thread of its own.

    Its callers do not wait for the broker either.
    """

    def __init__(self, inner: TaskQueue) -> None:
        self._inner = inner
        self._change = threading.Condition()
        self._waiting: list[Ring] = []
        self._thread: threading.Thread | None = None
        self._closed = False
        self._failed = False
        """The broker was out of reach when something was last sent: until it is back, callers are told the truth."""

    def send(self, rings: Sequence[Ring]) -> bool:
        """See `TaskQueue.send`; True for what waits, too: if its broker is lost meanwhile, the sweeper rings again."""
        with self._change:
            waits = not self._failed and not self._closed
            later = [ring for ring in rings if waits and ring.shares]
            if later:
                self._waiting += later
                self._ensure_thread()
                self._change.notify()
        now = [ring for ring in rings if not (waits and ring.shares)]
        return not now or self._deliver(now)

    def is_reachable(self) -> bool:
        """See `TaskQueue.is_reachable`."""
        return self._inner.is_reachable()

    def close(self) -> None:
        """See `TaskQueue.close`."""
        with self._change:
            self._closed = True
            thread = self._thread
            self._change.notify()
        if thread is not None:
            thread.join(_STOP_S)
        self._inner.close()

    def _ensure_thread(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ringing", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while due := self._next():
            try:
                self._deliver(bundled(due))
            except Exception:  # the sweeper rings again for these; what is rung later still needs this thread
                _log.exception("%d rings were left", len(due))
            with self._change:
                self._change.wait_for(lambda: self._closed, _REST_S)

    def _next(self) -> list[Ring]:
        """What waits, once something does; nothing: this is closed."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._closed)
            due, self._waiting = self._waiting, []
            return due

    def _deliver(self, rings: Sequence[Ring]) -> bool:
        sent = False
        try:
            sent = self._inner.send(rings)
        finally:
            self._failed = not sent
        return sent
