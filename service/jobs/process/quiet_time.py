"""Puts off what can wait until this process has had no more pressing work for a moment."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

_log = logging.getLogger(__name__)
_QUIET_S = 0.1
"""Time without anything new after which the press is over."""
_LONGEST_S = 4.0
"""No longer is anything put off, however great the press."""


class QuietTime:
    """Does what it is given later, in a thread that lasts as long as there is something."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._waiting: list[Callable[[], object]] = []
        self._last = 0.0
        """When something was put off last, by the monotonic clock."""
        self._thread: threading.Thread | None = None

    def then(self, work: Callable[[], object]) -> None:
        """Do this once it is quiet, or never, if the process ends before."""
        with self._change:
            self._waiting.append(work)
            self._last = time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="quiet-time", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Forget what waits."""
        with self._change:
            self._waiting.clear()
            thread = self._thread
            self._change.notify_all()
        if thread is not None:
            thread.join(timeout=5)

    def _run(self) -> None:
        while work := self._next():
            for each in work:
                try:
                    each()
                except Exception:  # what comes after it is another's
                    _log.exception("something that was put off was left")

    def _next(self) -> list[Callable[[], object]]:
        """What is due now, once it is; nothing: the thread has ended."""
        latest = time.monotonic() + _LONGEST_S
        with self._change:
            while self._waiting and (left := min(self._last + _QUIET_S, latest) - time.monotonic()) > 0:
                self._change.wait(left)
            due, self._waiting = self._waiting, []
            if not due:
                self._thread = None
            return due
