"""Short ways to write answers, extractions and schemas in tests."""

from __future__ import annotations

import json
from collections.abc import Mapping

from service.domain.geometry import Box
from service.domain.records import Confidence, Extraction, FieldEntry, Json, JsonObject, Location, Verdict
from service.domain.schema import ExtractionSchema, parse_schema, walk_leaves
from service.extraction.decoding.decode import decode_choice
from service.protocol.completion import Choice


def schema_of(**properties: Json) -> ExtractionSchema:
    """A schema with these properties; a type's name stands for a field of it, a one-item list for an array."""
    return parse_schema({"type": "object", "properties": {name: node(given) for name, given in properties.items()}})


def node(given: Json) -> Json:
    """One field: `"number"`, `["string"]`, `[{"qty": "integer"}]`, or a JSON Schema node."""
    if isinstance(given, str):
        return {"type": given}
    if isinstance(given, list):
        return {"type": "array", "items": node(given[0])}
    if isinstance(given, dict) and "type" not in given:
        return {"type": "object", "properties": {name: node(child) for name, child in given.items()}}
    return given


def choice_of(content: object, extras: object = None, finish_reason: str | None = "stop") -> Choice:
    """A choice as a server sends it; content and extras are written as JSON unless they are text already."""
    message: dict[str, object] = {"role": "assistant", "content": _written(content)}
    if extras is not None:
        call = {"type": "function", "function": {"name": "additional_values", "arguments": _written(extras)}}
        message["tool_calls"] = [call]
    return Choice.model_validate({"index": 0, "finish_reason": finish_reason, "message": message})


def _written(value: object) -> object:
    return value if isinstance(value, str) or value is None else json.dumps(value)


def decoded(
    schema: ExtractionSchema, content: object, extras: object = None, pages: tuple[int, ...] = (1, 2)
) -> Extraction:
    """The extraction of one whole answer."""
    return decode_choice(choice_of(content, extras), schema=schema, pages=pages, model="m")


def corners(box: Box) -> list[dict[str, float]]:
    """A box on the wire."""
    return [{"x": point.x, "y": point.y} for point in box.quad()]


def extraction_of(
    values: JsonObject,
    pages: tuple[int, ...] = (1,),
    places: Mapping[str, tuple[int, Box]] | None = None,
    *,
    confidence: Confidence = Confidence.HIGH,
    **more: object,
) -> Extraction:
    """An extraction with these values; `places` gives some of them a page and a box. `more` sets entries' keys."""
    fields: dict[str, FieldEntry] = {}
    for path, value in walk_leaves(values):
        place = (places or {}).get(path)
        location = Location(place[0], place[1].quad(), (place[1].quad(),)) if place else None
        verdict = Verdict.ABSENT if value is None else Verdict.FOUND
        entry = FieldEntry(value=value, verdict=verdict, confidence=confidence, location=location)
        fields[path] = FieldEntry(**{**_shallow(entry), **more}) if more else entry
    return Extraction(values=values, fields=fields, pages=pages)


def _shallow(entry: FieldEntry) -> dict[str, object]:
    return {name: getattr(entry, name) for name in FieldEntry.__dataclass_fields__}
