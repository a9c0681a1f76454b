"""The sandbox processes of a process: one of a kind, asked one call at a time, replaced when it dies."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from service.documents.limits import ReadingLimits
from service.documents.line import ReadingLine
from service.documents.messages import decode_error
from service.documents.process import Answer, SandboxKind, SandboxProcess
from service.domain.errors import ErrorCode, ReadingError
from service.domain.records import JsonObject


class ReadingAbortedError(ReadingError):
    """Somebody called `abort` while the call was under way."""


class Sandboxes:
    """Warm sandbox processes, which start on first use and are replaced when they die.

    Calls wait for one another. After a fork the child process starts sandboxes of its own.
    """

    def __init__(self, limits: ReadingLimits, clock: Callable[[], float]) -> None:
        self._limits, self._clock = limits, clock
        self._line = ReadingLine(clock)
        self._pid = os.getpid()
        self._running: dict[SandboxKind, SandboxProcess] = {}
        self._busy_for: int | None = None
        """The thread whose call is under way."""
        self._aborted = False

    def warm_up(self, kind: SandboxKind) -> None:
        """Start one, so that the first call does not wait for it.

        Raises:
            ReadingError: it could not be started.
        """
        self._own()
        with self._line.turn():
            self._sandbox(kind)

    def end(self, kind: SandboxKind) -> None:
        """End one, with all that it started."""
        sandbox = self._own().pop(kind, None)
        if sandbox is not None:
            sandbox.kill()

    def close(self) -> None:
        """End all, once no call is under way."""
        own = self._own()
        with self._line.turn():
            for sandbox in own.values():
                sandbox.kill()
            own.clear()

    def abort(self, thread_id: int | None) -> None:
        """End the call that is under way; with an id only if it is that thread's."""
        busy_for = self._busy_for
        if busy_for is None or thread_id not in (None, busy_for):
            return
        self._aborted = True
        for sandbox in tuple(self._own().values()):
            sandbox.kill()

    def pids(self) -> tuple[int, ...]:
        """Process ids of those that run."""
        return tuple(sandbox.pid for sandbox in self._own().values() if sandbox.alive)

    def ask(self, kind: SandboxKind, head: JsonObject, body: bytes, *, timeout_s: float, subject: str) -> Answer:
        """Send a request and await its answer.

        Args:
            kind: of the sandbox.
            head: of the request.
            body: of the request.
            timeout_s: for the answer.
            subject: what is being read, for the error's message: `page 4`, `the file`.

        Raises:
            InputError: what is wrong with the file, as the sandbox says.
            ReadingError: the sandbox could not be started, or ran over its limits.
            ReadingAbortedError: `abort` was called.
        """
        self._own()
        with self._line.quick_turn() if head.get("look") else self._line.turn():
            self._busy_for, self._aborted = threading.get_ident(), False
            try:
                answer = self._ask_twice(kind, head, body, timeout_s=timeout_s, subject=subject)
            except ReadingError as error:
                if self._aborted:
                    raise ReadingAbortedError(ErrorCode.PAGE_CRASHED, f"Reading {subject} was stopped.") from error
                raise
            finally:
                self._busy_for = None
        if "error" in answer[0]:
            raise decode_error(answer[0])
        return answer

    def _ask_twice(self, kind: SandboxKind, head: JsonObject, body: bytes, *, timeout_s: float, subject: str) -> Answer:
        """Ask; a sandbox that died may have been ended from outside: then a fresh one is asked, once."""
        try:
            return self._sandbox(kind).ask(head, body, timeout_s=timeout_s, subject=subject)
        except ReadingError as error:
            if self._aborted or error.code is not ErrorCode.PAGE_CRASHED:
                raise
        return self._sandbox(kind).ask(head, body, timeout_s=timeout_s, subject=subject)

    def _sandbox(self, kind: SandboxKind) -> SandboxProcess:
        own = self._own()
        sandbox = own.get(kind)
        if sandbox is None or not sandbox.alive:
            limits = self._limits
            memory = limits.pdf_memory_bytes if kind == "pdf" else limits.ocr_memory_bytes
            sandbox = own[kind] = SandboxProcess(kind, memory)
        return sandbox

    def _own(self) -> dict[SandboxKind, SandboxProcess]:
        """The sandboxes of this process. After a fork they, and a lock that may be held, are left to the parent."""
        if self._pid != os.getpid():
            self._pid, self._running, self._line, self._busy_for = os.getpid(), {}, ReadingLine(self._clock), None
        return self._running
