"""The caller's extraction JSON Schema, parsed once into a tree of fields that every room can walk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import cast

import orjson

from service.domain.errors import ErrorCode, InputError
from service.domain.records import Json, JsonObject, Scalar

DEFAULT_NAME = "document"
"""Of a schema without a title."""
MAX_DEPTH = 10
"""Nested objects and arrays; more is refused, recursion through `$ref` included."""
_MOST_FAULTS = 50
"""After so many the rest of a schema is not looked at."""
_MOST_NAMED = 6
"""Faults that the message names; `details` has all."""


class FieldType(StrEnum):
    """JSON types a field may have."""

    STRING = "string"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    OBJECT = "object"
    ARRAY = "array"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaField:
    """One field of a schema; `properties` for objects, `items` for arrays, neither for leaves."""

    name: str
    type: FieldType
    description: str = ""
    title: str = ""
    format: str | None = None
    """`date`, `date-time`, `time`, `email`, … as in JSON Schema."""
    enum: tuple[Scalar, ...] = ()
    pattern: str | None = None
    examples: tuple[Scalar, ...] = ()
    properties: tuple[SchemaField, ...] = ()
    items: SchemaField | None = None
    merge: str | None = None
    """`x-merge`: `first` or `last`."""

    @property
    def is_leaf(self) -> bool:
        """Whether its value is a scalar."""
        return self.type not in (FieldType.OBJECT, FieldType.ARRAY)

    def property(self, name: str) -> SchemaField | None:
        """The property of that name, if there is one."""
        return next((p for p in self.properties if p.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionSchema:
    """A schema that was checked: the caller's own document and its tree of fields."""

    source: JsonObject
    root: SchemaField
    name: str = DEFAULT_NAME
    checks: tuple[str, ...] = field(default=())
    """The `x-checks` of the root, as written."""


def escape_pointer(name: str) -> str:
    """A property name as one token of a JSON Pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def unescape_pointer(token: str) -> str:
    """The inverse of `escape_pointer`."""
    return token.replace("~1", "/").replace("~0", "~")


def general_pointer(pointer: str) -> str:
    """A pointer into a record with `*` for the rows, `/lines/*/price`."""
    return "/".join("*" if token.isdecimal() else token for token in pointer.split("/"))


def walk_leaves(value: Json, path: str = "") -> Iterator[tuple[str, Scalar]]:
    """Every scalar of a value with its JSON Pointer, in order; an empty array or object has none."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield from walk_leaves(child, f"{path}/{escape_pointer(name)}")
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from walk_leaves(child, f"{path}/{index}")
    else:
        yield path, value


def parse_schema(source: JsonObject, name: str = DEFAULT_NAME) -> ExtractionSchema:
    """Check a caller's schema and give its tree of fields.

    Accepts a bare schema or an OpenAI-style wrapper (`{"name", "schema", "strict"}`, or `{"type": "json_schema",
    "json_schema": …}`); `$ref` into `$defs` or `definitions`; `anyOf`/`oneOf` and type unions with null.

    Raises:
        InputError: `invalid_schema`; the message names the path of the first fault and what is wrong there, `details`
            those of all when there are several.
    """
    schema, title = _unwrap(source)
    parser = _Parser(schema)
    root = parser.field(schema, name=title or name, path="", depth=0)
    parser.refuse_faults()
    if root.type is not FieldType.OBJECT or not root.properties:
        raise _fault("", "the root must be an object with at least one property")
    checks = schema.get("x-checks")
    rules = [c for c in checks if isinstance(c, str)] if isinstance(checks, list) else []
    return ExtractionSchema(source=schema, root=root, name=title or name, checks=tuple(rules))


def known_schema(source: JsonObject, name: str) -> ExtractionSchema:
    """A schema that was checked when it came, parsed once a process: each step of a job asks for it several times."""
    try:
        text = orjson.dumps(source)
    except TypeError:  # it names whole numbers beyond 64 bits
        return parse_schema(source, name)
    return _known(text, name)


@lru_cache(maxsize=128)
def _known(source: bytes, name: str) -> ExtractionSchema:
    return parse_schema(orjson.loads(source), name)


def _unwrap(source: Json) -> tuple[JsonObject, str]:
    if not isinstance(source, dict):
        raise _fault("", "a schema is a JSON object")
    inner = source.get("json_schema")
    if source.get("type") == "json_schema" and isinstance(inner, dict):
        source = inner
    schema, title = source.get("schema"), source.get("name")
    if "properties" not in source and isinstance(schema, dict):
        return schema, title if isinstance(title, str) else ""
    return source, ""


def _fault(path: str, why: str) -> InputError:
    return InputError(ErrorCode.INVALID_SCHEMA, f"Invalid Schema: at {path or '/'}: {why}.", param=path or "/")


class _Parser:
    """Holds the root, into which `$ref` points."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._faults: dict[str, InputError] = {}

    def refuse_faults(self) -> None:
        """Raise what was found to be wrong with properties, all of it at once."""
        if not self._faults:
            return
        first, *rest = self._faults.values()
        if not rest:
            raise first
        details = {path: fault.message.partition(": at ")[2] for path, fault in self._faults.items()}
        message = f"{first.message} {len(rest)} more: {', '.join([*self._faults][1:_MOST_NAMED])}."
        raise InputError(ErrorCode.INVALID_SCHEMA, message, param=first.param, details=details)

    def field(self, node: Json, *, name: str, path: str, depth: int) -> SchemaField:
        if depth > MAX_DEPTH:
            raise _fault(path, f"nested deeper than {MAX_DEPTH} levels, or a $ref that leads back to itself")
        node = self._plain(self._resolve(node, path, ()), path)
        kind = _type_of(node, path)
        properties: tuple[SchemaField, ...] = ()
        items: SchemaField | None = None
        if kind is FieldType.OBJECT:
            properties = self._properties(node, path, depth)
        if kind is FieldType.ARRAY:
            if "items" not in node:
                raise _fault(path, "an array needs `items`")
            items = self.field(node["items"], name=name, path=f"{path}/items", depth=depth + 1)
        merge = _text(node, "x-merge", path) or None
        if merge not in (None, "first", "last"):
            raise _fault(path, f"x-merge is 'first' or 'last', not {merge!r}")
        return SchemaField(
            name=name,
            type=kind,
            description=_text(node, "description", path),
            title=_text(node, "title", path),
            format=_text(node, "format", path) or None,
            enum=_scalars(node.get("enum"), f"{path}/enum"),
            pattern=_text(node, "pattern", path) or None,
            examples=_scalars(node.get("examples"), f"{path}/examples"),
            properties=properties,
            items=items,
            merge=merge,
        )

    def _properties(self, node: JsonObject, path: str, depth: int) -> tuple[SchemaField, ...]:
        found = node.get("properties")
        if not isinstance(found, dict) or not found:
            raise _fault(path, "an object needs `properties`")
        fields: list[SchemaField] = []
        for name, child in found.items():
            try:
                fields.append(
                    self.field(child, name=name, path=f"{path}/properties/{escape_pointer(name)}", depth=depth + 1)
                )
            except InputError as fault:
                if len(self._faults) >= _MOST_FAULTS:
                    raise
                self._faults.setdefault(fault.param or path, fault)
        return tuple(fields)

    def _resolve(self, node: Json, path: str, seen: tuple[str, ...]) -> JsonObject:
        if not isinstance(node, dict):
            raise _fault(path, "a field is described by a JSON object")
        reference = node.get("$ref")
        if reference is None:
            return node
        if not isinstance(reference, str) or not reference.startswith("#/") or reference in seen:
            raise _fault(path, f"$ref {reference!r} must point to a definition inside this schema, and not in a circle")
        target: Json = self._root
        for token in reference[2:].split("/"):
            token = unescape_pointer(token)
            target = target.get(token) if isinstance(target, dict) else None
        if target is None:
            raise _fault(path, f"$ref {reference!r} points to nothing")
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return {**self._resolve(target, path, (*seen, reference)), **rest}

    def _plain(self, node: JsonObject, path: str) -> JsonObject:
        """Without the null branch of `anyOf`, `oneOf`; `allOf` of one is that one."""
        for keyword in ("anyOf", "oneOf", "allOf"):
            branches = node.get(keyword)
            if not isinstance(branches, list):
                continue
            solid = [b for b in (self._resolve(branch, path, ()) for branch in branches) if b.get("type") != "null"]
            if [b.get("type") for b in solid] == ["number", "string"]:
                solid = solid[:1]  # so Pydantic describes a `Decimal`: as a number, or that number as text
            if len(solid) != 1:
                raise _fault(path, f"`{keyword}` may offer one type beside null, not {len(solid)}")
            rest = {key: value for key, value in node.items() if key != keyword}
            return self._plain({**solid[0], **rest}, path)
        return node


def _type_of(node: Mapping[str, Json], path: str) -> FieldType:
    given = node.get("type")
    if isinstance(given, list):
        solid = [t for t in given if t != "null"]
        if len(solid) != 1:
            raise _fault(path, "a union may offer one type beside null")
        given = solid[0]
    if given is None:
        given = "object" if "properties" in node else "array" if "items" in node else _enum_type(node)
    try:
        return FieldType(cast(str, given))
    except ValueError:
        allowed = ", ".join(FieldType)
        raise _fault(path, f"type {given!r} is not one of {allowed}") from None


def _enum_type(node: Mapping[str, Json]) -> str:
    """The type of an untyped enum or constant; text if its members differ or nothing is said."""
    members = node.get("enum")
    kinds = {type(m) for m in (members if isinstance(members, list) else [node.get("const")])}
    if kinds == {bool}:
        return "boolean"
    if kinds == {int}:
        return "integer"
    return "number" if kinds <= {int, float} else "string"


def _text(node: Mapping[str, Json], key: str, path: str) -> str:
    value = node.get(key, "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _fault(path, f"`{key}` must be a string")
    return value


def _scalars(value: Json, path: str) -> tuple[Scalar, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or any(isinstance(v, (dict, list)) for v in value):
        raise _fault(path, "must be a list of plain values")
    return tuple(cast("list[Scalar]", value))
