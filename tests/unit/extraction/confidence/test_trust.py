"""What makes a value of a model that tells no confidence `high`, and what takes that away."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.geometry import Box
from service.domain.records import BoxCheck, Confidence, Evidence, Extraction, FieldEntry, Record
from service.domain.schema import walk_leaves
from service.extraction.confidence.trust import Opinion, weigh
from service.extraction.decoding.decode import decode_choice
from service.extraction.decoding.token_odds import token_odds
from service.extraction.grounding.ground import ground
from service.protocol.completion import Choice
from tests.unit.extraction.answers import choice_of, extraction_of, schema_of
from tests.unit.extraction.printed_pages import page_of

Json = Any
HERE, THERE = Box(0.1, 0.1, 0.3, 0.12), Box(0.1, 0.8, 0.3, 0.82)


def answer(value: Json, *, places: int = 1, check: BoxCheck = BoxCheck.MATCH, odds: float | None = None) -> Extraction:
    """One value at one place, of a model that told no confidence."""
    found = extraction_of({"n": value}, places={"/n": (1, HERE)}, confidence=Confidence.LOW, box_check=check)
    return replace(found, evidence={"/n": Evidence(token_probability=odds, places=places)})


def opinion(value: Json, box: Box = HERE, chance: float | None = 0.9) -> Opinion:
    """What another model holds."""
    return Opinion(extraction_of({"n": value}, places={"/n": (1, box)}, probability=chance))


def trust(found: Extraction, other: Opinion | None = None) -> tuple[str, float | None]:
    """Confidence and probability of the value."""
    entry = weigh(found, other).fields["/n"]
    return entry.confidence.value, entry.probability


def test_a_value_is_high_by_its_place_and_one_more_witness() -> None:
    """A place alone is not enough, nor is a witness alone."""
    assert trust(answer("A-1")) == ("low", None)
    assert trust(answer("A-1"), opinion("a-1")) == ("high", 0.9)
    assert trust(answer("A-1"), opinion("A-1", chance=0.7)) == ("low", 0.7)
    assert trust(answer("A-1"), opinion("B-1", chance=0.7)) == ("low", pytest.approx(0.3))
    assert trust(answer("A-1", places=2), opinion("A-1")) == ("low", 0.9)
    assert trust(answer("A-1", places=0), opinion("A-1"))[0] == "low"


def test_tokens_take_high_and_never_give_it() -> None:
    """How sure a model is of its tokens says little of how right it is; that it doubts them says something."""
    assert trust(answer("A-1", odds=1.0)) == ("low", None)
    assert trust(answer("A-1", odds=0.5), opinion("A-1")) == ("high", 0.9)
    assert trust(answer("A-1", odds=0.49), opinion("A-1")) == ("low", 0.9)


@pytest.mark.parametrize("check", [BoxCheck.PARTIAL, BoxCheck.NONE, BoxCheck.UNCHECKED])
def test_nothing_is_high_without_its_words(check: BoxCheck) -> None:
    """Whoever agrees."""
    assert trust(answer("A-1", check=check, odds=1.0), opinion("A-1"))[0] == "low"


def test_a_different_value_makes_low_whoever_gave_it() -> None:
    """Sure tokens do not help, and a confidence that was told is taken back."""
    low, chance = trust(answer(12.5, odds=1.0), opinion(125))
    assert (low, chance) == ("low", pytest.approx(0.1))
    told = extraction_of({"n": 12.5}, places={"/n": (1, HERE)}, probability=0.7)
    assert trust(told, opinion(125)) == ("low", 0.7)
    assert trust(told, opinion(12.5)) == ("high", 0.7)
    assert trust(told) == ("high", 0.7)


def test_a_told_low_is_never_raised() -> None:
    """Agreement speaks only for values of which nothing was told."""
    told = extraction_of({"n": 1}, places={"/n": (1, HERE)}, confidence=Confidence.LOW, box_check=BoxCheck.MATCH)
    assert trust(told, opinion(1))[0] == "low"


@pytest.mark.parametrize("chance", [None, 0.4])
def test_an_unsure_opinion_says_nothing(chance: float | None) -> None:
    """Neither for nor against."""
    told = extraction_of({"n": "A"}, places={"/n": (1, HERE)}, probability=0.7)
    assert trust(told, opinion("B", chance=chance)) == ("high", 0.7)
    assert trust(answer("A"), opinion("A", chance=chance)) == ("low", None)


def test_the_same_value_elsewhere_is_no_agreement() -> None:
    """Nor is it a conflict."""
    assert trust(answer("A"), opinion("A", THERE)) == ("low", None)
    assert conflicts("A", opinion("A", THERE)) == []


def conflicts(value: Json, other: Opinion) -> list[tuple[Json, str]]:
    """Values and rules of the conflicts of a record."""
    found = answer(value)
    record = Record(id="r", index=0, pages=(1,), values=found.values, fields=found.fields)
    return [(conflict.other.value, conflict.rule) for conflict in other.conflicts(record)]


def test_another_value_at_another_place_is_kept() -> None:
    """A reviewer can choose; one at the same place is a misreading and no choice."""
    assert conflicts("A", opinion("B", THERE)) == [("B", "second_opinion")]
    assert conflicts("A", opinion("B", HERE)) == []


def test_rows_are_told_apart_by_their_places() -> None:
    """Two models need not begin to count at the same row."""
    places = {"/rows/0/x": (1, HERE), "/rows/1/x": (1, THERE)}
    found = extraction_of({"rows": [{"x": "A"}, {"x": "B"}]}, places=places, box_check=BoxCheck.MATCH)
    found = replace(found, evidence=dict.fromkeys(places, Evidence(places=1)))
    other = Opinion(extraction_of({"rows": [{"x": "b"}]}, places={"/rows/0/x": (1, THERE)}, probability=0.8))
    assert [weigh(found, other).fields[path].confidence.value for path in places] == ["low", "high"]
    assert not list(other.conflicts(Record(id="r", index=0, pages=(1,), values=found.values, fields=found.fields)))


def grounded(text: str, *lines: str) -> FieldEntry:
    """The entry of a value whose every token was sure and on which the other model agrees, on a page of these lines."""
    schema, written = schema_of(n="string"), json.dumps({"n": text})
    choice = told(written, [(written, -0.0001)])
    found = decode_choice(choice, schema=schema, pages=(1,), model="m")
    found = ground(found, schema, {1: page_of(*lines)})
    sure = {path: replace(entry, probability=0.9) for path, entry in found.fields.items()}
    return weigh(found, Opinion(replace(found, fields=sure))).fields["/n"]


def test_agreement_counts_for_what_is_printed_once() -> None:
    """Found by the page's words: once, twice, changed by one character."""
    assert grounded("INV-20417", "Number INV-20417").confidence is Confidence.HIGH
    assert grounded("INV-20417", "Number INV-20417", "Copy of INV-20417").confidence is Confidence.LOW
    assert grounded("INV-20418", "Number INV-20417").confidence is Confidence.LOW


def told(text: str, tokens: list[tuple[Any, float]]) -> Choice:
    """A choice with the odds of its tokens."""
    listed = [
        {"token": "?", "bytes": [*token], "logprob": odds}
        if isinstance(token, bytes)
        else {"token": token, "bytes": None, "logprob": odds}
        for token, odds in tokens
    ]
    return choice_of(text).model_copy(update={"logprobs": {"content": listed, "refusal": None}})


def test_the_least_sure_token_of_a_value_counts() -> None:
    """Tokens that hold its quotes too; not those of keys and of other values."""
    tokens = [('{"a', -9.0), ('":', -9.0), (' "AB', -0.1), ("CD", -0.3), ('",', -0.2), (' "b": ', -9.0), ("12", -0.01)]
    tokens += [(".5", -0.02), (', "c": ["x', -0.4), ('", null', -0.5), ("]}", -9.0)]
    text = "".join(token for token, _ in tokens)
    found = token_odds(told(text, tokens), {"/a", "/b", "/c/0", "/c/1"})
    assert found == {path: pytest.approx(math.exp(-odds)) for path, odds in found_odds().items()}


def test_fences_that_the_server_took_away_do_not_hide_the_tokens() -> None:
    """They are among the tokens and not in the text; what is there twice cannot be told apart."""
    tokens = [("```", -4.0), ("json\n", -1.0), ('{"a":', -0.5), (" 12", -0.2), ("}", -0.3), ("\n```", -0.1)]
    assert token_odds(told('{"a": 12}', tokens), {"/a"}) == {"/a": pytest.approx(math.exp(-0.2))}
    assert token_odds(told('{"a": 12}', [*tokens, *tokens]), {"/a"}) == {}


def found_odds() -> dict[str, float]:
    """What is expected of the answer above."""
    return {"/a": 0.3, "/b": 0.02, "/c/0": 0.4, "/c/1": 0.5}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ('{"a": 1}', []),
        ('{"a": 1}', [('{"a": 2}', -0.1)]),
        ('{"a": 1}', [('{"a": 1}', math.nan)]),
        ("{'a': 1}", [("{'a': 1}", -0.1)]),
        ('{"a": 1, "b": 2}', [('{"a": 1, "b": 2}', -0.1)]),
        ('```\n{"a": 1}\n```', [('```\n{"a": 1}\n```', -0.1)]),
    ],
)
def test_tokens_that_cannot_be_told_apart_say_nothing(text: str, tokens: list[tuple[str, float]]) -> None:
    """Other tokens than the text, no plain JSON, a shape that is not the record's."""
    assert token_odds(told(text, tokens), {"/a"}) == {}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=4), st.integers(1, 4), st.booleans())
def test_every_value_of_any_json_has_its_tokens(values: Json, size: int, escaped: bool) -> None:
    """Whatever is inside texts and keys, and where tokens part a character."""
    text = json.dumps(values, ensure_ascii=escaped)
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return
    tokens: list[tuple[Any, float]] = [(raw[at : at + size], -0.5) for at in range(0, len(raw), size)]
    leaves = dict(walk_leaves(values))
    found = token_odds(told(text, tokens), leaves)
    assert found.keys() == {path for path, value in leaves.items() if value != ""}
    assert all(odds == pytest.approx(math.exp(-0.5)) for odds in found.values())
