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
            with self._open(request, timeout=60) as response:
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

    def wait_for(self, timeout_s: float = 200.0, **wanted: int) -> dict[str, Json]:
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
        self._go: int | None = None
        """How many answers may go; None: all."""
        self._told = asyncio.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="model-stub", daemon=True)

    def __enter__(self) -> ModelStub:
        self._thread.start()
        self._server = RehearsalServer(RehearsalOptions(latency_s=self._latency_s, leave=self._leave))
        starting = self._server.start("127.0.0.1", 0)
        super().__init__(asyncio.run_coroutine_threadsafe(starting, self._loop).result(60))
        return self

    def hold(self) -> None:
        """Keep every answer back until it is let go; whose request has arrived has got its fault of the script."""
        self._tell(0)

    def let_go(self, count: int | None = None) -> None:
        """Let so many of the answers go that are held back, whichever come first; without a number all, from now on."""
        self._tell(count)

    def reset(self) -> None:
        """Hold nothing back either."""
        self.let_go()
        super().reset()

    def _tell(self, go: int | None) -> None:
        async def tell() -> None:
            async with self._told:
                self._go = go
                self._told.notify_all()

        asyncio.run_coroutine_threadsafe(tell(), self._loop).result(60)

    async def _leave(self) -> None:
        async with self._told:
            await self._told.wait_for(lambda: self._go != 0)
            if self._go is not None:
                self._go -= 1

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()
