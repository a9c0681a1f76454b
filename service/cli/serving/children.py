"""Processes that are kept running: started, watched, started again when they end, and ended together."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 10.0
_LOOK_S = 0.05
_PROVEN_S = 20.0
"""Who ran so long is well: its next end counts as the first."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildSpec:
    """What to run."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    files: Sequence[int] = ()
    """Descriptors that it inherits."""


@dataclass(slots=True)
class Child:
    """One process of a kind at a time. Start it from the main thread: Linux ends it with the thread that started it."""

    spec: ChildSpec
    _process: subprocess.Popen[bytes] | None = None
    _started_at: float = 0.0
    _pause_s: float = _FIRST_PAUSE_S
    _due_at: float = field(default=0.0)

    @property
    def pid(self) -> int | None:
        """Of the running process."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def keep(self, now: float) -> None:
        """Start it if it is not running and its pause is over; `now` is monotonic."""
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return
            self._process = None
            self._pause_s = _FIRST_PAUSE_S if now - self._started_at > _PROVEN_S else self._pause_s
            self._due_at = now + self._pause_s
            _log.warning("%s ended (%s); starting it again in %.1f s", self.spec.name, _how(code), self._pause_s)
            self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)
        if now >= self._due_at:
            self._start(now)

    def _start(self, now: float) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and modules, and the Redis that was chosen
            self.spec.command,
            env=dict(self.spec.environment),
            stdin=subprocess.DEVNULL,
            pass_fds=tuple(self.spec.files),
            start_new_session=True,  # a Ctrl-C of the terminal reaches the supervisor alone
        )
        self._started_at = now
        _log.info("%s started, pid %d", self.spec.name, self._process.pid)

    def ask_to_end(self) -> None:
        """SIGTERM."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        """End it and what it forked, at once."""
        if self._process is None:
            return
        if self._process.poll() is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                self._process.kill()
        self._process.wait()


def end_together(children: Sequence[Child], *, grace_s: float, hurry: threading.Event) -> None:
    """Ask all to end; kill those that still run after `grace_s`, or as soon as `hurry` is set."""
    for child in children:
        child.ask_to_end()
    until = time.monotonic() + grace_s
    while any(child.pid is not None for child in children) and time.monotonic() < until:
        if hurry.wait(_LOOK_S):
            break
    for child in children:
        child.kill()


def _how(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
