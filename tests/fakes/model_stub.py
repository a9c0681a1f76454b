"""The rehearsal server in a test: `with ModelStub() as stub: … stub.script("429", "ok") … stub.stats()`.

It speaks Upstage's shape and OpenAI's; docs/rehearse.md tells the faults. Any key is good but those that say otherwise.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from service.rehearsal.server import RehearsalOptions, RehearsalServer

Json = Any
GOOD_KEY = "sk-test-0123456789"


class StubControl:
    """Talks to a running server, in this process or another."""

    def __init__(self, port: int) -> None:
        self.root = f"http://127.0.0.1:{port}"
        self.base_url = f"{self.root}/v1"
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def _call(self, path: str, body: Json = None) -> Json:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.root + path, data, {"Content-Type": "application/json", "Connection": "close"}
        )
        try:
            with self._open(request, timeout=10) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(error.read().decode()) from None

    def script(self, *faults: str | Mapping[str, Json]) -> None:
        """Faults of the next requests, in order."""
        self._call("/script", list(faults))

    def answers(self, values: Mapping[str, Json] | Sequence[Mapping[str, Json]]) -> None:
        """What to answer from now on."""
        self._call("/answers", values)

    def patterns(self, **patterns: str) -> None:
        """What to look for in the words of the requests from now on."""
        self._call("/patterns", patterns)

    def stats(self) -> dict[str, Json]:
        """The counts."""
        return self._call("/stats")

    def requests(self) -> list[dict[str, Json]]:
        """The last requests."""
        return self._call("/requests")

    def reset(self) -> None:
        """Forget script, answers, patterns and counts."""
        self._call("/reset", {})

    def wait_for(self, timeout_s: float = 10.0, **wanted: int) -> dict[str, Json]:
        """The counts once each named one has reached its value; an AssertionError if that takes too long."""
        end = time.monotonic() + timeout_s
        while True:
            stats = self.stats()
            if all(stats[name] == value for name, value in wanted.items()):
                return stats
            assert time.monotonic() < end, f"wanted {wanted}, have {stats}"
            time.sleep(0.01)


class ModelStub(StubControl):
    """A server on a thread of this process."""

    def __init__(self, latency_s: float = 0.0) -> None:
        self._latency_s = latency_s
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="model-stub", daemon=True)

    def __enter__(self) -> ModelStub:
        self._thread.start()
        self._server = RehearsalServer(RehearsalOptions(latency_s=self._latency_s))
        starting = self._server.start("127.0.0.1", 0)
        super().__init__(asyncio.run_coroutine_threadsafe(starting, self._loop).result(10))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
