"""An answer as a stream of events.

Source: https://developers.openai.com/api/reference (chat completions, streaming), read 2026-11-30.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import count

from aiohttp import web
from pydantic import JsonValue

from service.rehearsal.json_values import JsonObject, as_object, as_text, objects_in, write_json
from service.rehearsal.script import Fault
from service.rehearsal.way_faults import close

_PIECE_CHARS = 7
_DRIP_S = 0.02


async def send_stream(request: web.Request, body: JsonObject, answer: JsonObject, fault: Fault) -> web.StreamResponse:
    """Send the answer piece by piece, as a fault of the kind `stream` leaves it."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    async for event in _events(body, answer, fault):
        await response.write(event)
        if fault.name == "stream_cut" and b'"content":"' in event:
            close(request)
            break
    return response


async def _events(body: JsonObject, answer: JsonObject, fault: Fault) -> AsyncIterator[bytes]:
    wants_usage = bool(as_object(body.get("stream_options")).get("include_usage"))
    head = {key: answer.get(key) for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def chunk(index: int, delta: JsonObject, reason: JsonValue = None) -> bytes:
        choice: JsonValue = {"index": index, "delta": delta, "finish_reason": reason, "logprobs": None}
        return _event({**head, "choices": [choice], **({"usage": None} if wants_usage else {})})

    yield b": a comment that keeps the connection open\n\n"
    for index, choice in enumerate(objects_in(answer.get("choices"))):
        yield chunk(index, {"role": "assistant", "content": ""})
        if fault.name in ("stream_loop", "stream_drip"):
            async for piece in _without_end(fault):
                yield chunk(index, {"content": piece})
        for delta in _deltas(as_object(choice.get("message"))):
            yield chunk(index, delta)
            if fault.name == "stream_error":
                yield _broken_off(as_text(fault.options.get("code")) or "server_error")
                return
            if fault.name == "stream_junk":
                yield b"data: <html>\n\n"
        yield chunk(index, {}, choice.get("finish_reason"))
    if wants_usage:
        yield _event({**head, "choices": [], "usage": answer.get("usage")})
    if fault.name != "stream_no_done":
        yield b"data: [DONE]\n\n"


async def _without_end(fault: Fault) -> AsyncIterator[str]:
    loops = fault.name == "stream_loop"
    for number in count():
        yield as_text(fault.options.get("text")) or "... " if loops else f"{number} "
        await asyncio.sleep(0 if loops else _DRIP_S)


def _event(data: JsonObject) -> bytes:
    return b"data: " + write_json(data) + b"\n\n"


def _broken_off(code: str) -> bytes:
    return _event({"error": {"message": "The server had an error", "type": "server_error", "code": code}})


def _deltas(message: JsonObject) -> Iterator[JsonObject]:
    for key in ("reasoning_content", "content", "refusal"):
        for piece in _pieces(as_text(message.get(key))):
            yield {key: piece}
    for index, call in enumerate(objects_in(message.get("tool_calls"))):
        function = as_object(call.get("function"))
        first: JsonObject = {"index": index, "type": "function"}
        first |= {"id": call.get("id"), "function": {"name": function.get("name"), "arguments": ""}}
        yield {"tool_calls": [first]}
        for piece in _pieces(as_text(function.get("arguments"))):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE_CHARS] for start in range(0, len(text), _PIECE_CHARS))
