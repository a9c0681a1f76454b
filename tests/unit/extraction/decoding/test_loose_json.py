"""Answers that are nearly JSON: read as what they mean, and never made up."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.errors import DecodingError
from service.extraction.decoding.answer import MAX_ANSWER_CHARS, parse_answer

TEXTS = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-10_000, 10_000) | TEXTS
VALUES = st.dictionaries(
    TEXTS.filter(bool),
    SCALARS | st.lists(st.dictionaries(TEXTS, SCALARS, max_size=3), max_size=3),
    min_size=1,
    max_size=5,
)


def with_commas(value: object) -> str:
    """JSON with a comma behind the last entry of everything."""
    if isinstance(value, dict):
        return "{" + "".join(f"{json.dumps(k)}:\n{with_commas(v)}, " for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + "".join(f"{with_commas(v)} ,\t" for v in value) + "]"
    return json.dumps(value)


@given(VALUES)
def test_pythons_own_spelling_is_read(value: dict[str, object]) -> None:
    """Single quotes where Python puts them, double ones around apostrophes, `None`, `True`."""
    assert parse_answer(f"So: {value!r}", list(value)).values == value


@given(VALUES)
def test_commas_behind_the_last_entry_are_passed_over(value: dict[str, object]) -> None:
    """At every level."""
    assert parse_answer(with_commas(value), list(value)).values == value


@given(VALUES, st.data())
def test_a_text_that_was_cut_is_never_completed(value: dict[str, object], data: st.DataObject) -> None:
    """Whatever it would take to close it."""
    text = repr(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    with pytest.raises(DecodingError):
        parse_answer(cut, list(value))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{'a': 'Rose\\'s \"inn\"'}", {"a": 'Rose\'s "inn"'}),
        ("{'a': 'line\\nbreak \\u00e9'}", {"a": "line\nbreak é"}),
        ('{"a": 1,}', {"a": 1}),
        ('```json\n{"a": 1,}\n```', {"a": 1}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": null, "a": 1}', {"a": 1}),
        ('{"a": 1, "a": null}', {"a": 1}),
    ],
)
def test_what_is_meant_is_read(text: str, wanted: object) -> None:
    """Escapes, fences, JSON inside a string, keys that stand twice."""
    assert parse_answer(text, ["a"]).values == wanted


@pytest.mark.parametrize(
    "text",
    ["{'a': 'Rose's inn'}", "{'a': 1 'b': 2}", "{'a': undefined}", "{'a': 1,,}", "{'a'}", "{'a': (1, 2)}", "{'a': 'x"],
)
def test_nothing_is_guessed(text: str) -> None:
    """Quotes that do not pair, words that nobody knows, signs in the wrong place."""
    with pytest.raises(DecodingError):
        parse_answer(text, ["a"])


def test_an_answer_beyond_all_tables_is_refused_by_its_length() -> None:
    """Before it is taken apart."""
    with pytest.raises(DecodingError, match="longer than"):
        parse_answer('{"a": "' + "x" * MAX_ANSWER_CHARS + '"}', ["a"])
