"""The home of an installation: who owns it, and where its `serve` can be reached."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import orjson

from service.domain.errors import ErrorCode, StateError
from service.domain.records import JsonObject

_PATIENCE_S = 2.0
"""A reader holds the lock for an instant, and a killed owner's is free at once: only an owner holds it so long."""
_ENDING_S = 30.0
"""Longest wait for an owner that cannot be reached yet, or any more: one that ends first puts away what it holds."""
_LOOK_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """A running `serve`, as it wrote itself down."""

    pid: int
    url: str
    redis_url: str
    """Empty while it runs in a single process."""
    started_at: float
    """Unix seconds."""
    version: str


def run_folder(home: Path) -> Path:
    """Where a running `serve` keeps its own things: socket, lock, address."""
    return home / "run"


class HomeLock:
    """Held by the one `serve` of a home; the system lets go of it however its owner ends."""

    def __init__(self, home: Path) -> None:
        self._folder = run_folder(home)
        self._file: int | None = None

    def take(self, tell: Callable[[str], None]) -> None:
        """Become the owner, also after one that is just ending.

        Args:
            tell: given, for the person who waits, what is waited for.

        Raises:
            StateError: `wrong_state`, another process is; the message says which one.
        """
        home = self._folder.parent
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        file = os.open(self._folder / "serve.lock", os.O_RDWR | os.O_CREAT, 0o600)
        began, told = time.monotonic(), False
        while not _lock(file, fcntl.LOCK_EX):
            waited, is_up = time.monotonic() - began, read_info(home) is not None
            if waited > (_PATIENCE_S if is_up else _ENDING_S):
                message = f"The home {str(home)!r} is in use {_by_whom(home, file)}."
                os.close(file)
                raise StateError(ErrorCode.WRONG_STATE, message)
            if waited > _PATIENCE_S and not told:
                told = True
                tell(f"Waiting for the home {str(home)!r}, in use {_by_whom(home, file)}.")
            time.sleep(_LOOK_S)
        os.truncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode("ascii"), 0)
        self._file = file
        self.retract()  # of an owner that was killed

    def note(self, info: ServerInfo) -> None:
        """Write down how the owner is reached; only this user may read it, for it may hold a password."""
        target = self._folder / "serve.json"
        draft = target.with_suffix(".tmp")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(orjson.dumps(asdict(info), option=orjson.OPT_INDENT_2))
        draft.replace(target)

    def retract(self) -> None:
        """Be reached no more, while still the owner: what it runs is being ended."""
        (self._folder / "serve.json").unlink(missing_ok=True)

    def release(self) -> None:
        """Own it no more."""
        if self._file is not None:
            self.retract()
            os.close(self._file)
            self._file = None


def find_server(home: Path) -> ServerInfo | None:
    """The `serve` that owns a home; None if there is none, or it has not yet said where it is."""
    try:
        file = os.open(run_folder(home) / "serve.lock", os.O_RDWR)
    except OSError:
        return None
    try:
        return None if _lock(file, fcntl.LOCK_SH) else read_info(home)
    finally:
        os.close(file)


def read_info(home: Path) -> ServerInfo | None:
    """What the last `serve` of a home wrote down."""
    try:
        body = cast(JsonObject, orjson.loads((run_folder(home) / "serve.json").read_bytes()))
        return ServerInfo(
            pid=int(str(body["pid"])),
            url=str(body["url"]),
            redis_url=str(body["redis_url"]),
            started_at=float(str(body["started_at"])),
            version=str(body["version"]),
        )
    except (OSError, ValueError, KeyError):
        return None


def _lock(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _by_whom(home: Path, lock: int) -> str:
    info = read_info(home)
    if info is None:
        pid = os.pread(lock, 20, 0).decode("ascii", errors="replace") or "unknown"
        return f"by `fieldmark serve` with pid {pid}, which is just starting or ending"
    return f"by `fieldmark serve` with pid {info.pid} at {info.url}; use that one, end it, or name another --home"
