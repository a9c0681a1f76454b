"""Answers that only repeat the question: the schema itself, its words as values, or the envelope in place of values."""

from __future__ import annotations

from collections.abc import Iterator

from service.domain.schema import FieldType, SchemaField
from service.extraction.decoding.answer import RawJson

SCHEMA_KEY = "properties"
"""What an answer has that is the schema itself."""
_ENVELOPE_KEY = "_value"
_FEWEST = 2
"""One text that equals its field's name may be printed so; two are no accident."""


def find_echo(values: dict[str, RawJson], root: SchemaField) -> str | None:
    """What is wrong with an answer that is an echo, as the end of a sentence; None for one that is not."""
    if _holds_envelope(values):
        return "holds the envelope of `additional_values` in place of plain values"
    if isinstance(values.get(SCHEMA_KEY), dict) and root.property(SCHEMA_KEY) is None:
        return "repeats the schema instead of filling it"
    echoes = found = 0
    for value, field in _leaves(values, root):
        if value is None or value == "":
            continue
        found += 1
        echoes += isinstance(value, str) and value.strip().casefold() in _own_words(field)
    if found == echoes and echoes >= _FEWEST:
        return "repeats the schema's own words as values"
    return None


def _holds_envelope(value: RawJson) -> bool:
    if isinstance(value, dict):
        return _ENVELOPE_KEY in value or any(_holds_envelope(child) for child in value.values())
    return isinstance(value, list) and any(_holds_envelope(child) for child in value)


def _own_words(field: SchemaField) -> set[str]:
    words = {field.name, field.title, field.description, field.type.value, field.format or ""}
    return {word.strip().casefold() for word in words if word}


def _leaves(value: RawJson, field: SchemaField) -> Iterator[tuple[RawJson, SchemaField]]:
    if field.type is FieldType.OBJECT:
        for prop in field.properties if isinstance(value, dict) else ():
            yield from _leaves(value.get(prop.name) if isinstance(value, dict) else None, prop)
    elif field.type is FieldType.ARRAY:
        for child in value if isinstance(value, list) and field.items else ():
            yield from _leaves(child, field.items or field)
    else:
        yield value, field
