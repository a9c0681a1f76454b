"""Schemas that Upstage takes, and those it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from service.clients.upstage.client import UpstageClient, UpstageOptions
from service.domain.errors import ErrorCode, InputError
from service.domain.schema import parse_schema

TEXT = {"type": "string"}


def obj(**properties: Any) -> dict[str, Any]:
    """An object with these properties."""
    return {"type": "object", "properties": properties}


def array(items: Any) -> dict[str, Any]:
    """An array of these items."""
    return {"type": "array", "items": items}


@pytest.fixture
def client() -> Iterator[UpstageClient]:
    """The real client; checking a schema needs no server."""
    options = UpstageOptions(base_url="http://127.0.0.1:9/v1", api_key=SecretStr("k"), attempts=1, max_connections=1)
    made = UpstageClient(options)
    yield made
    asyncio.run(made.close())


@pytest.mark.parametrize(
    "schema",
    [
        obj(name=TEXT, total={"type": "number"}, count={"type": "integer"}, paid={"type": "boolean"}),
        obj(tags=array(TEXT), lines=array(obj(text=TEXT, codes=array(TEXT)))),
        obj(**{f"f{n}": TEXT for n in range(100)}),
        obj(address=obj(city=TEXT), lines=array(obj(item=obj(id=TEXT))), **{"a/b": obj(x=TEXT)}),
    ],
)
def test_flat_schemas_are_taken(client: UpstageClient, schema: dict[str, Any]) -> None:
    """Scalars, arrays of scalars, arrays of rows, up to the last property; objects are sent as their fields."""
    client.check_schema(parse_schema(schema))


@pytest.mark.parametrize(
    ("schema", "path", "words"),
    [
        (obj(grid=array(array(TEXT))), "/properties/grid/items", "array of arrays"),
        (
            obj(lines=array(obj(parts=array(obj(id=TEXT))))),
            "/properties/lines/items/properties/parts",
            "table inside a row",
        ),
        (obj(**{f"f{n}": TEXT for n in range(101)}), "/", "101 properties, and at most 100"),
        (obj(name={"type": "string", "description": "x" * 15_000}), "/", "at most 15,000"),
        (obj(**{f"{n}" + "n" * 130: TEXT for n in range(80)}), "/", "at most 10,000"),
    ],
)
def test_what_it_does_not_take_is_refused_by_place(
    client: UpstageClient, schema: dict[str, Any], path: str, words: str
) -> None:
    """The message says where, why, and what to write instead."""
    with pytest.raises(InputError) as caught:
        client.check_schema(parse_schema(schema))
    assert caught.value.code is ErrorCode.INVALID_SCHEMA
    assert caught.value.param == path
    assert caught.value.message.startswith("Invalid Schema:")
    assert words in caught.value.message
