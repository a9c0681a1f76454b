"""Whether a model takes a schema, told before a file is read rather than by the model afterwards."""

from __future__ import annotations

from collections.abc import Iterator

from service.clients.base import Capabilities
from service.domain.errors import ErrorCode, InputError
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer
from service.protocol.json_text import encode_json


def check_schema_limits(schema: ExtractionSchema, limits: Capabilities, *, provider: str, max_name_chars: int) -> None:
    """Refuse a schema that is too large, or nested where the model takes flat rows only.

    Args:
        max_name_chars: most characters of all property names together.

    Raises:
        InputError: `invalid_schema`; `param` is the JSON Pointer of the fault inside the schema.
    """
    fields = list(_walk(schema.root, ""))
    names = sum(len(field.name) for _, field in fields)
    size = len(encode_json(schema.source).decode("utf-8"))
    _limit(provider, "properties", len(fields), limits.max_properties)
    _limit(provider, "characters (without spaces)", size, limits.max_schema_chars)
    _limit(provider, "characters in property names", names, max_name_chars)
    if limits.nested_objects:
        return
    for path, field in fields:
        if field.type is FieldType.OBJECT:
            raise _fault(
                provider, path, f"object {field.name!r} must be replaced by its fields, such as {_flat(field)!r}"
            )
        if field.items is not None:
            _check_items(provider, f"{path}/items", field.items)


def _check_items(provider: str, path: str, items: SchemaField) -> None:
    if items.type is FieldType.ARRAY:
        raise _fault(provider, path, f"{items.name!r} is an array of arrays; make it an array of flat objects")
    for child in items.properties:
        if child.items is not None and not child.items.is_leaf:
            place = f"{path}/properties/{escape_pointer(child.name)}"
            raise _fault(provider, place, f"{child.name!r} is a table inside a row; make it an array of its own")


def _walk(field: SchemaField, path: str) -> Iterator[tuple[str, SchemaField]]:
    """Every property below a field with its place in the schema, parents first."""
    for child in field.properties:
        place = f"{path}/properties/{escape_pointer(child.name)}"
        yield place, child
        yield from _walk(child, place)
    if field.items is not None:
        yield from _walk(field.items, f"{path}/items")


def _flat(field: SchemaField) -> str:
    return f"{field.name}_{field.properties[0].name}"


def _limit(provider: str, what: str, found: int, most: int) -> None:
    if found > most:
        raise _fault(provider, "/", f"it has {found:,} {what}, and at most {most:,} are accepted")


def _fault(provider: str, path: str, why: str) -> InputError:
    message = f"Invalid Schema: {provider} does not take it: at {path}: {why}."
    return InputError(ErrorCode.INVALID_SCHEMA, message, param=path)
