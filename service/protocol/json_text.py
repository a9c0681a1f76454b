"""JSON as text: one way to write it compactly, one to read it."""

from __future__ import annotations

import json

import orjson
from pydantic import JsonValue
from pydantic_core import from_json


def encode_json(value: object) -> bytes:
    """Compact UTF-8 JSON of plain values; NaN and infinities become null.

    Whole numbers beyond 64 bits and unpaired surrogates, which occur in what callers send, are written too.
    """
    try:
        return orjson.dumps(value)
    except TypeError:  # slow and rare: what orjson refuses
        finite: object = json.loads(json.dumps(value), parse_constant=lambda _name: None)
        return json.dumps(finite, separators=(",", ":")).encode("ascii")


def canonical_json(value: object) -> bytes:
    """The same bytes for equal values, whatever the order of their keys: to make a digest of."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # slow and rare: whole numbers beyond 64 bits
        return json.dumps(value, separators=(",", ":"), sort_keys=True).encode("ascii")


def decode_json(text: str | bytes) -> JsonValue:
    """The value of a JSON text; whole numbers stay exact, of a repeated key the last counts.

    Raises:
        ValueError: it is not JSON (NaN is not), or nested too deep to read.
    """
    value: JsonValue = from_json(text, allow_inf_nan=False)
    return value
