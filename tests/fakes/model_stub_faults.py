"""What the stub does wrong on demand.

The answer: `length` (cut short, with that finish reason), `content_filter`, `unknown_finish_reason`,
`null_finish_reason`, `fences`, `prose` (words around the JSON), `wrong_types`, `missing_leaves`, `no_tool_calls`,
`arguments_object`, `arguments_broken`, `page_minus_one`, `page_beyond`, `extra_keys`, `empty_content`, `null_content`,
`bare_choice` (nulls where the documentation has them).
The body: `non_json_200`, `not_a_completion`, `error_in_200`, `no_choices`, `empty_200`.
The way: `hang` (until the client goes), `drop` (closed without an answer), `cut` (closed in the middle of one), `slow`
(`seconds`), and any status as digits (`"503"`), with `headers`, `message`, `code`, `text` (a body that is not JSON).
A 429 with `form`: `delta`, `http_date`, `ms`, `timestamp_requests`, `timestamp_tokens`, `reset_requests`, `garbage`,
and `seconds`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

import orjson
from aiohttp import web

Json = Any


@dataclass(frozen=True)
class Fault:
    """One entry of a script."""

    name: str
    options: Mapping[str, Json] = field(default_factory=dict)


def parse_script(entries: Iterable[str | Mapping[str, Json]], also: Collection[str] = ()) -> list[Fault]:
    """Names, or objects with `fault`, `repeat` and options; `also` holds the names of another server's faults.

    Raises:
        ValueError: a fault has no such name, so that a misspelt script does not pass as a good server.
    """
    faults: list[Fault] = []
    for entry in entries:
        given = {"fault": entry} if isinstance(entry, str) else dict(entry)
        name = str(given.pop("fault"))
        if name not in {*ANSWER_FAULTS, *WAY_FAULTS, *also} and not name.isdigit():
            raise ValueError(f"no fault {name!r}")
        faults.extend([Fault(name, given)] * int(given.pop("repeat", 1)))
    return faults


def error_body(code: str | None, message: str) -> dict[str, Json]:
    """The vendor's error body."""
    return {"error": {"message": message, "type": "invalid_request_error", "code": code}}


async def answer_faultily(
    fault: Fault, request: web.Request, answer: dict[str, Json], headers: dict[str, str]
) -> web.StreamResponse:
    """The answer as the fault leaves it; `ok` leaves it whole."""
    if fault.name.isdigit():
        return _status(fault, headers)
    if fault.name in WAY_FAULTS:
        return await WAY_FAULTS[fault.name](fault, request, answer, headers)
    body = ANSWER_FAULTS[fault.name](answer)
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    return web.Response(body=content, content_type="application/json", headers=headers)


def _status(fault: Fault, headers: dict[str, str]) -> web.Response:
    status, options = int(fault.name), fault.options
    headers = {**headers, **options.get("headers", {})}
    if "form" in options:
        headers = {**_without_resets(headers), **retry_headers(options["form"], float(options.get("seconds", 1)))}
    if "text" in options:
        return web.Response(status=status, text=options["text"], content_type="text/html", headers=headers)
    body = error_body(options.get("code"), options.get("message", f"stub error {status}"))
    return web.json_response(body, status=status, headers=headers)


def _without_resets(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if "-Reset-" not in name}


def retry_headers(form: str, seconds: float) -> dict[str, str]:
    """One way to say `in that many seconds`."""
    when = time.time() + seconds
    forms = {
        "delta": {"Retry-After": f"{seconds:g}"},
        "http_date": {"Retry-After": formatdate(when, usegmt=True)},
        "ms": {"retry-after-ms": f"{seconds * 1000:g}"},
        "timestamp_requests": {"X-Upstage-RateLimit-Retry-After-Requests": str(int(when))},
        "timestamp_tokens": {"X-Upstage-RateLimit-Retry-After-Tokens": str(int(when))},
        "reset_requests": {
            "X-Upstage-RateLimit-Remaining-Requests": "0",
            "X-Upstage-RateLimit-Reset-Requests": str(int(when)),
        },
        "garbage": {"Retry-After": "soon"},
    }
    return forms[form]


async def _hang(_fault: Fault, _request: web.Request, _answer: Json, _headers: Json) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


async def _drop(_fault: Fault, request: web.Request, _answer: Json, _headers: Json) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.close()
    return web.Response(status=200)


async def _cut(_fault: Fault, request: web.Request, answer: Json, headers: dict[str, str]) -> web.StreamResponse:
    body = orjson.dumps(answer)
    response = web.StreamResponse(
        headers={**headers, "Content-Type": "application/json", "Content-Length": str(len(body))}
    )
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    assert request.transport is not None
    request.transport.close()
    return response


async def _slow(fault: Fault, _request: web.Request, answer: Json, headers: dict[str, str]) -> web.StreamResponse:
    await asyncio.sleep(float(fault.options.get("seconds", 1)))
    return web.Response(body=orjson.dumps(answer), content_type="application/json", headers=headers)


WAY_FAULTS = {"hang": _hang, "drop": _drop, "cut": _cut, "slow": _slow}


def _each_choice(change: Callable[[dict[str, Json]], None]) -> Callable[[dict[str, Json]], Json]:
    def apply(answer: dict[str, Json]) -> Json:
        for choice in answer["choices"]:
            change(choice)
        return answer

    return apply


def _each_content(change: Callable[[str], str | None]) -> Callable[[dict[str, Json]], Json]:
    def apply(choice: dict[str, Json]) -> None:
        choice["message"]["content"] = change(choice["message"]["content"])

    return _each_choice(apply)


def _each_arguments(change: Callable[[Json], Json]) -> Callable[[dict[str, Json]], Json]:
    """Changes the decoded arguments of `additional_values`; a text or object comes back as it is to be sent."""

    def apply(choice: dict[str, Json]) -> None:
        for call in choice["message"].get("tool_calls", ()):
            call["function"]["arguments"] = change(orjson.loads(call["function"]["arguments"]))

    return _each_choice(apply)


def _finish(reason: str | None) -> Callable[[dict[str, Json]], Json]:
    def apply(choice: dict[str, Json]) -> None:
        choice["finish_reason"] = reason

    return _each_choice(apply)


def _length(choice: dict[str, Json]) -> None:
    choice["finish_reason"] = "length"
    content = choice["message"]["content"]
    choice["message"] = {"content": content[: len(content) * 2 // 3], "role": "assistant"}


def _filtered(choice: dict[str, Json]) -> None:
    choice["finish_reason"] = "content_filter"
    choice["message"] = {"content": "", "role": "assistant"}


def _wrong_types(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _wrong_types(child) for name, child in value.items()}
    if isinstance(value, list):
        return [_wrong_types(child) for child in value]
    return value if isinstance(value, bool) else f"{value:,}" if isinstance(value, (int, float)) else [value]


def _every_second_leaf(arguments: Json) -> str:
    kept = {name: node for index, (name, node) in enumerate(arguments.items()) if index % 2 == 0}
    return orjson.dumps(kept).decode()


def _on_leaves(change: Mapping[str, Json]) -> Callable[[Json], str]:
    def walk(node: Json) -> Json:
        if isinstance(node, list):
            return [walk(child) for child in node]
        if "_value" in node:
            return {**node, **{name: value for name, value in change.items() if name in node}}
        return {name: walk(child) for name, child in node.items()}

    return lambda arguments: orjson.dumps(walk(arguments)).decode()


def _bare(answer: dict[str, Json]) -> Json:
    for choice in answer["choices"]:
        choice.update({"index": None, "logprobs": None})
        choice["message"] = {"function_call": None, "tool_calls": None, **choice["message"]}
    return {**answer, "object": None, "system_fingerprint": None}


def _without_tools(choice: dict[str, Json]) -> None:
    choice["message"].pop("tool_calls", None)


ANSWER_FAULTS: dict[str, Callable[[dict[str, Json]], Json]] = {
    "ok": lambda answer: answer,
    "length": _each_choice(_length),
    "content_filter": _each_choice(_filtered),
    "unknown_finish_reason": _finish("recitation"),
    "null_finish_reason": _finish(None),
    "fences": _each_content(lambda text: f"```json\n{text}\n```"),
    "prose": _each_content(lambda text: f"Here is the record:\n{text}\nAnything else? [1]"),
    "empty_content": _each_content(lambda _: ""),
    "null_content": _each_content(lambda _: None),
    "wrong_types": _each_content(lambda text: orjson.dumps(_wrong_types(orjson.loads(text))).decode()),
    "extra_keys": _each_content(lambda text: orjson.dumps({**orjson.loads(text), "not_asked_for": 1}).decode()),
    "missing_leaves": _each_arguments(_every_second_leaf),
    "arguments_object": _each_arguments(lambda arguments: arguments),
    "arguments_broken": _each_arguments(lambda arguments: orjson.dumps(arguments).decode()[:-2]),
    "page_minus_one": _each_arguments(_on_leaves({"page": -1, "coordinates": [], "word_coordinates": []})),
    "page_beyond": _each_arguments(_on_leaves({"page": 9999})),
    "no_tool_calls": _each_choice(_without_tools),
    "bare_choice": _bare,
    "no_choices": lambda answer: {**answer, "choices": []},
    "not_a_completion": lambda _: {"result": "done"},
    "error_in_200": lambda _: error_body("upstream_error", "the service behind is not well"),
    "non_json_200": lambda _: b"<html><body>Gateway</body></html>",
    "empty_200": lambda _: b"",
}
