"""Faults of the record itself: its values, its rows, and the way it is written as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from service.rehearsal.annotations import mirror
from service.rehearsal.json_values import JsonObject, as_object

_DEEP = 5_000


def _each(change: Callable[[str, JsonValue], JsonValue]) -> Callable[[JsonObject, JsonObject], str]:
    """Changes every scalar, given the name of its field."""

    def walk(name: str, value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {key: walk(key, child) for key, child in value.items()}
        return [walk(name, child) for child in value] if isinstance(value, list) else change(name, value)

    return lambda record, _: json.dumps(walk("", record))


def _tables(change: Callable[[list[JsonValue]], JsonValue]) -> Callable[[JsonObject, JsonObject], str]:
    """Changes every table of the record that has a row."""

    def apply(record: JsonObject, _: JsonObject) -> str:
        return json.dumps({k: change(v) if isinstance(v, list) and v else v for k, v in record.items()})

    return apply


def _writer(write: Callable[[JsonValue], str]) -> Callable[[JsonObject, JsonObject], str]:
    return lambda record, _: write(record)


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _wrong_type(_name: str, value: JsonValue) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    return f"{value:,}" if isinstance(value, (int, float)) else [value]


def _with_null_rows(rows: list[JsonValue]) -> JsonValue:
    def nulls(row: JsonValue) -> JsonValue:
        return dict.fromkeys(as_object(row)) if isinstance(row, dict) else None

    return [entry for row in rows for entry in (nulls(row), row, nulls(row))]


def _with_commas(value: JsonValue) -> str:
    if isinstance(value, dict):
        return "{" + "".join(f"{json.dumps(key)}: {_with_commas(child)}, " for key, child in value.items()) + "}"
    if isinstance(value, list):
        return "[" + "".join(f"{_with_commas(child)}, " for child in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _with_twin_keys(value: JsonValue) -> str:
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)}: null, {json.dumps(key)}: {_with_twin_keys(v)}" for key, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_with_twin_keys, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _with_control_characters(_name: str, value: JsonValue) -> JsonValue:
    return f"\x00{value}\ud800\x0b\n" if isinstance(value, str) else value


def _every_second_key(record: JsonObject, _schema: JsonObject) -> str:
    return json.dumps({name: value for n, (name, value) in enumerate(record.items()) if n % 2 == 0})


def _blank(record: JsonObject, _schema: JsonObject) -> str:
    def empty(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {name: empty(child) for name, child in value.items()}
        return [] if isinstance(value, list) else None

    return json.dumps(empty(record))


RECORD_FAULTS: Mapping[str, Callable[[JsonObject, JsonObject], str]] = {
    "blank": _blank,
    "single_quotes": _writer(repr),
    "trailing_commas": _writer(_with_commas),
    "nan": _each(lambda _, value: float("nan") if _is_number(value) else value),
    "duplicate_keys": _writer(_with_twin_keys),
    "numbers_as_text": _each(lambda _, value: f"{value:,}" if isinstance(value, (int, float)) else value),
    "wrong_types": _each(_wrong_type),
    "keys_as_values": _each(lambda name, _: name),
    "schema_echo": lambda _, schema: json.dumps(schema),
    "envelope": lambda record, _: json.dumps(mirror(record, {"confidence": True})),
    "extra_keys": lambda record, _: json.dumps({**record, "not_asked_for": 1}),
    "missing_keys": _every_second_key,
    "null_rows": _tables(_with_null_rows),
    "duplicate_rows": _tables(lambda rows: [row for row in rows for _ in range(2)]),
    "row_as_object": _tables(lambda rows: rows[0]),
    "control_characters": _each(_with_control_characters),
    "deep": lambda record, _: json.dumps(record)[:-1] + ', "deep": ' + "[" * _DEEP + "]" * _DEEP + "}",
}
"""From the record and the schema it was asked in to the text that is sent."""
