"""The service a batch hands its files to: one that is named, the `serve` that owns the home, or one started for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from service.cli.desk.http import HttpDesk
from service.cli.home import find_server, run_folder
from service.cli.serving.listening import is_ready
from service.domain.errors import ErrorCode, InternalError

T = TypeVar("T")
_PATIENCE_S = 2.0
_START_S = 90.0
_LOOK_S = 0.1
_END_S = 15.0
_PAUSE_S = 2.0
_STARTS = 3
"""Starts of an own service that may fail one after another."""
_NOT_NOW = (ErrorCode.NOT_READY, ErrorCode.OVERLOADED, ErrorCode.STORAGE_FULL)
_LOG_TAIL = 2000


class BatchDesk:
    """Keeps a `HttpDesk` at hand, whatever becomes of the service behind it.

    Args:
        home: of the installation that does the work, where no `server` is named.
        server: URL of a service.
        api_key: empty: none.
        paused: told why nothing goes on for the moment; None once it does.
    """

    def __init__(self, home: Path, server: str | None, api_key: str, paused: Callable[[str | None], None]) -> None:
        self._home = home
        self._server = server.rstrip("/") if server else None
        self._api_key = api_key
        self._paused = paused
        self._desk: HttpDesk | None = None
        self._own: subprocess.Popen[bytes] | None = None
        self._failed_starts = 0
        self._answered = False

    @property
    def name(self) -> str:
        """Who has the jobs, for the ledger."""
        return self._server or str(self._home)

    def ask(self, question: Callable[[HttpDesk], T]) -> T:
        """Ask the service, and ask again for as long as it is away or has too much to do.

        Raises:
            ServiceError: its answer; or it never answered at all.
        """
        waited = False
        while True:
            try:
                answer = question(self._open())
            except InternalError as error:
                if error.code not in _NOT_NOW or (not self._answered and self._server):
                    raise
                self._paused(error.message)
                waited = True
                self._close_desk()
                time.sleep(_PAUSE_S)
            else:
                self._answered = True
                if waited:
                    self._paused(None)
                return answer

    def close(self) -> None:
        """End the service, if it was started for this batch; what is unfinished goes on at the next start."""
        self._close_desk()
        own, self._own = self._own, None
        if own is None:
            return
        own.terminate()
        try:
            own.wait(_END_S)
        except subprocess.TimeoutExpired:
            own.kill()
            own.wait()

    def _close_desk(self) -> None:
        if self._desk is not None:
            self._desk.close()
            self._desk = None

    def _open(self) -> HttpDesk:
        if self._desk is None:
            far = self._server is not None
            url = self._server or self._find_or_start()
            self._desk = HttpDesk(url, self._api_key, patience_s=_PATIENCE_S, far=far)
        return self._desk

    def _find_or_start(self) -> str:
        """Where a ready service of this home is. Another batch may have started one: then that one is used."""
        until = time.monotonic() + _START_S
        while time.monotonic() < until:
            found = find_server(self._home)
            if found is not None and is_ready(found):
                self._failed_starts = 0
                return found.url
            if found is None and (self._own is None or self._own.poll() is not None):
                self._start()
            time.sleep(_LOOK_S)
        raise InternalError(ErrorCode.INTERNAL, f"The service did not start within {_START_S:.0f} s. {self._said()}")

    def _start(self) -> None:
        if self._own is not None:
            self._failed_starts += 1
            if self._failed_starts >= _STARTS:
                raise InternalError(ErrorCode.INTERNAL, f"The service ended as soon as it started. {self._said()}")
        self._log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        python = [sys.executable, "-P", "-m"]
        serve = [*python, "service.cli.main", "serve", "--host", "127.0.0.1", "--port", "0", "--home", str(self._home)]
        with self._log.open("wb") as log:
            self._own = subprocess.Popen(  # noqa: S603 - our own interpreter and modules
                [*python, "workers.lifeline", str(os.getpid()), *serve],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C of the terminal is for the batch, which then ends it in good order
            )

    @property
    def _log(self) -> Path:
        return run_folder(self._home) / "batch-serve.log"

    def _said(self) -> str:
        """The end of what it wrote."""
        with suppress(OSError):
            return self._log.read_bytes()[-_LOG_TAIL:].decode("utf-8", "replace").strip()
        return ""
