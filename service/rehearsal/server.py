"""The routes: the vendor's, OpenAI's and Azure's, and those by which a test or a person tells the server what to do.

POST /script    faults, used up one a request; `{"fault": "500", "repeat": 3}` stands for three of it
POST /answers   {field name: value}, or a list of such maps: with `split`, one choice each
POST /patterns  {field name: regular expression}: what the words of the request are searched with
POST /reset     forget script, answers, patterns and counts
GET  /stats     requests, in_flight, peak_in_flight, aborted (the client went away), answered (by status),
                connections_open, connections_total, bytes_in, script_left
GET  /requests  the last 100 requests, files replaced by their size
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from aiohttp import web

from service.rehearsal import openai_shape, upstage_shape
from service.rehearsal.answer_faults import spoil
from service.rehearsal.counts import Counts, pictures_of, summary
from service.rehearsal.json_values import JsonObject, as_list, as_object, objects_in, read_json, write_json
from service.rehearsal.refusals import Refusal
from service.rehearsal.script import Fault, FaultKind, parse_script
from service.rehearsal.streams import send_stream
from service.rehearsal.values import Source, read_patterns
from service.rehearsal.way_faults import WAY_FAULTS, other_body, refuse, send_body

_UPSTAGE = ("/v1/information-extraction", "/v1/information-extraction/chat/completions")
_OPENAI = ("/v1/chat/completions", "/openai/deployments/{deployment}/chat/completions")
_BACKLOG = 1024
_MOST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsalOptions:
    """What the server does before anybody tells it otherwise; a reset comes back to this."""

    latency_s: float = 0.0
    """Before each answer."""
    leave: Callable[[], Awaitable[None]] | None = None
    """Waited for before each answer too: who started the server may say when answers go."""
    script: tuple[Fault, ...] = ()
    over_again: bool = False
    """Whether a script that is used up begins anew."""
    source: Source = field(default_factory=Source)


class RehearsalServer:
    """One server; made and used on one loop."""

    def __init__(self, options: RehearsalOptions) -> None:
        self._options = options
        self._counts = self._begin()
        app = web.Application(client_max_size=_MOST_BYTES)
        for path in _UPSTAGE:
            app.router.add_post(path, self._extract)
        for path in _OPENAI:
            app.router.add_post(path, self._complete)
        app.router.add_post("/script", self._take_script)
        app.router.add_post("/answers", self._take_answers)
        app.router.add_post("/patterns", self._take_patterns)
        app.router.add_post("/reset", self._reset)
        app.router.add_get("/stats", self._tell_counts)
        app.router.add_get("/requests", self._tell_requests)
        # handler_cancellation: the only way to notice a client that went away while its answer was waited for
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.2)

    async def start(self, host: str, port: int) -> int:
        """Listen, and give the port; 0 stands for any free one."""
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port, backlog=_BACKLOG).start()
        bound: int = self._runner.addresses[0][1]
        return bound

    async def stop(self) -> None:
        """Close every connection."""
        await self._runner.cleanup()

    def _begin(self) -> Counts:
        counts = Counts()
        counts.script.extend(self._options.script)
        counts.source = self._options.source
        return counts

    async def _extract(self, request: web.Request) -> web.StreamResponse:
        return await self._counted(request, _Upstage())

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        return await self._counted(request, _OpenAi())

    async def _counted(self, request: web.Request, shape: _Upstage | _OpenAi) -> web.StreamResponse:
        counts = self._counts
        counts.enter(request)
        try:
            response = await self._answer(request, shape, counts)
            counts.answered[str(response.status)] += 1
            return response
        except (asyncio.CancelledError, ConnectionError):
            counts.aborted += 1
            raise
        finally:
            counts.in_flight -= 1

    async def _answer(self, request: web.Request, shape: _Upstage | _OpenAi, counts: Counts) -> web.StreamResponse:
        raw = await request.content.read()  # not request.read(): that would keep the body while the answer waits
        counts.bytes_in += len(raw)
        fault = self._next_fault(counts)
        try:
            body = as_object(read_json(raw))
        except ValueError:
            return _refuse(Refusal(400, "invalid_request_body", "the body is not JSON"), shape.headers())
        del raw
        counts.seen.append(shape.remembered(request, body))
        await asyncio.sleep(self._options.latency_s)
        if self._options.leave is not None:
            await self._options.leave()
        if refused := shape.refused(request, body) or openai_shape.scripted_refusal(fault):
            return _refuse(refused, shape.headers())
        if fault.name.isdigit():
            return refuse(fault, shape.headers())
        return await _send(request, body, shape, fault, counts.source)

    def _next_fault(self, counts: Counts) -> Fault:
        if not counts.script and self._options.over_again:
            counts.script.extend(self._options.script)
        return counts.script.popleft() if counts.script else Fault("ok")

    async def _take_script(self, request: web.Request) -> web.Response:
        try:
            self._counts.script.extend(parse_script(as_list(read_json(await request.read()))))
        except ValueError as error:
            return _refuse(Refusal(400, "invalid_script", str(error)), {})
        return web.json_response({"script_left": len(self._counts.script)})

    async def _take_answers(self, request: web.Request) -> web.Response:
        self._counts.source = replace(self._counts.source, planted=read_planted(await request.read()))
        return web.json_response({})

    async def _take_patterns(self, request: web.Request) -> web.Response:
        patterns = read_patterns(as_object(read_json(await request.read())))
        self._counts.source = replace(self._counts.source, patterns=patterns)
        return web.json_response({})

    async def _reset(self, _request: web.Request) -> web.Response:
        self._counts = self._begin()
        return web.json_response({})

    async def _tell_counts(self, _request: web.Request) -> web.Response:
        """The connection that asks is not among the open ones."""
        server = self._runner.server
        return web.json_response(self._counts.told(len(server.connections) - 1 if server else 0))

    async def _tell_requests(self, _request: web.Request) -> web.Response:
        return web.json_response(list(self._counts.seen))


def read_told(text: bytes) -> RehearsalOptions:
    """The content of a script's file: a list of faults, or an object with `faults`, `answers` and `patterns`.

    Raises:
        ValueError: it is neither, or what it names is not known.
    """
    given = read_json(text)
    told: JsonObject = {"faults": given} if isinstance(given, list) else as_object(given)
    if unknown := set(told) - {"faults", "answers", "patterns"}:
        raise ValueError(f"A script has no {sorted(unknown)[0]!r}; it may have `faults`, `answers` and `patterns`.")
    source = Source(
        planted=read_planted(write_json(told.get("answers", {}))),
        patterns=read_patterns(as_object(told.get("patterns"))),
    )
    return RehearsalOptions(script=tuple(parse_script(as_list(told.get("faults")))), source=source)


def read_planted(text: bytes) -> tuple[JsonObject, ...]:
    """Planted answers: one object, or a list of them."""
    given = read_json(text)
    return tuple(objects_in(given)) if isinstance(given, list) else (as_object(given),)


def _refuse(refused: Refusal, headers: dict[str, str]) -> web.Response:
    body = write_json(refused.body())
    return web.Response(status=refused.status, body=body, headers={**headers, "Content-Type": "application/json"})


async def _send(
    request: web.Request, body: JsonObject, shape: _Upstage | _OpenAi, fault: Fault, source: Source
) -> web.StreamResponse:
    answer = shape.completion(body, source)
    if fault.kind is FaultKind.WAY:
        return await WAY_FAULTS[fault.name](request, answer, fault, shape.headers())
    if fault.kind is FaultKind.BODY:
        return other_body(answer, fault, shape.headers())
    if fault.kind is FaultKind.ANSWER:
        answer = spoil(answer, fault, shape.wanted_schema(body))
    if body.get("stream") and fault.name != "not_streamed":
        return await send_stream(request, body, answer, fault)
    return send_body(answer, shape.headers())


class _Upstage:
    """The vendor's shape."""

    completion = staticmethod(upstage_shape.completion)
    wanted_schema = staticmethod(upstage_shape.wanted_schema)
    headers = staticmethod(upstage_shape.rate_headers)
    remembered = staticmethod(summary)

    def refused(self, request: web.Request, body: JsonObject) -> Refusal | None:
        return upstage_shape.refusal_of(body, _bearer(request))


class _OpenAi:
    """OpenAI's shape, and Azure's where the path is one of Azure's."""

    completion = staticmethod(openai_shape.completion)
    wanted_schema = staticmethod(openai_shape.wanted_schema)

    def headers(self) -> dict[str, str]:
        return {"x-request-id": "req_rehearsal"}

    def remembered(self, request: web.Request, body: JsonObject) -> JsonObject:
        return {**summary(request, body), "pictures": pictures_of(body)}

    def refused(self, request: web.Request, body: JsonObject) -> Refusal | None:
        azure = request.path.startswith("/openai/")
        key = request.headers.get("api-key", "") if azure else _bearer(request)
        if not azure and "Authorization" not in request.headers:
            key = _NONE_NEEDED
        refused = openai_shape.refusal_of(body, key)
        if refused is None and azure and "api-version" not in request.query:
            return Refusal(404, None, "Resource not found")
        return refused


_NONE_NEEDED = "none"
"""Servers of one's own ask for no key, unless they were told to."""


def _bearer(request: web.Request) -> str:
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    return key if scheme == "Bearer" else ""
