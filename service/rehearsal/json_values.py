"""JSON values, looked into without trust: what is not of the wanted form counts as empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import orjson
from pydantic import JsonValue

JsonObject: TypeAlias = dict[str, JsonValue]


def as_object(value: JsonValue) -> JsonObject:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: JsonValue) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_number(value: JsonValue, otherwise: float) -> float:
    """The value if it is a number, else another one."""
    return float(value) if isinstance(value, (int, float)) else otherwise


def objects_in(value: JsonValue) -> Iterable[JsonObject]:
    """The objects of a list."""
    return (item for item in as_list(value) if isinstance(item, dict))


def read_json(text: str | bytes) -> JsonValue:
    """A JSON text.

    Raises:
        ValueError: it is none.
    """
    value: JsonValue = orjson.loads(text)
    return value


def write_json(value: JsonValue | Mapping[str, JsonValue]) -> bytes:
    """Compact JSON."""
    return orjson.dumps(value)
