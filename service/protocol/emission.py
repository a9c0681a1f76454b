"""What each path of the server writes: one table of keys, one of substitutes for null, and what follows from them.

`docs/wire.md` shows the same tables; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, cast

from pydantic import JsonValue

from service.protocol.additional_values import LeafKeys
from service.protocol.chunk import CompletionChunk
from service.protocol.completion import ChatCompletion
from service.protocol.request import ExtractionOptions


class WirePath(StrEnum):
    """The places where an answer leaves the service."""

    BARE = "bare"
    """`POST /v1/information-extraction`: the vendor's documented nulls."""
    CHAT = "chat"
    """`POST /v1/information-extraction/chat/completions`: OpenAI's required keys."""
    STREAM = "stream"
    """Either of them with `stream: true`: chunks."""
    ASYNC = "async"
    """`result` of a batch in `GET /v1/information-extraction/jobs/{job_id}?with_result=true`."""
    STORED = "stored"
    """`GET /api/v1/jobs/{id}/completion`: everything that is known."""


class Presence(StrEnum):
    """Whether a key is written."""

    ALWAYS = "always"
    """Written; null when nothing is known."""
    NULL = "null"
    """Written as null, whatever is known."""
    ASKED = "when asked"
    """Written when the answer holds it: it was asked for, or it is known."""
    NEVER = "never"


_SYMBOLS = {"A": Presence.ALWAYS, "0": Presence.NULL, "?": Presence.ASKED, "-": Presence.NEVER}


def _row(cells: str) -> Mapping[WirePath, Presence]:
    return {path: _SYMBOLS[symbol] for path, symbol in zip(WirePath, cells, strict=True)}


ANY_OTHER = "(any other key)"

KEYS: Mapping[str, Mapping[WirePath, Presence]] = {
    key: _row(cells)
    # A: always, 0: null, ?: when asked, -: never; columns in the order of `WirePath`, rows in the order of writing
    for key, cells in {
        "id": "AAAAA",
        "choices": "AAAAA",
        "choices[].finish_reason": "AAAAA",
        "choices[].index": "0AAAA",
        "choices[].logprobs": "0AA-?",
        "choices[].message": "AA-AA",
        "choices[].message.content": "AA-AA",
        "choices[].message.reasoning_content": "----?",
        "choices[].message.refusal": "-A--A",
        "choices[].message.role": "AA-AA",
        "choices[].message.name": "----?",
        "choices[].message.tool_call_id": "----?",
        "choices[].message.function_call": "0---?",
        "choices[].message.tool_calls": "A?-??",
        "choices[].message.tool_calls[].id": "-A--A",
        "choices[].message.tool_calls[].type": "AA-AA",
        "choices[].message.tool_calls[].function": "AA-AA",
        "choices[].message.tool_calls[].function.name": "AA-AA",
        "choices[].message.tool_calls[].function.arguments": "AA-AA",
        "choices[].delta": "--A--",
        "choices[].delta.role": "--?--",
        "choices[].delta.content": "--?--",
        "choices[].delta.refusal": "--?--",
        "choices[].delta.tool_calls": "--?--",
        "choices[].delta.tool_calls[].index": "--A--",
        "choices[].delta.tool_calls[].id": "--A--",
        "choices[].delta.tool_calls[].type": "--A--",
        "choices[].delta.tool_calls[].function": "--A--",
        "choices[].delta.tool_calls[].function.name": "--A--",
        "choices[].delta.tool_calls[].function.arguments": "--A--",
        "choices[].confidence_score": "?????",
        "choices[].page_ranges": "?????",
        "created": "AAAAA",
        "model": "AAAAA",
        "object": "0AA-A",
        "service_tier": "----?",
        "system_fingerprint": "0---?",
        "usage": "A??AA",
        "usage.completion_tokens": "AAAAA",
        "usage.prompt_tokens": "AAAAA",
        "usage.total_tokens": "AAAAA",
        "usage.completion_tokens_details": "0??-?",
        "usage.prompt_tokens_details": "0??-?",
        ANY_OTHER: "----?",
    }.items()
}

LEAF_KEYS: Mapping[str, Mapping[WirePath, Presence]] = {
    key: _row(cells)
    for key, cells in {
        "_value": "AAAAA",
        "confidence": "????A",
        "page": "????A",
        "coordinates": "????A",
        "word_coordinates": "????A",
        "raw": "?????",
        "verdict": "?????",
        "probability": "?????",
        ANY_OTHER: "----?",
    }.items()
}

JsonType = Literal["string", "number", "integer", "boolean", "array", "object"]

_VENDOR_SUBSTITUTES: Mapping[JsonType, JsonValue] = {
    "string": "",
    "number": 0,
    "integer": 0,
    "boolean": False,
    "array": [],
    "object": None,
}
SUBSTITUTES: Mapping[JsonType, Mapping[WirePath, JsonValue]] = {
    json_type: {path: None if path is WirePath.STORED else substitute for path in WirePath}
    for json_type, substitute in _VENDOR_SUBSTITUTES.items()
}
"""What stands in the answer for a field without a value, whatever its verdict."""


def wire_value(value: JsonValue, json_type: JsonType, path: WirePath) -> JsonValue:
    """A field's value as the path writes it: the value, or its type's substitute when it is null."""
    substitute = SUBSTITUTES[json_type][path]
    if value is not None:
        return value
    return [] if substitute == [] else substitute


def leaf_keys(path: WirePath, options: ExtractionOptions) -> LeafKeys | None:
    """The keys of the leaves of `additional_values`; None when there is to be no such call."""
    granularity = options.location_granularity or "element"
    full = bool(options.full) or path is WirePath.STORED
    asked = {
        "confidence": bool(options.confidence),
        "page": bool(options.location),
        "coordinates": bool(options.location) and granularity != "word",
        "word_coordinates": bool(options.location) and granularity != "element",
    }

    def has(key: str) -> bool:
        presence = LEAF_KEYS[key][path]
        return presence is Presence.ALWAYS or (presence is Presence.ASKED and (full or asked.get(key, False)))

    keys = LeafKeys(
        confidence=has("confidence"),
        page=has("page"),
        coordinates=has("coordinates"),
        word_coordinates=has("word_coordinates"),
        own=has("raw"),
    )
    return keys if keys.confidence or keys.page else None


def emit(completion: ChatCompletion, path: WirePath) -> dict[str, JsonValue]:
    """The completion as the path writes it, ready for JSON.

    What is required and missing is filled: `object`, the position as `index`, and an `id` for each tool call, the same
    whenever the same completion is written.

    Raises:
        ValueError: the path writes chunks.
    """
    if path is WirePath.STREAM:
        raise ValueError("a stream is written chunk by chunk: see completion_chunks and emit_chunk")
    named = completion.with_call_ids()
    plain = cast("dict[str, JsonValue]", named.model_dump(by_alias=True)) | {"object": "chat.completion"}
    choices = cast("list[dict[str, JsonValue]]", plain["choices"])
    for position, (choice, model) in enumerate(zip(choices, named.choices, strict=True)):
        if model.index is None:
            choice["index"] = position
        message = cast("dict[str, JsonValue]", choice["message"])
        if model.message.content is not None and path is not WirePath.STORED:
            message["content"] = model.message.text()
        message["tool_calls"] = message["tool_calls"] or None
    return _written(plain, "", path)


def emit_chunk(chunk: CompletionChunk) -> dict[str, JsonValue]:
    """One chunk of a stream as it is written, ready for JSON."""
    written = _written(cast("dict[str, JsonValue]", chunk.model_dump(by_alias=True)), "", WirePath.STREAM)
    if "usage" in chunk.model_fields_set:  # asked for, so every chunk has the key
        written.setdefault("usage", None)
    return written


def _written(plain: Mapping[str, JsonValue], prefix: str, path: WirePath) -> dict[str, JsonValue]:
    """One object with the keys that the table gives it, in the table's order."""
    written: dict[str, JsonValue] = {}
    known = {row.removeprefix(prefix): row for row in KEYS if row.startswith(prefix) and row != ANY_OTHER}
    for key, row in known.items():
        if "." in key:
            continue
        presence, value = KEYS[row][path], plain.get(key)
        if presence is Presence.NULL:
            written[key] = None
        elif presence is Presence.ALWAYS or (presence is Presence.ASKED and value is not None):
            written[key] = _written_value(value, row, path)
    if KEYS[ANY_OTHER][path] is Presence.ASKED:
        written |= {key: value for key, value in plain.items() if key not in known and value is not None}
    return written


def _written_value(value: JsonValue, row: str, path: WirePath) -> JsonValue:
    if isinstance(value, dict) and any(key.startswith(f"{row}.") for key in KEYS):
        return _written(value, f"{row}.", path)
    if isinstance(value, list) and any(key.startswith(f"{row}[].") for key in KEYS):
        return [_written(item, f"{row}[].", path) if isinstance(item, dict) else item for item in value]
    return value
