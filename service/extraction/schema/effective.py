"""What the values of a record are sure to satisfy: the caller's schema, in which every leaf may be null."""

from __future__ import annotations

from service.domain.records import Json, JsonObject
from service.domain.schema import ExtractionSchema, FieldType, SchemaField


def effective_schema(schema: ExtractionSchema) -> JsonObject:
    """The JSON Schema of `values`, references resolved.

    Types hold always. What a document may break is not in it: enum, pattern and format are checked, and the outcome
    stands in `checks`. No property is required, since `absent=omit` leaves out what is not there.
    """
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_effective(schema.root)}


def _effective(field: SchemaField) -> JsonObject:
    words: JsonObject = {}
    if field.title:
        words["title"] = field.title
    if field.description:
        words["description"] = field.description
    if field.type is FieldType.OBJECT:
        properties: JsonObject = {child.name: _effective(child) for child in field.properties}
        return {"type": "object", **words, "properties": properties, "additionalProperties": False}
    if field.items is not None:
        return {"type": "array", **words, "items": _effective(field.items)}
    kinds: list[Json] = [field.type.value, "null"]
    return {"type": kinds, **words}
