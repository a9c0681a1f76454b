"""A part of a schema: some of its properties, those inside objects too, as a schema of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from service.domain.records import JsonObject
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer, unescape_pointer

_DEFINITIONS = ("$defs", "definitions")


def address(path: Sequence[str]) -> str:
    """How a property is named in a group: one of the root by its name, one inside an object by its JSON Pointer."""
    if len(path) == 1 and not path[0].startswith("/"):
        return path[0]
    return "".join(f"/{escape_pointer(name)}" for name in path)


def inner_addresses(schema: ExtractionSchema, name: str) -> tuple[str, ...]:
    """The properties of the object that an address leads to, in order; nothing when it is no object."""
    path = _path(name)
    found: SchemaField | None = schema.root
    for token in path:
        found = found.property(token) if found is not None else None
    if found is None or found.type is not FieldType.OBJECT:
        return ()
    return tuple(address((*path, child.name)) for child in found.properties)


def narrow_schema(schema: ExtractionSchema, names: Sequence[str]) -> ExtractionSchema:
    """The schema with some of its properties only; unchanged when `names` is empty.

    Checks are left out: they belong to the whole record. Where the caller's document has definitions, what is left is
    written without them, so that a part does not carry what it never points to.

    Args:
        names: as `address` gives them.
    """
    if not names:
        return schema
    wanted = _tree(names)
    root = _narrowed(schema.root, wanted)
    source: JsonObject = {k: v for k, v in schema.source.items() if k not in ("x-checks", *_DEFINITIONS)}
    written = source.get("properties")
    if not isinstance(written, dict) or any(key in schema.source for key in _DEFINITIONS):
        source = {k: v for k, v in source.items() if k not in ("$ref", "anyOf", "oneOf", "allOf")} | {"type": "object"}
        written = {}
    source["properties"] = {
        p.name: written[p.name] if p.name in written and not wanted.inner[p.name].inner else write_field(p)
        for p in root.properties
    }
    required = source.get("required")
    if isinstance(required, list):
        source["required"] = [name for name in required if isinstance(name, str) and name in wanted.inner]
    return replace(schema, source=source, root=root, checks=())


def write_field(found: SchemaField) -> JsonObject:
    """A field as JSON Schema, `$ref` and unions resolved; its name stands with its owner."""
    written: JsonObject = {"type": found.type.value}
    texts = {"description": found.description, "title": found.title, "format": found.format, "pattern": found.pattern}
    written |= {key: text for key, text in texts.items() if text}
    if found.merge is not None:
        written["x-merge"] = found.merge
    if found.enum:
        written["enum"] = list(found.enum)
    if found.examples:
        written["examples"] = list(found.examples)
    if found.type is FieldType.OBJECT:
        written["properties"] = {child.name: write_field(child) for child in found.properties}
    if found.items is not None:
        written["items"] = write_field(found.items)
    return written


@dataclass(slots=True)
class _Wanted:
    """What of an object is wanted, by name; nothing inside: all of it."""

    inner: dict[str, _Wanted] = field(default_factory=dict[str, "_Wanted"])


def _path(name: str) -> tuple[str, ...]:
    if not name.startswith("/"):
        return (name,)
    return tuple(unescape_pointer(token) for token in name[1:].split("/"))


def _tree(names: Iterable[str]) -> _Wanted:
    root = _Wanted()
    for name in names:
        here = root
        for token in _path(name):
            here = here.inner.setdefault(token, _Wanted())
    return root


def _narrowed(found: SchemaField, wanted: _Wanted) -> SchemaField:
    if not wanted.inner:
        return found
    kept = (p for p in found.properties if p.name in wanted.inner)
    return replace(found, properties=tuple(_narrowed(p, wanted.inner[p.name]) for p in kept))
