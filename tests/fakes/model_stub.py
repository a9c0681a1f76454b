"""A model server for tests and benchmarks: speaks Upstage's live shape, counts, and fails on demand.

    python -m tests.fakes.model_stub --port 0 --latency 0.5      first line of output: {"port": 40123}

In a test: `with ModelStub(latency_s=0.1) as stub: … stub.base_url … stub.script("429", "ok") … stub.stats()`.

Extraction is served below `/v1`, on both spellings. What it is told and asked, all JSON:

    POST /script    a list of faults, used up one a request; {"fault": "500", "repeat": 3} stands for three of it
    POST /answers   {field name: value}, or a list of such maps: with `split`, one choice each
    POST /reset     forget script, answers and counts
    GET  /stats     requests, in_flight, peak_in_flight, aborted (the client went away), answered (by status),
                    connections_open, connections_total, bytes_in, script_left
    GET  /requests  the last 100 requests, files replaced by their size

A value that is not given is a constant made from the field's name (`default_value`). Faults: see `model_stub_faults`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import threading
import time
import urllib.request
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import orjson
from aiohttp import web

from tests.fakes.model_stub_answers import completion, refusal_of
from tests.fakes.model_stub_faults import Fault, answer_faultily, error_body, parse_script

REMEMBERED_REQUESTS = 100
Json = Any


class StubState:
    """What the server was told and what it saw; touched on its loop only."""

    def __init__(self, latency_s: float) -> None:
        self.latency_s = latency_s
        self.reset()

    def reset(self) -> None:
        """As after the start."""
        self.script: deque[Fault] = deque()
        self.answers: list[Mapping[str, Json]] = [{}]
        self.requests = 0
        self.in_flight = 0
        self.peak_in_flight = 0
        self.aborted = 0
        self.bytes_in = 0
        self.answered: Counter[str] = Counter()
        self.seen: deque[Mapping[str, Json]] = deque(maxlen=REMEMBERED_REQUESTS)
        self.peers: set[object] = set()

    def enter(self, request: web.Request) -> None:
        """A request has come."""
        self.requests += 1
        self.in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
        if request.transport is not None:
            self.peers.add(request.transport.get_extra_info("peername"))

    def stats(self, open_connections: int) -> dict[str, Json]:
        """The counts, as `GET /stats` gives them."""
        names = ("requests", "in_flight", "peak_in_flight", "aborted", "bytes_in")
        return {
            **{name: getattr(self, name) for name in names},
            "answered": dict(self.answered),
            "connections_open": open_connections,
            "connections_total": len(self.peers),
            "script_left": len(self.script),
        }


def rate_headers() -> dict[str, str]:
    """What the vendor sends with every answer: limits, and resets as unix timestamps."""
    reset = str(int(time.time()) + 1)
    headers: dict[str, str] = {"X-Request-Id": f"stub-{time.monotonic_ns():x}"}
    for meter, limit in (("Requests", 1000), ("Tokens", 1_000_000), ("Pages", 10_000)):
        headers[f"X-Upstage-RateLimit-Limit-{meter}"] = str(limit)
        headers[f"X-Upstage-RateLimit-Remaining-{meter}"] = str(limit - 1)
        headers[f"X-Upstage-RateLimit-Reset-{meter}"] = reset
    return headers


class StubServer:
    """The routes."""

    def __init__(self, latency_s: float) -> None:
        self.state = StubState(latency_s)
        app = web.Application()
        for path in ("/v1/information-extraction", "/v1/information-extraction/chat/completions"):
            app.router.add_post(path, self.extract)
        app.router.add_post("/script", self.take_script)
        app.router.add_post("/answers", self.take_answers)
        app.router.add_post("/reset", self.reset)
        app.router.add_get("/stats", self.stats)
        app.router.add_get("/requests", self.requests)
        # handler_cancellation: the only way to notice a client that went away while its answer was waited for
        self.runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.2)

    async def start(self, port: int) -> int:
        """Listen on loopback and give the port."""
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", port, backlog=1024)
        await site.start()
        return self.runner.addresses[0][1]

    async def extract(self, request: web.Request) -> web.StreamResponse:
        """One extraction, or the fault that is next in the script."""
        state = self.state
        state.enter(request)
        try:
            response = await self._answer(request)
            state.answered[str(response.status)] += 1
            return response
        except (asyncio.CancelledError, ConnectionError):
            state.aborted += 1
            raise
        finally:
            state.in_flight -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        state = self.state
        raw = await request.content.read()  # not request.read(): that would keep the body while the answer waits
        state.bytes_in += len(raw)
        fault = state.script.popleft() if state.script else Fault("ok")
        try:
            body = orjson.loads(raw)
        except orjson.JSONDecodeError:
            return _refuse(400, "invalid_request_body", "the body is not JSON")
        del raw
        state.seen.append(summary(request, body))
        await asyncio.sleep(state.latency_s)
        refused = refusal_of(body, request.headers.get("Authorization", ""))
        if refused is not None:
            return _refuse(*refused)
        return await answer_faultily(fault, request, completion(body, state.answers), rate_headers())

    async def take_script(self, request: web.Request) -> web.Response:
        """Append to the script."""
        self.state.script.extend(parse_script(await request.json()))
        return web.json_response({"script_left": len(self.state.script)})

    async def take_answers(self, request: web.Request) -> web.Response:
        """Replace the answers."""
        given = await request.json()
        self.state.answers = given if isinstance(given, list) else [given]
        return web.json_response({})

    async def reset(self, _request: web.Request) -> web.Response:
        """Forget everything but the latency."""
        self.state.reset()
        return web.json_response({})

    async def stats(self, _request: web.Request) -> web.Response:
        """The counts; the connection that asks is not among the open ones."""
        server = self.runner.server
        return web.json_response(self.state.stats(len(server.connections) - 1 if server else 0))

    async def requests(self, _request: web.Request) -> web.Response:
        """What was asked lately."""
        return web.json_response(list(self.state.seen))


def _refuse(status: int, code: str, message: str) -> web.Response:
    return web.json_response(error_body(code, message), status=status, headers=rate_headers())


def summary(request: web.Request, body: Json) -> dict[str, Json]:
    """Time, path, headers and body of a request; a file is replaced by the length of its URL."""
    shown = dict(body) if isinstance(body, dict) else body
    if isinstance(body, dict) and isinstance(body.get("messages"), list):
        shown["messages"] = json.loads(json.dumps(body["messages"], default=str), object_hook=_without_file)
    headers = {name.lower(): value for name, value in request.headers.items()}
    return {"at": time.time(), "path": request.path, "headers": headers, "body": shown}


def _without_file(part: dict[str, Json]) -> dict[str, Json]:
    url = part.get("url")
    return {**part, "url": url[:40], "url_chars": len(url)} if isinstance(url, str) else part


class StubControl:
    """Talks to a running stub, in this process or another."""

    def __init__(self, port: int) -> None:
        self.root = f"http://127.0.0.1:{port}"
        self.base_url = f"{self.root}/v1"
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def _call(self, path: str, body: Json = None) -> Json:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.root + path, data, {"Content-Type": "application/json", "Connection": "close"}
        )
        with self._open(request, timeout=10) as response:
            return json.load(response)

    def script(self, *faults: str | Mapping[str, Json]) -> None:
        """Faults of the next requests, in order."""
        self._call("/script", list(faults))

    def answers(self, values: Mapping[str, Json] | Sequence[Mapping[str, Json]]) -> None:
        """What to answer from now on."""
        self._call("/answers", values)

    def stats(self) -> dict[str, Json]:
        """The counts."""
        return self._call("/stats")

    def requests(self) -> list[dict[str, Json]]:
        """The last requests."""
        return self._call("/requests")

    def reset(self) -> None:
        """Forget script, answers and counts."""
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
    """A stub on a thread of this process."""

    server_class = StubServer

    def __init__(self, latency_s: float = 0.0) -> None:
        self._latency_s = latency_s
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="model-stub", daemon=True)

    def __enter__(self) -> ModelStub:
        self._thread.start()
        self._server = self.server_class(self._latency_s)
        starting = self._server.start(0)
        super().__init__(asyncio.run_coroutine_threadsafe(starting, self._loop).result(10))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._server.runner.cleanup(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


async def serve(port: int, latency_s: float) -> None:
    """Serve until SIGTERM or SIGINT."""
    server = StubServer(latency_s)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    print(json.dumps({"port": await server.start(port)}), flush=True)
    await stop.wait()
    await server.runner.cleanup()


def main() -> None:
    """Run as a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.port, arguments.latency))


if __name__ == "__main__":
    main()
