"""The caller's schema as a model is given it: every leaf may be null, every key must come, no other may.

A required leaf that may not be null makes a model copy something that stands nearby.

Source: OpenAI's structured-outputs guide as told by public mirrors (keywords and limits of strict mode), read
2026-11-30.
"""

from __future__ import annotations

from dataclasses import dataclass

from service.domain.records import Json, JsonObject
from service.domain.schema import ExtractionSchema, FieldType, SchemaField

STRICT_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_MAX_ENUM_VALUES = 1_000
"""Of all fields together, null included."""
_MAX_LONG_ENUM_CHARS = 15_000
_LONG_ENUM = 250


def wire_schema(schema: ExtractionSchema, *, strict: bool) -> JsonObject:
    """The schema for the wire, `$ref` and unions resolved.

    What strict mode does not take is told in words instead: formats beyond `STRICT_FORMATS`, examples, titles, and
    patterns (a grammar that enforces one bends what is printed). An enum beyond the limits is left to the decoder.

    Args:
        strict: leave formats out that strict mode refuses.
    """
    return _Writer(strict).node(schema.root)


@dataclass
class _Writer:
    strict: bool
    enum_values: int = 0

    def node(self, field: SchemaField) -> JsonObject:
        written: JsonObject = {}
        if field.type is FieldType.OBJECT:
            written = {
                "type": "object",
                "properties": {child.name: self.node(child) for child in field.properties},
                "required": [child.name for child in field.properties],
                "additionalProperties": False,
            }
        elif field.items is not None:
            written = {"type": "array", "items": self.node(field.items)}
        else:
            written = self._leaf(field)
        if words := self._words(field):
            written = {"description": words, **written}
        return written

    def _leaf(self, field: SchemaField) -> JsonObject:
        leaf: JsonObject = {"type": [field.type.value, "null"]}
        members: list[Json] = [*dict.fromkeys(m for m in field.enum if m is not None), None]
        if field.enum and self._has_room(members):
            self.enum_values += len(members)
            leaf["enum"] = members
        elif self._keeps_format(field):
            leaf["format"] = field.format
        return leaf

    def _has_room(self, members: list[Json]) -> bool:
        long = len(members) > _LONG_ENUM and sum(len(str(m)) for m in members) > _MAX_LONG_ENUM_CHARS
        return not long and self.enum_values + len(members) <= _MAX_ENUM_VALUES

    def _keeps_format(self, field: SchemaField) -> bool:
        if field.format is None or field.type is not FieldType.STRING:
            return False
        return not self.strict or field.format in STRICT_FORMATS

    def _words(self, field: SchemaField) -> str:
        """The description, and after it what has no keyword of its own."""
        told = [field.description or field.title]
        if field.format and not self._keeps_format(field):
            told.append(f"Format: {field.format}.")
        if field.pattern:
            told.append(f"Pattern: {field.pattern}")
        if field.examples:
            told.append(f"Written like: {', '.join(str(example) for example in field.examples[:5])}.")
        return " ".join(part for part in told if part)
