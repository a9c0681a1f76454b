"""A receiver of webhooks on this machine that answers as a test tells it, and keeps all that came."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Mapping[str, str]]


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float

    @property
    def event(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def event_id(self) -> str:
        """What a receiver tells repeats by."""
        return self.headers["webhook-id"]


@dataclass(kw_only=True)
class Receiver:
    """Answers with 204 unless `answer` says otherwise."""

    base_url: str = ""
    received: list[Received] = field(default_factory=list[Received])
    answer: Callable[[Received], Answer] = field(default=lambda _received: (204, {}))
    hang_s: float = 0.0
    """Before it answers."""

    def wait_for(self, count: int, seconds: float = 200.0) -> list[Received]:
        """All that came, once it is so many."""
        until = time.monotonic() + seconds
        while len(self.received) < count:
            assert time.monotonic() < until, [one.event for one in self.received]
            time.sleep(0.02)
        return self.received


@contextmanager
def receiver() -> Generator[Receiver]:
    """Listen on a free port of this machine."""
    told = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            one = Received(path=self.path, headers=headers, body=body, at=time.time())
            told.received.append(one)
            if told.hang_s:
                time.sleep(told.hang_s)
            status, more = told.answer(one)
            try:
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()
            except OSError:  # the sender did not wait
                return

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        told.base_url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield told
        finally:
            server.shutdown()
            thread.join()
