"""`additional_values`: the answer mirrored, with a place and a confidence at every leaf, in the vendor's live form.

Source: https://console.upstage.ai/docs (information extraction) and recorded answers, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from pydantic import JsonValue

from service.rehearsal.json_values import JsonObject

_LINES = 45


def mirror(value: JsonValue, body: JsonObject, lines: Iterator[int] | None = None) -> JsonValue:
    """The value with a leaf in place of each scalar; a leaf has the keys that the request asks for."""
    lines = count() if lines is None else lines
    if isinstance(value, dict):
        return {name: mirror(child, body, lines) for name, child in value.items()}
    if isinstance(value, list):
        return [mirror(child, body, lines) for child in value]
    leaf: JsonObject = {"_value": value}
    missing = value in ("", None)
    if body.get("confidence"):
        leaf["confidence"] = "low" if missing else "high"
    if body.get("location"):
        leaf |= _place(body, next(lines), missing=missing)
    return leaf


def _place(body: JsonObject, line: int, *, missing: bool) -> JsonObject:
    """A line of its own on the first page; what is missing has none."""
    top = 0.05 + 0.02 * (line % _LINES)
    box = None if missing else corners(0.1, top, 0.4, top + 0.015)
    granularity = body.get("location_granularity", "element")
    place: JsonObject = {"page": -1 if missing else 1}
    if granularity in ("element", "all"):
        place["coordinates"] = box or []
    if granularity in ("word", "all"):
        place["word_coordinates"] = [box] if box else []
    return place


def corners(x0: float, y0: float, x1: float, y1: float) -> list[JsonValue]:
    """Four points, clockwise from the top left."""
    points = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    return [{"x": round(x, 4), "y": round(y, 4)} for x, y in points]
