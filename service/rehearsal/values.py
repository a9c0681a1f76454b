"""What is answered when nothing goes wrong: values planted by the caller, read from the text, or made up."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from service.rehearsal.json_values import JsonObject, as_list, as_object, as_text

_ROWS = 2


@dataclass(frozen=True, slots=True)
class Source:
    """Where values come from; what is neither planted nor read is a constant made from the field's name and type."""

    planted: Sequence[JsonObject] = ({},)
    """Values by the name of their field; of several the first, and with `split` each is a choice."""
    patterns: Mapping[str, re.Pattern[str]] = field(default_factory=dict[str, re.Pattern[str]])
    """By the name of a field of the root: what the text of the request is searched with. A table gets a row for each
    match, with the named groups as its cells, those that differ by a digit at their end joined (`text`, `text2`);
    another field the first group of the first match, or nothing."""


def read_patterns(given: JsonObject) -> dict[str, re.Pattern[str]]:
    """Patterns by field, in Python's syntax; `^` and `$` stand for the ends of lines.

    Raises:
        ValueError: one is no regular expression.
    """
    try:
        return {name: re.compile(as_text(pattern), re.MULTILINE) for name, pattern in given.items()}
    except re.error as error:
        raise ValueError(f"A pattern is no regular expression: {error}.") from error


def default_value(name: str, node: JsonObject) -> JsonValue:
    """The constant that stands for a field of that name and type."""
    number = zlib.crc32(name.encode()) % 997 + 1
    kind = node.get("type", "string")
    if enum := as_list(node.get("enum")):
        return enum[0]
    if kind == "number":
        return number + 0.25
    if kind == "integer":
        return number
    if kind == "boolean":
        return number % 2 == 0
    return f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}" if node.get("format") == "date" else f"{name} {number}"


def answer_values(
    schema: JsonObject,
    planted: JsonObject,
    patterns: Mapping[str, re.Pattern[str]] | None = None,
    text: str = "",
) -> JsonObject:
    """Every property of an object: planted by its name, read from the text, or a constant; tables get two rows."""
    found: JsonObject = {}
    for name, node in properties_of(schema).items():
        pattern = (patterns or {}).get(name)
        found[name] = _read(node, pattern, text) if pattern is not None else _value(name, node, planted)
    return found


def properties_of(node: JsonObject) -> dict[str, JsonObject]:
    """The schemas of an object's properties, each with one type."""
    return {name: plain_node(as_object(child)) for name, child in as_object(node.get("properties")).items()}


def plain_node(node: JsonObject) -> JsonObject:
    """The schema with one type, as the values are made from: the first of several."""
    return {**node, "type": kinds[0]} if (kinds := as_list(node.get("type"))) else node


def _value(name: str, node: JsonObject, planted: JsonObject) -> JsonValue:
    if name in planted:
        return planted[name]
    if node.get("type") == "array":
        items = plain_node(as_object(node.get("items")))
        return [_value(name, {"type": "string", **items}, {}) for _ in range(_ROWS)]
    return answer_values(node, planted) if node.get("type") == "object" else default_value(name, node)


def _read(node: JsonObject, pattern: re.Pattern[str], text: str) -> JsonValue:
    if node.get("type") == "array":
        cells = properties_of(plain_node(as_object(node.get("items"))))
        return [_row(cells, match) for match in pattern.finditer(text)]
    match = pattern.search(text)
    return None if match is None else _typed(node, match[1])


def _row(cells: Mapping[str, JsonObject], match: re.Match[str]) -> JsonObject:
    found: dict[str, str] = {}
    for group, text in match.groupdict().items():
        if text:
            name = group.rstrip("0123456789")
            found[name] = f"{found[name]} {text}" if name in found else text
    return {name: _typed(node, found.get(name)) for name, node in cells.items()}


def _typed(node: JsonObject, text: str | None) -> JsonValue:
    """A number with a point before its decimals and commas between its groups; other types as text."""
    plain = (text or "").strip()
    if not plain or node.get("type") not in ("number", "integer"):
        return plain or None
    number = float(plain.replace(",", ""))
    return int(number) if number.is_integer() else number
