"""Nested schemas in the vendor's flat grammar, and their answers back again."""

from __future__ import annotations

from typing import Any

from service.clients.schema_limits import check_schema_limits
from service.clients.upstage.client import CAPABILITIES, MAX_NAME_CHARS, PROVIDER
from service.clients.upstage.flat_schema import flatten, is_flat
from service.domain.schema import parse_schema

Json = Any
CITY = {"type": "object", "properties": {"city": {"type": "string", "description": "Town"}, "zip": {"type": "string"}}}
NESTED: Json = {
    "type": "object",
    "$defs": {"place": CITY},
    "properties": {
        "number": {"type": "string"},
        "seller": {"type": "object", "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/place"}}},
        "seller_name": {"type": "string"},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "price": {"type": "object", "properties": {"net": {"type": "number"}, "tax": {"type": "number"}}},
                },
            },
        },
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}


def test_objects_become_their_fields_and_names_never_collide() -> None:
    """The wire schema keeps to the grammar."""
    flat = flatten(parse_schema(NESTED))
    assert list(flat.source["properties"]) == [
        "number", "seller_name", "seller_address_city", "seller_address_zip", "seller_name_2", "lines", "tags"
    ]  # fmt: skip
    sent = parse_schema(flat.source)
    assert is_flat(sent)
    check_schema_limits(sent, CAPABILITIES, provider=PROVIDER, max_name_chars=MAX_NAME_CHARS)
    assert sent.root.properties[2].description == "Town"


def test_an_answer_comes_back_in_the_callers_shape() -> None:
    """Values and what is told beside them, rows included."""
    flat = flatten(parse_schema(NESTED))
    leaf = {"_value": 1.0, "confidence": "high", "page": 1}
    answer = {"seller_name": "A", "seller_address_city": "B", "seller_name_2": "C", "tags": ["x"], "odd": 1}
    assert flat.unflatten(answer | {"lines": [{"text": "t", "price_net": 2}]}) == {
        "seller": {"name": "A", "address": {"city": "B"}},
        "seller_name": "C",
        "tags": ["x"],
        "odd": 1,
        "lines": [{"text": "t", "price": {"net": 2}}],
    }
    told = flat.unflatten({"lines": [{"price_net": leaf}], "seller_address_zip": leaf})
    assert told == {"lines": [{"price": {"net": leaf}}], "seller": {"address": {"zip": leaf}}}


def test_a_flat_schema_needs_nothing() -> None:
    """It goes out as the caller wrote it."""
    assert is_flat(parse_schema({"type": "object", "properties": {"a": {"type": "string"}}}))
    assert not is_flat(parse_schema(NESTED))
