"""The call `additional_values`, read and written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from service.protocol.additional_values import (
    AdditionalTree,
    AdditionalValue,
    LeafKeys,
    MalformedArguments,
    WirePoint,
    additional_values_call,
    confidence_score,
    read_additional_values,
)
from service.protocol.completion import FunctionCall, Message, ToolCall
from tests.unit.protocol.wire_strategies import TREES

ELEMENT = [
    {"x": 0.07, "y": 0.148},
    {"x": 0.2074, "y": 0.148},
    {"x": 0.2074, "y": 0.1606},
    {"x": 0.07, "y": 0.1606},
]
WORDS = [
    [{"x": 0.07, "y": 0.1481}, {"x": 0.112, "y": 0.148}, {"x": 0.112, "y": 0.1605}, {"x": 0.07, "y": 0.1606}],
    [{"x": 0.118, "y": 0.148}, {"x": 0.2074, "y": 0.148}, {"x": 0.2074, "y": 0.1606}, {"x": 0.118, "y": 0.1606}],
]
TABLE = [{"x": 0.0934, "y": 0.34}, {"x": 0.8835, "y": 0.34}, {"x": 0.8835, "y": 0.6644}, {"x": 0.0934, "y": 0.6644}]
ELSEWHERE = [
    {"x": 0.0981, "y": 0.0705},
    {"x": 0.4973, "y": 0.0705},
    {"x": 0.4973, "y": 0.0839},
    {"x": 0.0981, "y": 0.0839},
]
NAME_WORD = [
    {"x": 0.1064, "y": 0.3989},
    {"x": 0.1546, "y": 0.3987},
    {"x": 0.1547, "y": 0.4084},
    {"x": 0.1065, "y": 0.4087},
]
NOWHERE = {"page": -1, "coordinates": [], "word_coordinates": []}
ROWS = {
    "items": [
        {
            "name": {
                "_value": "Sample",
                "confidence": "low",
                "page": 1,
                "coordinates": TABLE,
                "word_coordinates": [NAME_WORD],
            },
            "code": {"_value": "", "confidence": "low", **NOWHERE},
            "strength": {
                "_value": 10,
                "confidence": "high",
                "page": 1,
                "coordinates": TABLE,
                "word_coordinates": [],
            },
            "days": {"_value": 0, "confidence": "low", "page": 1, "coordinates": ELSEWHERE, "word_coordinates": []},
        }
    ]
}
EVERY_LEAF_KEY = LeafKeys(confidence=True, page=True, coordinates=True, word_coordinates=True, own=True)
EVERYTHING_ASKED = LeafKeys(confidence=True, page=True, coordinates=True, word_coordinates=True)


def message(arguments: str | dict[str, object]) -> Message:
    """A message that makes the call."""
    return Message.model_validate(
        {"content": "{}", "tool_calls": [{"function": {"name": "additional_values", "arguments": arguments}}]}
    )


def read(arguments: object) -> AdditionalTree:
    """The tree of arguments sent as text."""
    tree = read_additional_values(message(json.dumps(arguments)))
    assert tree is not None
    return tree


def written(tree: AdditionalTree, keys: LeafKeys) -> str:
    """The arguments as text."""
    call = additional_values_call(tree, call_id=None, keys=keys)
    assert call.function is not None
    assert isinstance(call.function.arguments, str)
    return call.function.arguments


def leaf(tree: AdditionalTree, *path: str | int) -> AdditionalValue:
    """The leaf at the end of a path."""
    for step in path:
        assert not isinstance(tree, AdditionalValue)
        tree = tree[step]  # type: ignore[index,call-overload] - the path fits the tree
    assert isinstance(tree, AdditionalValue)
    return tree


def test_the_place_of_an_element_is_read():
    """A page and one polygon."""
    found = leaf(read({"bank_name": {"_value": "Bank of Dream", "page": 1, "coordinates": ELEMENT}}), "bank_name")
    assert (found.value, found.page, found.word_coordinates) == ("Bank of Dream", 1, None)
    assert found.coordinates is not None
    assert found.coordinates[1] == WirePoint(x=0.2074, y=0.148)
    assert found.is_located


def test_the_places_of_words_are_read():
    """One polygon a word, in reading order, no element."""
    found = leaf(read({"bank_name": {"_value": "Bank Dream", "page": 1, "word_coordinates": WORDS}}), "bank_name")
    assert found.coordinates is None
    assert found.word_coordinates is not None
    assert [polygon[0].x for polygon in found.word_coordinates] == [0.07, 0.118]
    assert found.is_located


def test_rows_of_a_table_are_read():
    """A missing text is nowhere; a number without a word has its element's box."""
    tree = read(ROWS)
    assert leaf(tree, "items", 0, "name").is_located
    assert not leaf(tree, "items", 0, "code").is_located
    assert leaf(tree, "items", 0, "code").page == -1
    assert leaf(tree, "items", 0, "strength").word_coordinates == []
    assert leaf(tree, "items", 0, "days").value == 0


def test_arrays_of_scalars_are_read():
    """A leaf in place of each."""
    tree = read({"tags": [{"_value": "alpha", "confidence": "high"}, {"_value": "beta", "confidence": "low"}]})
    assert [leaf(tree, "tags", index).confidence for index in (0, 1)] == ["high", "low"]


def test_the_recorded_confidences_are_read_without_places():
    """Confidence alone was asked for."""
    tree = read(
        {"wage_amount": {"_value": "10000", "confidence": "low"}, "holiday": {"_value": "", "confidence": "low"}}
    )
    found = leaf(tree, "wage_amount")
    assert (found.confidence, found.page, found.coordinates, found.is_located) == ("low", None, None, False)


def test_text_and_object_are_read_alike():
    """Both forms of `arguments`."""
    assert read_additional_values(message(ROWS)) == read(ROWS)


def test_further_keys_of_a_leaf_are_kept():
    """The sibling product adds a number; Fieldmark adds three keys."""
    found = leaf(
        read(
            {
                "a": {
                    "_value": "1.234,50",
                    "confidence_score": 0.9,
                    "raw": "1.234,50",
                    "verdict": "found",
                    "probability": 1,
                }
            }
        ),
        "a",
    )
    assert (found.raw, found.verdict, found.probability) == ("1.234,50", "found", 1.0)
    assert found.model_extra == {"confidence_score": 0.9}


@pytest.mark.parametrize(
    "odd",
    [
        {"page": "first", "coordinates": [[0.1, 0.2]], "word_coordinates": 7, "confidence": 0.9},
        {"page": None, "coordinates": {"x": 1}, "word_coordinates": [ELEMENT, None], "confidence": None},
        {"page": 1.5, "coordinates": [{"x": "left", "y": 0}], "word_coordinates": [{"x": 0, "y": 0}]},
    ],
)
def test_a_part_of_another_form_counts_as_absent(odd: dict[str, object]):
    """The value beside it is still good."""
    found = leaf(read({"a": {"_value": "A", **odd}}), "a")
    assert (found.value, found.page, found.coordinates, found.word_coordinates) == ("A", None, None, None)
    assert found.confidence is None


def test_bare_values_keep_their_place():
    """A server that mirrors a null or a plain text still tells how many there are."""
    tree = read({"tags": ["alpha", None, {"_value": "beta"}], "rows": [], "due": None})
    assert [leaf(tree, "tags", index).value for index in range(3)] == ["alpha", None, "beta"]
    assert leaf(tree, "due").value is None


def test_a_field_that_is_called_like_a_leafs_key_is_no_leaf():
    """`value` is not `_value`; an object under `_value` is a field of the schema."""
    tree = read({"a": {"value": {"_value": 1}}, "b": {"_value": {"_value": 2}}})
    assert leaf(tree, "a", "value").value == 1
    assert leaf(tree, "b", "_value").value == 2


def test_whole_numbers_stay_exact():
    """An account number may be longer than a machine word."""
    assert leaf(read({"a": {"_value": 2**80 + 1}}), "a").value == 2**80 + 1


def test_no_call_is_no_tree():
    """Neither flag was on, or another tool was called."""
    other = Message(tool_calls=[ToolCall(function=FunctionCall(name="lookup", arguments="{"))])
    assert read_additional_values(Message(content="{}")) is None
    assert read_additional_values(other) is None


@pytest.mark.parametrize("arguments", ["", "{", '{"a":', "[]", "null", '"text"', "NaN", "[" * 100_000])
def test_malformed_arguments_are_refused_by_name(arguments: str):
    """Cut off, not JSON, or no object."""
    with pytest.raises(MalformedArguments, match="additional_values"):
        read_additional_values(message(arguments))


def test_the_call_is_written_as_the_vendor_writes_it():
    """Compact text, no id unless one is given."""
    tree = read({"bank_name": {"coordinates": ELEMENT, "page": 1, "_value": "Bank of Dream"}})
    call = additional_values_call(tree, call_id=None, keys=LeafKeys(page=True, coordinates=True))
    assert call.model_dump(exclude_unset=True) == {
        "type": "function",
        "function": {
            "name": "additional_values",
            "arguments": (
                '{"bank_name":{"_value":"Bank of Dream","page":1,"coordinates":[{"x":0.07,"y":0.148},'
                '{"x":0.2074,"y":0.148},{"x":0.2074,"y":0.1606},{"x":0.07,"y":0.1606}]}}'
            ),
        },
    }
    assert additional_values_call(tree, call_id="call_A", keys=LeafKeys(page=True)).id == "call_A"


def test_the_keys_of_a_leaf_stand_in_the_usual_order():
    """Whatever the order they were read in."""
    shuffled = dict(reversed(ROWS["items"][0]["name"].items()))
    assert written(read({"name": shuffled}), EVERYTHING_ASKED) == json.dumps(
        {"name": ROWS["items"][0]["name"]}, separators=(",", ":")
    )


def test_a_leaf_without_a_place_is_written_with_the_keys_that_were_asked_for():
    """Page -1 and empty lists, whatever was known of the page alone."""
    tree: AdditionalTree = {"a": AdditionalValue(value="", page=3), "b": AdditionalValue(value=1)}
    assert json.loads(written(tree, EVERYTHING_ASKED)) == {
        "a": {"_value": "", **NOWHERE},
        "b": {"_value": 1, **NOWHERE},
    }
    assert json.loads(written(tree, LeafKeys(page=True, coordinates=True))) == {
        "a": {"_value": "", "page": -1, "coordinates": []},
        "b": {"_value": 1, "page": -1, "coordinates": []},
    }


def test_coordinates_are_rounded_to_four_decimals():
    """As the vendor's."""
    point = WirePoint(x=0.123456, y=1 / 3)
    tree: AdditionalTree = {"a": AdditionalValue(value=1, page=1, coordinates=[point] * 4)}
    assert json.loads(written(tree, LeafKeys(coordinates=True)))["a"]["coordinates"][0] == {"x": 0.1235, "y": 0.3333}


def test_fieldmarks_own_keys_are_written_only_when_all_is_told():
    """A vendor's client never sees them."""
    tree: AdditionalTree = {
        "a": AdditionalValue(value=1, confidence="high", raw="1", verdict="found", probability=0.99)
    }
    assert json.loads(written(tree, LeafKeys(confidence=True))) == {"a": {"_value": 1, "confidence": "high"}}
    everything = json.loads(written(tree, EVERY_LEAF_KEY))["a"]
    assert (everything["raw"], everything["verdict"], everything["probability"]) == ("1", "found", 0.99)


def test_text_that_is_no_valid_unicode_is_written_all_the_same():
    """A lone surrogate in what a model said must not lose the record."""
    tree: AdditionalTree = {"a": AdditionalValue(value="\ud83d")}
    assert json.loads(written(tree, LeafKeys(confidence=True))) == {"a": {"_value": "\ud83d"}}


def test_the_score_of_a_choice_mirrors_the_answer():
    """Four decimals at most, a space after each separator, null where nothing is known."""
    tree: AdditionalTree = {
        "contract_start": AdditionalValue(value="2026-08-01", probability=0.991),
        "weekly_holiday_day": AdditionalValue(value="", probability=0.57449),
        "rows": [{"amount": AdditionalValue(value=1)}],
    }
    assert confidence_score(tree) == (
        '{"contract_start": 0.991, "weekly_holiday_day": 0.5745, "rows": [{"amount": null}]}'
    )


@given(TREES)
def test_reading_what_was_written_gives_the_same_tree(tree: dict[str, AdditionalTree]):
    """Decode after encode is the value, with every key."""
    assert read_additional_values(message(written(tree, EVERY_LEAF_KEY))) == placeless(tree)


def placeless(tree: AdditionalTree) -> AdditionalTree:
    """The tree in which a page without a polygon counts as no place."""
    if isinstance(tree, dict):
        return {key: placeless(child) for key, child in tree.items()}
    if isinstance(tree, list):
        return [placeless(child) for child in tree]
    return tree if tree.is_located else tree.model_copy(update=NOWHERE)
