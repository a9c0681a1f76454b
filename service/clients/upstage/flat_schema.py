"""A nested schema in the flat grammar that Upstage takes, and its answers in the caller's shape again.

At the root stand scalars and arrays, in a row scalars and arrays of scalars; so an object is replaced by its fields,
`address.city` by `address_city`. A table inside a row has no place in that grammar.

Source: https://console.upstage.ai/docs (information extraction, schema rules), read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.domain.records import Json, JsonObject
from service.domain.schema import ExtractionSchema, FieldType, SchemaField

_JOINT = "_"


@dataclass(frozen=True, slots=True)
class FlatField:
    """Where the value of a flat name belongs."""

    path: tuple[str, ...]
    rows: Mapping[str, FlatField] | None = None
    """Of an array of objects: the fields of its rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatSchema:
    """A schema for the wire, and the way back."""

    source: JsonObject
    fields: Mapping[str, FlatField]

    def unflatten(self, answer: Json) -> Json:
        """An answer, or what is told beside it, in the caller's shape; what is no object is left alone."""
        return _unflatten(answer, self.fields)


def is_flat(schema: ExtractionSchema) -> bool:
    """Whether a schema is within the grammar as it stands."""
    return not any(
        child.type is FieldType.OBJECT or (child.items is not None and _has_objects(child.items))
        for child in schema.root.properties
    )


def flatten(schema: ExtractionSchema) -> FlatSchema:
    """The schema in the flat grammar, `$ref` and unions resolved; `check_schema_limits` tells what is too deep."""
    properties, fields = _flatten(schema.root)
    return FlatSchema(source={"type": "object", "properties": properties}, fields=fields)


def _has_objects(items: SchemaField) -> bool:
    return any(child.type is FieldType.OBJECT for child in items.properties)


def _flatten(owner: SchemaField) -> tuple[JsonObject, dict[str, FlatField]]:
    properties: JsonObject = {}
    fields: dict[str, FlatField] = {}
    for path, field in _leaves(owner, ()):
        name = _free_name(_JOINT.join(path), properties)
        words = field.description or field.title
        written: JsonObject = {"type": field.type.value}
        if words:
            written["description"] = words
        rows = None
        if field.items is not None:
            written["items"], rows = _items(field.items)
        elif field.enum:
            written["enum"] = list(field.enum)
        properties[name] = written
        fields[name] = FlatField(path, rows)
    return properties, fields


def _items(items: SchemaField) -> tuple[JsonObject, Mapping[str, FlatField] | None]:
    if items.type is not FieldType.OBJECT:
        return {"type": items.type.value}, None
    properties, rows = _flatten(items)
    return {"type": "object", "properties": properties}, rows


def _leaves(owner: SchemaField, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], SchemaField]]:
    """What stands in objects of an object, at every depth, in order; arrays stay whole."""
    found: list[tuple[tuple[str, ...], SchemaField]] = []
    for child in owner.properties:
        here = (*path, child.name)
        found += _leaves(child, here) if child.type is FieldType.OBJECT else [(here, child)]
    return found


def _free_name(name: str, taken: Mapping[str, Json]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}{_JOINT}{number}"
    return free


def _unflatten(answer: Json, fields: Mapping[str, FlatField]) -> Json:
    if not isinstance(answer, dict):
        return answer
    whole: JsonObject = {}
    for name, value in answer.items():
        field = fields.get(name, FlatField((name,)))
        if field.rows is not None and isinstance(value, list):
            value = [_unflatten(row, field.rows) for row in value]
        _put(whole, field.path, value)
    return whole


def _put(whole: JsonObject, path: tuple[str, ...], value: Json) -> None:
    for name in path[:-1]:
        inner = whole.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        whole = inner
    whole[path[-1]] = value
