"""A server in the shapes of OpenAI and of those that speak its protocol; it keeps OpenAI's rules, and fails on demand.

`with OpenAiStub() as stub: … stub.base_url … stub.script("stream_cut", "ok") … stub.stats()`; control, counts, answers
and the faults of the way and of the answer are those of `model_stub`. Served: `/v1/chat/completions` with
`Authorization: Bearer`, and Azure's `/openai/deployments/{name}/chat/completions?api-version=` with `api-key`.

What it refuses as the real one does: a strict schema that breaks a rule, `max_tokens` or a temperature with a reasoning
model (`gpt-5…`), content parts of unknown types, a stream's options without a stream.

Faults of its own. The answer: `content` (`text`, `finish`), `thoughts` (with `reasoning_content` and keys nobody
knows), `in_content` (the tool call's arguments as text), `refusal`, `finish` (`reason`). The request: `context_length`
(`form`: `openai`, `llama_cpp`, `vllm`), `filtered` (Azure's 400), `no_quota`. The stream: `stream_cut`,
`stream_no_done`, `stream_error` (`code`), `stream_junk`, `stream_loop` (`text`, over and over until the client goes),
`stream_drip` (never the same, never an end), `not_streamed`.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from itertools import count
from typing import Any

import orjson
from aiohttp import web
from PIL import Image, UnidentifiedImageError

from tests.fakes.model_stub import ModelStub, StubServer, summary
from tests.fakes.model_stub_answers import answer_values
from tests.fakes.model_stub_faults import ANSWER_FAULTS, Fault, answer_faultily, parse_script
from tests.fakes.strict_rules import strict_fault

Json = Any
GOOD_KEY = "sk-test-0123456789"
ANSWER_FAULTS_HERE = {"content", "thoughts", "in_content", "refusal", "finish"}
REQUEST_FAULTS = {"context_length", "filtered", "no_quota"}
STREAM_FAULTS = {
    "stream_cut",
    "stream_no_done",
    "stream_error",
    "stream_junk",
    "stream_loop",
    "stream_drip",
    "not_streamed",
}
_PIECE_CHARS = 7


class OpenAiServer(StubServer):
    """The routes of OpenAI and of Azure beside the stub's own."""

    def __init__(self, latency_s: float) -> None:
        super().__init__(latency_s)
        router = self.runner.app.router
        router.add_post("/v1/chat/completions", self.extract)
        router.add_post("/openai/deployments/{deployment}/chat/completions", self.extract)

    async def take_script(self, request: web.Request) -> web.Response:
        """Append to the script."""
        known = ANSWER_FAULTS_HERE | REQUEST_FAULTS | STREAM_FAULTS
        self.state.script.extend(parse_script(await request.json(), known))
        return web.json_response({"script_left": len(self.state.script)})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        state = self.state
        raw = await request.content.read()
        state.bytes_in += len(raw)
        body = orjson.loads(raw)
        state.seen.append({**summary(request, body), "query": dict(request.query), "pictures": _pictures(body)})
        fault = state.script.popleft() if state.script else Fault("ok")
        refused = _refusal(request, body) or _scripted_refusal(fault)
        if refused is not None:
            status, code, message = refused
            return web.json_response(_error(code, message), status=status)
        await asyncio.sleep(state.latency_s)
        answer = _completion(body, state.answers[0], fault)
        if body.get("stream") and fault.name != "not_streamed" and not fault.name.isdigit():
            return await _stream(request, body, answer, fault)
        known = fault.name in ANSWER_FAULTS_HERE | STREAM_FAULTS
        return await answer_faultily(Fault("ok") if known else fault, request, answer, {"x-request-id": "req_stub"})


class OpenAiStub(ModelStub):
    """The server on a thread of this process."""

    server_class = OpenAiServer


def _error(code: str | None, message: str) -> dict[str, Json]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def _refusal(request: web.Request, body: Json) -> tuple[int, str | None, str] | None:
    """Status, code and message for what the real servers refuse."""
    azure = request.path.startswith("/openai/")
    key = request.headers.get("api-key") if azure else request.headers.get("authorization", "").removeprefix("Bearer ")
    if key != GOOD_KEY:
        return 401, "invalid_api_key", f"Incorrect API key provided: {key}"
    if azure and "api-version" not in request.query:
        return 404, None, "Resource not found"
    if str(body["model"]).startswith("gpt-5"):
        for name in ("max_tokens", "temperature"):
            if name in body:
                return 400, "unsupported_parameter", f"Unsupported parameter: {name!r} is not supported with this model"
    if "stream_options" in body and not body.get("stream"):
        return 400, None, "The 'stream_options' parameter is only allowed when 'stream' is enabled"
    return _content_refusal(body) or _schema_refusal(body)


def _content_refusal(body: Json) -> tuple[int, str | None, str] | None:
    for message in body["messages"]:
        for part in _parts(message):
            url = part.get("image_url", {}).get("url", "")
            if part["type"] == "image_url" and not re.match(r"data:image/(jpeg|png|webp|gif);base64,", url):
                return 400, "invalid_image_url", "Invalid image data URL"
            if part["type"] not in ("text", "image_url"):
                return 400, None, f"Invalid value: {part['type']!r}"
    return None


def _pictures(body: Json) -> list[dict[str, Json]]:
    """Format, mode and size of every picture that is one."""
    found: list[dict[str, Json]] = []
    for part in (part for message in body["messages"] for part in _parts(message)):
        if part["type"] == "image_url":
            data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
            with suppress(UnidentifiedImageError), Image.open(io.BytesIO(data)) as picture:
                found.append({"format": picture.format, "mode": picture.mode, "size": picture.size})
    return found


def _parts(message: Json) -> list[Json]:
    return message["content"] if isinstance(message["content"], list) else []


def _schema_refusal(body: Json) -> tuple[int, str | None, str] | None:
    named = (body.get("response_format") or {}).get("json_schema")
    if named is None or not named.get("strict"):
        return None
    fault = strict_fault(named.get("schema"))
    return None if fault is None else (400, None, f"Invalid schema for response_format {named['name']!r}: {fault}.")


def _scripted_refusal(fault: Fault) -> tuple[int, str | None, str] | None:
    if fault.name == "filtered":
        return (
            400,
            "content_filter",
            "The response was filtered due to the prompt triggering a content management policy",
        )
    if fault.name == "no_quota":
        return 429, "insufficient_quota", "You exceeded your current quota, please check your plan"
    if fault.name != "context_length":
        return None
    forms = {
        "openai": (400, "context_length_exceeded", "Your messages resulted in 140000 tokens."),
        "vllm": (400, "400", "This model's maximum context length is 8192 tokens. However, you requested 9000."),
        "llama_cpp": (400, "400", "the request exceeds the available context size. try increasing the context size"),
    }
    return forms[fault.options.get("form", "openai")]


def _completion(body: Json, given: Mapping[str, Json], fault: Fault) -> dict[str, Json]:
    """The answer in the form that was asked for: content, or a call of the function that was named."""
    text = fault.options.get("text") if fault.name == "content" else None
    text = json.dumps(answer_values(_plain(_wanted_schema(body)), given)) if text is None else text
    message: dict[str, Json] = {"role": "assistant", "content": text, "refusal": None}
    reason = fault.options.get("finish", "stop")
    if body.get("tools") and fault.name not in ("content", "in_content"):
        function = {"name": body["tool_choice"]["function"]["name"], "arguments": text}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    if fault.name == "thoughts":
        message |= {"reasoning_content": '{"number": "from the thoughts"} hm', "mood": ["calm"], "annotations": []}
    if fault.name == "refusal":
        message |= {"content": None, "refusal": "I cannot help with that."}
    if fault.name == "finish":
        reason = fault.options["reason"]
    logprobs = {"content": [{"token": "{", "logprob": -0.1, "bytes": None, "top_logprobs": []}], "refusal": None}
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": reason,
                "logprobs": logprobs if body.get("logprobs") else None,
                **({"content_filter_results": {}, "native_finish_reason": "x"} if fault.name == "thoughts" else {}),
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "cost": 0.1},
        "timings": {"predicted_ms": 1.0},
    }


def _wanted_schema(body: Json) -> Json:
    if body.get("response_format"):
        return body["response_format"]["json_schema"]["schema"]
    if body.get("tools"):
        return body["tools"][0]["function"]["parameters"]
    said = [part for message in body["messages"] for part in _texts(message["content"])]
    found = next(text for text in reversed(said) if "JSON Schema" in text and '{"type"' in text)
    return json.JSONDecoder().raw_decode(found, found.index('{"type"'))[0]


def _texts(content: Json) -> list[str]:
    return [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]


def _plain(node: Json) -> Json:
    """The schema with one type a node, as the values are made from."""
    plain = dict(node)
    if isinstance(plain.get("type"), list):
        plain["type"] = plain["type"][0]
    if "properties" in plain:
        plain["properties"] = {name: _plain(child) for name, child in plain["properties"].items()}
    if "items" in plain:
        plain["items"] = _plain(plain["items"])
    return plain


async def _stream(request: web.Request, body: Json, answer: Json, fault: Fault) -> web.StreamResponse:
    if fault.name in ANSWER_FAULTS:
        changed = ANSWER_FAULTS[fault.name](answer)
        answer = changed if isinstance(changed, dict) and "choices" in changed else answer
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    async for event in _events(answer, body, fault):
        await response.write(event)
        if fault.name == "stream_cut" and b'"content":"' in event:
            assert request.transport is not None
            request.transport.close()
            break
    return response


async def _events(answer: Json, body: Json, fault: Fault) -> AsyncIterator[bytes]:
    def event(delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _event({**_head(answer), "choices": [choice], **({"usage": None} if wants_usage else {})})

    wants_usage = bool((body.get("stream_options") or {}).get("include_usage"))
    choice = answer["choices"][0]
    yield b": a comment that keeps the connection open\n\n"
    yield event({"role": "assistant", "content": ""})
    if fault.name in ("stream_loop", "stream_drip"):
        for number in count():
            yield event({"content": fault.options.get("text", "... ") if fault.name == "stream_loop" else f"{number} "})
            await asyncio.sleep(0 if fault.name == "stream_loop" else 0.02)
    for delta in _deltas(choice["message"]):
        yield event(delta)
        if fault.name == "stream_error":
            code = fault.options.get("code", "server_error")
            yield _event({"error": {"message": "The server had an error", "type": "server_error", "code": code}})
            return
        if fault.name == "stream_junk":
            yield b"data: <html>\n\n"
    yield event({}, choice["finish_reason"])
    if wants_usage:
        yield _event({**_head(answer), "choices": [], "usage": answer["usage"]})
    if fault.name != "stream_no_done":
        yield b"data: [DONE]\n\n"


def _head(answer: Json) -> dict[str, Json]:
    return {key: answer[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}


def _event(data: Json) -> bytes:
    return b"data: " + orjson.dumps(data) + b"\n\n"


def _deltas(message: Json) -> Iterator[Json]:
    for key in ("reasoning_content", "content", "refusal"):
        text = message.get(key) or ""
        for start in range(0, len(text), _PIECE_CHARS):
            yield {key: text[start : start + _PIECE_CHARS]}
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        first = {
            "index": index,
            "id": call["id"],
            "type": "function",
            "function": {"name": function["name"], "arguments": ""},
        }
        yield {"tool_calls": [first]}
        for start in range(0, len(function["arguments"]), _PIECE_CHARS):
            piece = function["arguments"][start : start + _PIECE_CHARS]
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
