"""The schema on the wire keeps OpenAI's rules, whatever the caller wrote."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.clients.openai_compatible.strict_schema import wire_schema
from service.domain.schema import parse_schema
from service.rehearsal.strict_rules import MAX_DEPTH, strict_fault

Json = Any
_LEAF = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "number", "integer", "boolean"])},
    optional={
        "description": st.text(max_size=20),
        "format": st.sampled_from(["date", "uri", "currency", "email"]),
        "pattern": st.just("^[A-Z]+$"),
        "title": st.text(max_size=5),
        "minLength": st.just(3),
        "x-merge": st.just("last"),
        "examples": st.just(["A"]),
    },
)
_NODE = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        inner.map(lambda node: {"type": "array", "items": node}),
        st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, min_size=1, max_size=3).map(
            lambda properties: {"type": "object", "properties": properties}
        ),
    ),
    max_leaves=6,
)


def written(properties: Json, **root: Json) -> Json:
    """The strict schema of an object with these properties."""
    return wire_schema(parse_schema({"type": "object", "properties": properties, **root}), strict=True)


def leaves(node: Json) -> list[Json]:
    """Every leaf of a wire schema."""
    below = [*node.get("properties", {}).values(), *([node["items"]] if "items" in node else [])]
    return [leaf for child in below for leaf in leaves(child)] if below else [node]


@given(st.dictionaries(st.text("xyz", min_size=1, max_size=3), _NODE, min_size=1, max_size=4))
def test_no_rule_of_strict_mode_is_broken_and_every_leaf_may_be_null(properties: Json) -> None:
    """Nesting apart, which the schema's own parser limits."""
    fault = strict_fault(schema := written(properties))
    assert fault is None or f"deeper than {MAX_DEPTH}" in fault
    assert all(leaf["type"][-1] == "null" for leaf in leaves(schema))


def test_the_rules_are_no_formality() -> None:
    """What callers write breaks them."""
    leaf = {"type": "string"}
    assert "additionalProperties" in (strict_fault({"type": "object", "properties": {"a": leaf}}) or "")
    closed: Json = {"type": "object", "properties": {"a": leaf}, "additionalProperties": False}
    assert "required" in (strict_fault(closed) or "")
    assert "uri" in (strict_fault({**closed, "required": ["a"], "properties": {"a": {**leaf, "format": "uri"}}}) or "")
    assert "x-merge" in (
        strict_fault({**closed, "required": ["a"], "properties": {"a": {**leaf, "x-merge": "l"}}}) or ""
    )
    assert strict_fault({**closed, "required": ["a"]}) is None


def test_what_has_no_keyword_is_told_in_words() -> None:
    """A pattern that is enforced bends what is printed."""
    field = {"type": "string", "title": "VAT id", "pattern": "^GB", "examples": ["GB 1"], "format": "vat"}
    assert written({"v": field})["properties"]["v"] == {
        "description": "VAT id Format: vat. Pattern: ^GB Written like: GB 1.",
        "type": ["string", "null"],
    }


def test_references_and_unions_are_resolved() -> None:
    """Nothing points anywhere on the wire."""
    schema = written(
        {"a": {"$ref": "#/$defs/money"}, "b": {"anyOf": [{"$ref": "#/$defs/money"}, {"type": "null"}]}},
        **{"$defs": {"money": {"type": "number", "description": "An amount"}}},
    )
    money = {"description": "An amount", "type": ["number", "null"]}
    assert schema["properties"] == {"a": money, "b": money}


@pytest.mark.parametrize("sizes", [[1500], [400, 400, 400], [300]])
def test_enums_beyond_the_limits_are_left_to_the_decoder(sizes: list[int]) -> None:
    """Of one field or of all together; those that fit stay."""
    fields = {
        f"f{i}": {"type": "string", "enum": [f"{'m' * 60}{n}" for n in range(size)]} for i, size in enumerate(sizes)
    }
    schema = written(fields)
    assert strict_fault(schema) is None
    kept = ["enum" in schema["properties"][name] for name in fields]
    assert kept == {1: [False], 3: [False, False, False]}[len(sizes)]


def test_small_enums_stay_with_null() -> None:
    """Each member once."""
    schema = written({"c": {"type": "string", "enum": ["EUR", "GBP", "EUR", None]}})
    assert schema["properties"]["c"]["enum"] == ["EUR", "GBP", None]
    several = written({f"f{i}": {"type": "integer", "enum": list(range(200))} for i in range(6)})
    assert sum("enum" in node for node in several["properties"].values()) == 4
    assert strict_fault(several) is None
