"""The parent's end of a sandbox process: start it, talk to it with a time limit, watch its memory, end it."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Literal

from service.documents.messages import BrokenMessage, Read, frame, read_message
from service.domain.errors import ErrorCode, ReadingError
from service.domain.records import JsonObject

SandboxKind = Literal["pdf", "ocr", "office"]
Answer = tuple[JsonObject, bytes]

START_TIMEOUT_S = 30.0
WATCH_S = 0.1
"""How often the resident memory is looked at while an answer is awaited."""
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "WINDIR", "LD_LIBRARY_PATH")
"""All of the environment that a sandbox sees; keys and passwords are not among it."""
ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the package `service`."""


class SandboxProcess:
    """One child process that reads documents. One call at a time; only `kill` may come from another thread.

    Args:
        kind: `pdf` runs under an address space limit, `ocr` is watched from here.
        memory_bytes: the limit of address space (`pdf`) or of resident memory (`ocr`).
    """

    def __init__(self, kind: SandboxKind, memory_bytes: int) -> None:
        self._kind: SandboxKind = kind
        self._memory_bytes = memory_bytes
        self._answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._started = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        # Linux ends the child with the thread that started it: one that lives as long as the child does it.
        self._thread = threading.Thread(target=self._run, name=f"sandbox-{kind}", daemon=True)
        self._thread.start()
        self._started.wait(START_TIMEOUT_S)
        if not self._greeted():
            self.kill()
            raise ReadingError(ErrorCode.PAGE_CRASHED, "The reading process could not be started.")

    def _greeted(self) -> bool:
        """Whether the child has said that it is ready; its memory counts from the first request on."""
        try:
            return (
                self._process is not None and self._next(time.monotonic() + START_TIMEOUT_S, watched=False) is not None
            )
        except TimeoutError:
            return False

    @property
    def pid(self) -> int:
        """Process id of the child."""
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can be asked again."""
        return self._process is not None and not self._ended and self._process.poll() is None

    def ask(self, head: JsonObject, body: bytes = b"", *, timeout_s: float, subject: str) -> Answer:
        """Send a request and await its answer. After an error the child is gone.

        Args:
            subject: what is being read, for the error's message: `page 4`, `the file`.

        Raises:
            ReadingError: `page_timeout`, `page_memory` or `page_crashed`.
        """
        deadline = time.monotonic() + timeout_s
        self._send(frame(head, body), body)
        try:
            answer = self._next(deadline)
        except TimeoutError:
            self.kill()
            raise ReadingError(
                ErrorCode.PAGE_TIMEOUT, f"Reading {subject} took longer than {timeout_s:g} s and was stopped."
            ) from None
        except MemoryError:
            self.kill()
            raise ReadingError(ErrorCode.PAGE_MEMORY, _memory_message(subject)) from None
        if answer is None:
            self.kill()
            raise ReadingError(
                ErrorCode.PAGE_CRASHED, f"Reading {subject} ended the reading process; its data is likely damaged."
            )
        if answer[0].get("out_of_memory"):
            self.kill()
            raise ReadingError(ErrorCode.PAGE_MEMORY, _memory_message(subject))
        return answer

    def kill(self) -> None:
        """End the child and everything it started, at once. May be called from any thread, and twice."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            _kill_group(process)
        process.wait()

    def _run(self) -> None:
        try:
            process = self._spawn()
        except OSError:
            self._started.set()
            return
        self._process = process
        self._started.set()
        assert process.stdout is not None
        try:
            while (answer := read_message(_reader(process.stdout))) is not None:
                self._answers.put(answer)
        except (BrokenMessage, OSError):
            _kill_group(process)
        self._ended = True
        process.wait()
        for pipe in (process.stdin, process.stdout):
            _close(pipe)
        self._answers.put(None)

    def _spawn(self) -> subprocess.Popen[bytes]:
        environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        environment |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
        arguments = [self._kind, str(self._memory_bytes), str(os.getpid())]
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-P", "-m", "service.documents.sandbox", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )

    def _send(self, head: bytes, body: bytes) -> None:
        assert self._process is not None
        pipe = self._process.stdin
        assert pipe is not None
        try:
            pipe.write(head)
            if body:
                pipe.write(body)
            pipe.flush()
        except (OSError, ValueError):
            return  # the child is gone: awaiting its answer says so

    def _next(self, deadline: float, *, watched: bool = True) -> Answer | None:
        """The next answer; None when the child has ended.

        Raises:
            TimeoutError: the deadline has come.
            MemoryError: the child holds more than it may.
        """
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                return self._answers.get(timeout=min(left, WATCH_S))
            except queue.Empty:
                if watched and self._kind == "ocr" and _resident_bytes(self.pid) > self._memory_bytes:
                    raise MemoryError from None


def _memory_message(subject: str) -> str:
    return f"Reading {subject} needs more memory than a reading process may have."


def _reader(stream: IO[bytes]) -> Read:
    return stream.read


def _close(pipe: IO[bytes] | None) -> None:
    if pipe is None:
        return
    try:
        pipe.close()
    except OSError:
        return  # unsent bytes of a child that is gone


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a child that leads its own session, with all it started."""
    if sys.platform == "win32":
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


def _resident_bytes(pid: int) -> int:
    """Resident memory of a process; 0 where the system does not tell it through /proc."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
