"""What OpenAI refuses in a strict schema, in the words of its own messages.

Source: OpenAI's structured-outputs guide as told by public mirrors, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from service.rehearsal.json_values import JsonObject, as_list, as_object, objects_in

FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
KEYWORDS = {
    *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "description", "title"),
    *("anyOf", "$ref", "$defs", "format", "pattern", "multipleOf", "minimum", "maximum"),
    *("exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"),
}
TYPES = {"string", "number", "boolean", "integer", "object", "array", "null"}
MAX_PROPERTIES, MAX_DEPTH, MAX_ENUM_VALUES, MAX_CHARS = 5_000, 10, 1_000, 120_000


def strict_fault(schema: JsonValue) -> str | None:
    """The first rule that a schema breaks; None when it is good."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "schema must be a JSON Schema of 'type: \"object\"'"
    nodes = list(_nodes(schema, (), 0))
    for place, depth, node in nodes:
        fault = _node_fault(node) or (f"nested deeper than {MAX_DEPTH} levels" if depth > MAX_DEPTH else None)
        if fault is not None:
            return f"In context={place}, {fault}"
    return _size_fault([node for _, _, node in nodes])


def _nodes(node: JsonObject, place: tuple[str, ...], depth: int) -> Iterator[tuple[tuple[str, ...], int, JsonObject]]:
    yield place, depth, node
    for name, child in as_object(node.get("properties")).items():
        yield from _nodes(as_object(child), (*place, "properties", name), depth + 1)
    if "items" in node:
        yield from _nodes(as_object(node["items"]), (*place, "items"), depth + 1)
    for child in objects_in(node.get("anyOf")):
        yield from _nodes(child, (*place, "anyOf"), depth)


def _node_fault(node: JsonObject) -> str | None:
    if unknown := set(node) - KEYWORDS:
        return f"{sorted(unknown)[0]!r} is not permitted"
    kinds = {str(kind) for kind in as_list(node.get("type")) or [node.get("type")]}
    if "anyOf" not in node and "$ref" not in node and not kinds <= TYPES:
        return "schema must have a 'type' key"
    if "object" in kinds:
        if node.get("additionalProperties") is not False:
            return "'additionalProperties' is required to be supplied and to be false"
        if sorted(map(str, as_list(node.get("required")))) != sorted(as_object(node.get("properties"))):
            return "'required' is required to be supplied and to be an array including every key in properties"
    if "array" in kinds and "items" not in node:
        return "array schema missing items"
    if "format" in node and node["format"] not in FORMATS:
        return f"{node['format']!r} is not a valid format"
    return None


def _size_fault(nodes: list[JsonObject]) -> str | None:
    names = [name for node in nodes for name in as_object(node.get("properties"))]
    members = [str(member) for node in nodes for member in as_list(node.get("enum"))]
    if len(names) > MAX_PROPERTIES:
        return f"at most {MAX_PROPERTIES} properties are allowed"
    if len(members) > MAX_ENUM_VALUES:
        return f"at most {MAX_ENUM_VALUES} enum values are allowed"
    if sum(map(len, [*names, *members])) > MAX_CHARS:
        return f"at most {MAX_CHARS} characters are allowed"
    return None
