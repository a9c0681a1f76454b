"""What the stub answers when nothing goes wrong: Upstage's live shape, made from the request's own schema."""

from __future__ import annotations

import random
import string
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

Json = Any
DATED_MODEL = "information-extract-260904"
WRONG_KEY = "up_wrong"
NO_CREDIT_KEY = "up_no_credit"
_ROWS = 2
_IDS = random.Random(0)


def default_value(name: str, node: Mapping[str, Json]) -> Json:
    """The constant that stands for a field of that name and type."""
    number = zlib.crc32(name.encode()) % 997 + 1
    kind = node.get("type", "string")
    if node.get("enum"):
        return node["enum"][0]
    if kind == "number":
        return number + 0.25
    if kind == "integer":
        return number
    if kind == "boolean":
        return number % 2 == 0
    return f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}" if node.get("format") == "date" else f"{name} {number}"


def answer_values(schema: Mapping[str, Json], given: Mapping[str, Json]) -> dict[str, Json]:
    """Every property of an object: as given by its name, else a constant; arrays get two rows."""
    return {name: _value(name, node, given) for name, node in schema.get("properties", {}).items()}


def _value(name: str, node: Mapping[str, Json], given: Mapping[str, Json]) -> Json:
    if name in given:
        return given[name]
    if node.get("type") == "array":
        items = node.get("items", {})
        return [_value(name, {**items, "type": items.get("type", "string")}, {}) for _ in range(_ROWS)]
    if node.get("type") == "object":
        return answer_values(node, given)
    return default_value(name, node)


def mirror(value: Json, body: Mapping[str, Json], count: Iterator[int]) -> Json:
    """`additional_values` of an answer: each scalar becomes a leaf with the keys that were asked for."""
    if isinstance(value, dict):
        return {name: mirror(child, body, count) for name, child in value.items()}
    if isinstance(value, list):
        return [mirror(child, body, count) for child in value]
    leaf: dict[str, Json] = {"_value": value}
    missing = value in ("", None)
    if body.get("confidence"):
        leaf["confidence"] = "low" if missing else "high"
    if body.get("location"):
        top = 0.05 + 0.02 * (next(count) % 45)
        box = [] if missing else _box(0.1, top, 0.4, top + 0.015)
        leaf["page"] = -1 if missing else 1
        granularity = body.get("location_granularity", "element")
        if granularity in ("element", "all"):
            leaf["coordinates"] = box
        if granularity in ("word", "all"):
            leaf["word_coordinates"] = [box] if box else []
    return leaf


def _box(x0: float, y0: float, x1: float, y1: float) -> list[dict[str, float]]:
    corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    return [{"x": round(x, 4), "y": round(y, 4)} for x, y in corners]


def completion(body: Mapping[str, Json], answers: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """The whole answer, with the keys and the order of keys that the live service has."""
    schema = body["response_format"]["json_schema"]["schema"]
    wanted = answers if body.get("split") or body.get("doc_split") else answers[:1]
    choices = [_choice(index, answer_values(schema, given), body) for index, given in enumerate(wanted)]
    prompt = 900 + len(orjson.dumps(schema)) // 4
    written = sum(len(choice["message"]["content"]) for choice in choices) // 4
    return {
        "id": "iex-" + "".join(_IDS.choices(string.ascii_letters + string.digits, k=16)),
        "choices": choices,
        "created": 1_790_000_000,
        "model": DATED_MODEL,
        "object": "chat.completion",
        "usage": {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written},
    }


def _choice(index: int, values: dict[str, Json], body: Mapping[str, Json]) -> dict[str, Json]:
    message: dict[str, Json] = {"content": orjson.dumps(values).decode(), "role": "assistant"}
    if body.get("location") or body.get("confidence"):
        arguments = orjson.dumps(mirror(values, body, iter(range(1_000_000)))).decode()
        message["tool_calls"] = [
            {"type": "function", "function": {"name": "additional_values", "arguments": arguments}}
        ]
    return {"finish_reason": "stop", "index": index, "message": message}


def refusal_of(body: Json, authorization: str) -> tuple[int, str, str] | None:
    """Status, code and message for a request that the live service would refuse; None for a good one."""
    key = authorization.removeprefix("Bearer ")
    if not key or key in (authorization, WRONG_KEY):
        return 401, "invalid_api_key", "Invalid API key"
    if key == NO_CREDIT_KEY:
        return 403, "insufficient_credit", "No credit is left"
    schema = (((body.get("response_format") or {}).get("json_schema")) or {}).get("schema")
    if not isinstance(schema, dict):
        return 400, "invalid_request_body", "response_format is required"
    fault = _schema_fault(schema)
    return None if fault is None else (400, "invalid_request_body", f"Invalid Schema: {fault}")


def _schema_fault(schema: Mapping[str, Json]) -> str | None:
    fields = list(schema.get("properties", {}).values())
    rows = [f["items"] for f in fields if f.get("type") == "array" and isinstance(f.get("items"), dict)]
    inner = [child for row in rows for child in row.get("properties", {}).values()]
    if any(f.get("type") == "object" for f in (*fields, *inner)):
        return "The type of properties of object cannot be 'object'"
    if any(row.get("type") == "array" for row in rows):
        return "The items of array cannot be 'array'"
    if len(fields) + len(inner) > 100:
        return "At most 100 properties"
    return None
