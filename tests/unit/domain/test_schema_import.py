"""Schemas as people have them: made by Pydantic, wrapped for other services."""

from __future__ import annotations

import datetime as dt
import enum
from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from service.domain.errors import InputError
from service.domain.schema import FieldType, SchemaField, parse_schema


class Unit(enum.Enum):
    """A closed set."""

    PIECE = "piece"
    HOUR = "hour"


class Line(BaseModel):
    """A model inside another."""

    what: str = Field(description="What was sold")
    count: int = 1
    price: Decimal | None = None
    unit: Unit | None = None


class Bill(BaseModel):
    """Every way in which Pydantic describes a field that we know."""

    number: str
    day: dt.date
    due: dt.date | None = None
    total: Decimal
    rate: float | None = Field(None, description="Tax in percent", examples=[19.0])
    paid: bool = False
    kind: Literal["invoice", "credit"] = "invoice"
    version: Literal[1] = 1
    first: Line
    last: Line | None = None
    lines: list[Line] = []
    tags: list[str] | None = None


def kinds(field: SchemaField) -> Any:
    """Types by name."""
    if field.items is not None:
        return [kinds(field.items)]
    return {child.name: kinds(child) for child in field.properties} if field.properties else field.type


LINE = {"what": "string", "count": "integer", "price": "number", "unit": "string"}


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_a_pydantic_model_is_taken_as_it_is(mode: Literal["validation", "serialization"]):
    """Unions with null, references, enums, constants, decimals, defaults."""
    found = parse_schema(Bill.model_json_schema(mode=mode)).root
    amount = "number" if mode == "validation" else "string"
    line = LINE | {"price": amount}
    assert kinds(found) == {
        "number": "string",
        "day": "string",
        "due": "string",
        "total": amount,
        "rate": "number",
        "paid": "boolean",
        "kind": "string",
        "version": "integer",
        "first": line,
        "last": line,
        "lines": [line],
        "tags": ["string"],
    }
    due, rate, kind = (found.property(name) for name in ("due", "rate", "kind"))
    assert due is not None
    assert rate is not None
    assert kind is not None
    assert (due.format, rate.description, rate.examples, kind.enum) == (
        "date",
        "Tax in percent",
        (19.0,),
        ("invoice", "credit"),
    )


@pytest.mark.parametrize(
    "wrap",
    [
        lambda schema: schema,
        lambda schema: {"name": "bill", "strict": True, "schema": schema},
        lambda schema: {"type": "json_schema", "json_schema": {"name": "bill", "schema": schema}},
    ],
)
def test_a_wrapper_changes_nothing(wrap: Any):
    """What is inside is what counts."""
    schema = Bill.model_json_schema()
    found = parse_schema(wrap(schema))
    assert found.source == schema
    assert kinds(found.root) == kinds(parse_schema(schema).root)


class Tree(BaseModel):
    """A model that holds itself."""

    name: str
    children: list[Tree] = []


class Loose(BaseModel):
    """Fields of which nobody says what they hold."""

    name: str
    more: dict[str, str] = {}
    either: int | str = 1


def test_what_a_record_cannot_hold_is_refused_with_its_path():
    """All of it at once."""
    with pytest.raises(InputError) as caught:
        parse_schema(Loose.model_json_schema())
    assert set(caught.value.details) == {"/properties/more", "/properties/either"}
    with pytest.raises(InputError, match="leads back to itself"):
        parse_schema(Tree.model_json_schema())


def test_many_faults_end_soon():
    """A schema of thousands of wrong fields is not walked through to the end."""
    wrong = {f"f{n}": {"type": "date"} for n in range(10_000)}
    with pytest.raises(InputError) as caught:
        parse_schema({"properties": wrong})
    assert len(caught.value.details) <= 50
    circle: dict[str, Any] = {"properties": {f"f{n}": {"$ref": "#/$defs/a"} for n in range(30)}}
    circle["$defs"] = {"a": {"type": "object", "properties": dict(circle["properties"])}}
    with pytest.raises(InputError, match="leads back to itself"):
        parse_schema(circle)


def test_types_are_the_ones_of_json():
    """Untyped enums and constants take the type of their members."""
    source = {"properties": {"a": {"enum": [1, 2]}, "b": {"const": True}, "c": {"enum": ["x", 1]}, "d": {}}}
    found = {field.name: field.type for field in parse_schema(source).root.properties}
    assert found == {
        "a": FieldType.INTEGER,
        "b": FieldType.BOOLEAN,
        "c": FieldType.STRING,
        "d": FieldType.STRING,
    }
