"""Faults of the body, the status and the connection."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from email.utils import formatdate

from aiohttp import web

from service.rehearsal.json_values import JsonObject, as_number, as_object, as_text, write_json
from service.rehearsal.refusals import error_body
from service.rehearsal.script import Fault

Headers = Mapping[str, str]
_JSON = {"Content-Type": "application/json"}
_HUGE_BODY_BYTES = 80_000_000
_PIECE = b'{"choices": [{"message": {"content": "' + b"x" * 65_536


def send_body(body: JsonObject, headers: Headers) -> web.Response:
    """A success."""
    return web.Response(body=write_json(body), headers={**headers, **_JSON})


def other_body(answer: JsonObject, fault: Fault, headers: Headers) -> web.Response:
    """A success by its status, for a fault of the kind `body`."""
    packing = {"Content-Encoding": as_text(fault.options.get("as")) or "br"} if fault.name == "odd_packing" else {}
    return web.Response(body=_BODIES[fault.name](answer, fault), headers={**headers, **_JSON, **packing})


_BODIES: Mapping[str, Callable[[JsonObject, Fault], bytes]] = {
    "no_choices": lambda answer, _: write_json(answer | {"choices": []}),
    "not_a_completion": lambda _answer, _fault: b'{"result": "done"}',
    "error_in_200": lambda _answer, _fault: write_json(error_body("upstream_error", "the service behind is not well")),
    "non_json_200": lambda _answer, _fault: b"<html><body>Gateway</body></html>",
    "empty_200": lambda _answer, _fault: b"",
    "odd_packing": lambda answer, _: write_json(answer),
    "huge_body": lambda _, fault: b'{"x": "' + b"x" * int(as_number(fault.options.get("bytes"), _HUGE_BODY_BYTES)),
}


def refuse(fault: Fault, headers: Headers) -> web.Response:
    """A status, with the headers and the body that the script names."""
    status, options = int(fault.name), fault.options
    sent = {**headers, **{name: str(value) for name, value in as_object(options.get("headers")).items()}}
    if form := as_text(options.get("form")):
        sent = {name: value for name, value in sent.items() if "-Reset-" not in name}
        sent |= RETRY_FORMS[form](as_number(options.get("seconds"), 1))
    if "text" in options:
        return web.Response(status=status, text=as_text(options["text"]), content_type="text/html", headers=sent)
    message = as_text(options.get("message")) or f"rehearsed error {status}"
    body = error_body(as_text(options.get("code")) or None, message)
    return web.Response(status=status, body=write_json(body), headers={**sent, **_JSON})


def _stamp(seconds: float) -> str:
    return str(int(time.time() + seconds))


RETRY_FORMS: Mapping[str, Callable[[float], dict[str, str]]] = {
    "delta": lambda s: {"Retry-After": f"{s:g}"},
    "http_date": lambda s: {"Retry-After": formatdate(time.time() + s, usegmt=True)},
    "ms": lambda s: {"retry-after-ms": f"{s * 1000:g}"},
    "timestamp_requests": lambda s: {"X-Upstage-RateLimit-Retry-After-Requests": _stamp(s)},
    "timestamp_tokens": lambda s: {"X-Upstage-RateLimit-Retry-After-Tokens": _stamp(s)},
    "reset_requests": lambda s: {
        "X-Upstage-RateLimit-Remaining-Requests": "0",
        "X-Upstage-RateLimit-Reset-Requests": _stamp(s),
    },
    "openai_reset": lambda s: {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": f"{s:g}s"},
    "garbage": lambda _: {"Retry-After": "soon"},
}
"""Ways to say `come back in so many seconds`."""


async def _hang(_request: web.Request, _answer: JsonObject, _fault: Fault, _headers: Headers) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


async def _drop(request: web.Request, _answer: JsonObject, _fault: Fault, _headers: Headers) -> web.StreamResponse:
    close(request)
    return web.Response(status=200)


async def _cut(request: web.Request, answer: JsonObject, _fault: Fault, headers: Headers) -> web.StreamResponse:
    body = write_json(answer)
    response = web.StreamResponse(headers={**headers, **_JSON, "Content-Length": str(len(body))})
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    close(request)
    return response


async def _slow(_request: web.Request, answer: JsonObject, fault: Fault, headers: Headers) -> web.StreamResponse:
    await asyncio.sleep(as_number(fault.options.get("seconds"), 1))
    return send_body(answer, headers)


async def _slow_drip(request: web.Request, answer: JsonObject, fault: Fault, headers: Headers) -> web.StreamResponse:
    response = web.StreamResponse(headers={**headers, **_JSON})
    await response.prepare(request)
    for byte in write_json(answer):
        await response.write(bytes([byte]))
        await asyncio.sleep(as_number(fault.options.get("seconds"), 0.05))
    return response


async def _endless(request: web.Request, _answer: JsonObject, _fault: Fault, headers: Headers) -> web.StreamResponse:
    response = web.StreamResponse(headers={**headers, **_JSON})
    await response.prepare(request)
    while True:
        await response.write(_PIECE)


def close(request: web.Request) -> None:
    """Close the connection of a request, whatever was sent on it."""
    if request.transport is not None:
        request.transport.close()


WAY_FAULTS: Mapping[str, Callable[[web.Request, JsonObject, Fault, Headers], Awaitable[web.StreamResponse]]] = {
    "hang": _hang,
    "drop": _drop,
    "cut": _cut,
    "slow": _slow,
    "slow_drip": _slow_drip,
    "endless": _endless,
}
