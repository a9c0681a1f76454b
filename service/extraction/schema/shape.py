"""The full shape of a schema: what a record looks like when nothing was found."""

from __future__ import annotations

from collections.abc import Iterator

from service.domain.records import Confidence, Extraction, FieldEntry, Json, JsonObject, Scalar, Verdict
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer, walk_leaves


def blank_value(field: SchemaField) -> Json:
    """A field without an answer: null for a leaf, no rows for an array, an object of such for an object."""
    if field.type is FieldType.OBJECT:
        return blank_object(field)
    return [] if field.type is FieldType.ARRAY else None


def blank_object(field: SchemaField) -> JsonObject:
    """An object field, each of whose properties has no answer."""
    return {p.name: blank_value(p) for p in field.properties}


def blank_extraction(schema: ExtractionSchema, pages: tuple[int, ...], verdict: Verdict = Verdict.ABSENT) -> Extraction:
    """The answer of a model that found nothing on these pages, or was never asked (`not_reached`)."""
    values = blank_object(schema.root)
    entry = FieldEntry(value=None, verdict=verdict, confidence=Confidence.LOW)
    return Extraction(values=values, fields={path: entry for path, _ in walk_leaves(values)}, pages=pages)


def walk_fields(field: SchemaField, path: str = "") -> Iterator[tuple[str, SchemaField]]:
    """Every leaf of a schema with its pointer; `*` stands for the rows of an array."""
    if field.type is FieldType.OBJECT:
        for child in field.properties:
            yield from walk_fields(child, f"{path}/{escape_pointer(child.name)}")
    elif field.items is not None:
        yield from walk_fields(field.items, f"{path}/*")
    else:
        yield path, field


def walk_values(
    value: Json, field: SchemaField, path: str = "", general: str = ""
) -> Iterator[tuple[str, str, SchemaField, Scalar]]:
    """Every leaf of a value with its pointer, the pointer with `*` for rows, its field and its scalar, in order."""
    if isinstance(value, dict):
        for prop in field.properties:
            token = escape_pointer(prop.name)
            yield from walk_values(value.get(prop.name), prop, f"{path}/{token}", f"{general}/{token}")
    elif isinstance(value, list):
        for index, child in enumerate(value if field.items else []):
            yield from walk_values(child, field.items or field, f"{path}/{index}", f"{general}/*")
    elif field.is_leaf:
        yield path, general, field, value
