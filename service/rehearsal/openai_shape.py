"""OpenAI's shape, and Azure's: what is refused, and a whole answer in the form that was asked for.

Source: https://developers.openai.com/api/reference (chat completions) and its guide on structured outputs, as told by
public mirrors, read 2026-11-30.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from service.rehearsal.json_values import JsonObject, as_list, as_object, as_text, objects_in, write_json
from service.rehearsal.refusals import Refusal, refused_key
from service.rehearsal.script import Fault
from service.rehearsal.strict_rules import strict_fault
from service.rehearsal.upstage_shape import CREATED
from service.rehearsal.values import Source, answer_values

_PICTURE = re.compile(r"data:image/(jpeg|png|webp|gif);base64,")
_TOKEN_CHARS, _TOKEN_LOGPROB = 4, -0.001
"""The tokens of an answer whose probabilities are asked for: all alike, and sure."""
_TOO_LONG: Mapping[str, Refusal] = {
    "openai": Refusal(400, "context_length_exceeded", "Your messages resulted in 140000 tokens."),
    "vllm": Refusal(400, "400", "This model's maximum context length is 8192 tokens. However, you requested 9000."),
    "llama_cpp": Refusal(400, "400", "the request exceeds the available context size. try increasing the context size"),
}


def refusal_of(body: JsonObject, key: str) -> Refusal | None:
    """What OpenAI refuses: a bad key, another model's parameters, odd parts, a strict schema that breaks a rule."""
    if refused := refused_key(key):
        return refused
    if as_text(body.get("model")).startswith("gpt-5"):
        for name in ("max_tokens", "temperature"):
            if name in body:
                message = f"Unsupported parameter: {name!r} is not supported with this model"
                return Refusal(400, "unsupported_parameter", message)
    if "stream_options" in body and not body.get("stream"):
        return Refusal(400, None, "The 'stream_options' parameter is only allowed when 'stream' is enabled")
    return _content_refusal(body) or _schema_refusal(body)


def _content_refusal(body: JsonObject) -> Refusal | None:
    for part in parts_of(body):
        kind, url = part.get("type"), as_text(as_object(part.get("image_url")).get("url"))
        if kind == "image_url" and not _PICTURE.match(url):
            return Refusal(400, "invalid_image_url", "Invalid image data URL")
        if kind not in ("text", "image_url"):
            return Refusal(400, None, f"Invalid value: {kind!r}")
    return None


def _schema_refusal(body: JsonObject) -> Refusal | None:
    named = as_object(as_object(body.get("response_format")).get("json_schema"))
    if not named.get("strict"):
        return None
    fault = strict_fault(named.get("schema"))
    message = f"Invalid schema for response_format {named.get('name')!r}: {fault}."
    return None if fault is None else Refusal(400, None, message)


def scripted_refusal(fault: Fault) -> Refusal | None:
    """A refusal that the script asks for."""
    if fault.name == "filtered":
        message = "The response was filtered due to the prompt triggering a content management policy"
        return Refusal(400, "content_filter", message)
    if fault.name == "no_quota":
        return Refusal(429, "insufficient_quota", "You exceeded your current quota, please check your plan")
    form = as_text(fault.options.get("form")) or "openai"
    return _TOO_LONG[form] if fault.name == "context_length" else None


def parts_of(body: JsonObject) -> Iterator[JsonObject]:
    """The parts of all messages whose content is a list."""
    for message in objects_in(body.get("messages")):
        yield from objects_in(message.get("content"))


def texts_of(body: JsonObject) -> Iterator[str]:
    """Everything that is said in words, in order."""
    for message in objects_in(body.get("messages")):
        content = message.get("content")
        yield from [as_text(content)] if isinstance(content, str) else map(_text_of, objects_in(content))


def _text_of(part: JsonObject) -> str:
    return as_text(part.get("text"))


def wanted_schema(body: JsonObject) -> JsonObject:
    """The schema of the answer's form, of the tool, or that stands in the words of the request."""
    if form := as_object(body.get("response_format")):
        return as_object(as_object(form.get("json_schema")).get("schema"))
    for tool in objects_in(body.get("tools")):
        return as_object(as_object(tool.get("function")).get("parameters"))
    for text in reversed(list(texts_of(body))):
        if "JSON Schema" in text and (at := text.find('{"type"')) >= 0:
            found: JsonValue = json.JSONDecoder().raw_decode(text, at)[0]
            return as_object(found)
    return {}


def completion(body: JsonObject, source: Source) -> JsonObject:
    """The whole answer: the record as content, or as the arguments of the function that was named."""
    text = "\n".join(texts_of(body)) if source.patterns else ""
    record = write_json(answer_values(wanted_schema(body), source.planted[0], source.patterns, text)).decode()
    message: JsonObject = {"role": "assistant", "content": record, "refusal": None}
    if as_list(body.get("tools")):
        named = as_object(as_object(body.get("tool_choice")).get("function")).get("name")
        function: JsonObject = {"name": named, "arguments": record}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    parts = [record[at : at + _TOKEN_CHARS] for at in range(0, len(record), _TOKEN_CHARS)]
    tokens: JsonValue = [{"token": p, "logprob": _TOKEN_LOGPROB, "bytes": None, "top_logprobs": []} for p in parts]
    logprobs: JsonValue = {"content": tokens, "refusal": None} if body.get("logprobs") else None
    return {
        "id": "chatcmpl-rehearsal",
        "object": "chat.completion",
        "created": CREATED,
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": logprobs}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "cost": 0.1},
        "timings": {"predicted_ms": 1.0},
    }
