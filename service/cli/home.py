"""The home of an installation: who owns it, and where its `serve` can be reached."""

from __future__ import annotations

import fcntl
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import orjson

from service.domain.errors import ErrorCode, StateError
from service.domain.records import JsonObject

_PATIENCE_S = 2.0
"""A reader holds the lock for an instant, and a killed owner's is free at once: only an owner holds it so long."""
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

    def take(self) -> None:
        """Become the owner.

        Raises:
            StateError: `wrong_state`, another process is; the message says which one.
        """
        home = self._folder.parent
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        file = os.open(self._folder / "serve.lock", os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + _PATIENCE_S
        while not _lock(file, fcntl.LOCK_EX):
            if time.monotonic() > until:
                os.close(file)
                raise StateError(ErrorCode.WRONG_STATE, f"The home {str(home)!r} is in use {_by_whom(home)}.")
            time.sleep(_LOOK_S)
        (self._folder / "serve.json").unlink(missing_ok=True)  # of an owner that was killed
        self._file = file

    def note(self, info: ServerInfo) -> None:
        """Write down how the owner is reached; only this user may read it, for it may hold a password."""
        target = self._folder / "serve.json"
        draft = target.with_suffix(".tmp")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(orjson.dumps(asdict(info), option=orjson.OPT_INDENT_2))
        draft.replace(target)

    def release(self) -> None:
        """Own it no more."""
        if self._file is not None:
            (self._folder / "serve.json").unlink(missing_ok=True)
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


def _by_whom(home: Path) -> str:
    info = read_info(home)
    if info is None:
        return "by another `fieldmark serve`, which is just starting or ending"
    return f"by `fieldmark serve` with pid {info.pid} at {info.url}; use that one, end it, or name another --home"
