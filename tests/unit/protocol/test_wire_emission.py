"""What each path writes, against the tables of docs/wire.md and against what each path promises."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given

from service.protocol.additional_values import AdditionalTree, AdditionalValue, WirePoint, additional_values_call
from service.protocol.completion import ChatCompletion
from service.protocol.emission import (
    KEYS,
    LEAF_KEYS,
    SUBSTITUTES,
    JsonType,
    Presence,
    WirePath,
    emit,
    leaf_keys,
    wire_value,
)
from service.protocol.request import ExtractionOptions
from tests.unit.protocol.wire_strategies import COMPLETIONS

DOCUMENT = (Path(__file__).parents[3] / "docs" / "wire.md").read_text(encoding="utf-8")
WHOLE_PATHS = [path for path in WirePath if path is not WirePath.STREAM]


def table(heading: str) -> dict[str, dict[str, str]]:
    """The first table under a heading: first cell → column → cell."""
    section = DOCUMENT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = list(
        itertools.takewhile(
            lambda line: line.startswith("|"),
            itertools.dropwhile(lambda line: not line.startswith("|"), section.splitlines()),
        )
    )
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    titles, _, *cells = rows
    assert len({row[0] for row in cells}) == len(cells), "a row stands twice"
    return {row[0].strip("`"): dict(zip(titles[1:], row[1:], strict=True)) for row in cells}


@pytest.mark.parametrize(
    ("heading", "code"), [("Keys of an answer", KEYS), ("Leaves of `additional_values`", LEAF_KEYS)]
)
def test_the_tables_of_keys_are_those_of_the_code(heading: str, code: dict[str, dict[WirePath, Presence]]):
    """Row by row, in order, every path."""
    documented = table(heading)
    assert list(documented) == list(code)
    assert {key: {path: cells[path] for path in WirePath} for key, cells in documented.items()} == {
        key: {path: str(presence) for path, presence in row.items()} for key, row in code.items()
    }


def test_the_table_of_substitutes_is_that_of_the_code():
    """Type by type, every path."""
    documented = {
        kind: {path: json.loads(cells[path].strip("`")) for path in WirePath}
        for kind, cells in table("A field without a value").items()
    }
    assert documented == SUBSTITUTES
    assert set(SUBSTITUTES) == set(get_args(JsonType))


def completion(**message: object) -> ChatCompletion:
    """A completion of one choice that says little."""
    return ChatCompletion.model_validate(
        {
            "id": "iex-0123456789abcdef",
            "created": 1750000000,
            "model": "m",
            "choices": [{"finish_reason": "stop", "message": {"content": "{}", **message}}],
            "usage": {"prompt_tokens": 951, "completion_tokens": 9, "total_tokens": 960},
        }
    )


CALL = {"type": "function", "function": {"name": "additional_values", "arguments": "{}"}}
EVERYTHING = ChatCompletion.model_validate(
    {
        "id": "iex-0123456789abcdef",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "system_fingerprint": "fp",
        "service_tier": "default",
        "surprise": 1,
        "usage": {
            "prompt_tokens": 1,
            "completion_tokens": 1,
            "total_tokens": 2,
            "prompt_tokens_details": {"cached_tokens": 1},
            "completion_tokens_details": {"reasoning_tokens": 1},
            "surprise": 1,
        },
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "logprobs": {"content": []},
                "confidence_score": "{}",
                "page_ranges": [[1, 1]],
                "surprise": 1,
                "message": {
                    "role": "assistant",
                    "name": "n",
                    "tool_call_id": "c",
                    "content": "{}",
                    "reasoning_content": "hm",
                    "refusal": "no",
                    "function_call": {"name": "f", "arguments": "{}"},
                    "tool_calls": [{"id": "call_A", **CALL, "surprise": 1}],
                    "surprise": 1,
                },
            }
        ],
    }
)
LITTLE = ChatCompletion.model_validate({"choices": [{"message": {"tool_calls": [{"function": {}}]}}], "usage": {}})


def keys_of(written: object, prefix: str = "") -> dict[str, object]:
    """Each key of an answer in the table's spelling, with its value."""
    found: dict[str, object] = {}
    if isinstance(written, dict):
        for key, value in written.items():
            row = f"{prefix}{key}"
            found[row] = value
            if any(known.startswith(f"{row}.") for known in KEYS):
                found |= keys_of(value, f"{row}.")
            elif any(known.startswith(f"{row}[].") for known in KEYS):
                assert isinstance(value, list)
                found |= keys_of(value[0], f"{row}[].")
    return found


@pytest.mark.parametrize("path", WHOLE_PATHS)
def test_an_answer_that_holds_everything_is_written_as_the_table_says(path: WirePath):
    """What is known is written but where the table forbids it."""
    written = keys_of(emit(EVERYTHING, path))
    for row, presence in KEYS.items():
        if row.startswith("choices[].delta") or row.startswith("("):
            continue
        assert (row in written) is (presence[path] is not Presence.NEVER), row
        if row in written:
            assert (written[row] is None) is (presence[path] is Presence.NULL), row
    assert [row for row in written if row.endswith("surprise")] == (
        [
            "choices[].message.tool_calls[].surprise",
            "choices[].message.surprise",
            "choices[].surprise",
            "usage.surprise",
            "surprise",
        ]
        if path is WirePath.STORED
        else []
    )


@pytest.mark.parametrize("path", WHOLE_PATHS)
def test_an_answer_that_holds_little_has_the_keys_that_are_always_there(path: WirePath):
    """Null where nothing is known, absent where nothing was asked."""
    written = keys_of(emit(LITTLE, path))
    for row, presence in KEYS.items():
        if row.startswith("choices[].delta") or row.startswith("usage.") or row.startswith("("):
            continue
        if presence[path] in (Presence.ALWAYS, Presence.NULL):
            assert row in written, row
        if presence[path] is Presence.NEVER:
            assert row not in written, row


def test_the_bare_path_answers_as_documented():
    """The vendor's older shape, null for null."""
    assert emit(completion(), WirePath.BARE) == {
        "id": "iex-0123456789abcdef",
        "choices": [
            {
                "finish_reason": "stop",
                "index": None,
                "logprobs": None,
                "message": {"content": "{}", "role": "assistant", "function_call": None, "tool_calls": None},
            }
        ],
        "created": 1750000000,
        "model": "m",
        "object": None,
        "system_fingerprint": None,
        "usage": {
            "completion_tokens": 9,
            "prompt_tokens": 951,
            "total_tokens": 960,
            "completion_tokens_details": None,
            "prompt_tokens_details": None,
        },
    }


def test_the_chat_path_has_every_key_openai_requires_and_no_null_it_forbids():
    """In the envelope, a choice, a message, a call and usage."""
    written: Any = emit(completion(tool_calls=[CALL]), WirePath.CHAT)
    choice = written["choices"][0]
    assert written["object"] == "chat.completion"
    assert "system_fingerprint" not in written
    assert (choice["index"], choice["finish_reason"], choice["logprobs"]) == (0, "stop", None)
    assert choice["message"]["refusal"] is None
    assert choice["message"]["tool_calls"][0]["id"].startswith("call_")
    assert "tool_calls" not in emit(completion(), WirePath.CHAT)["choices"][0]["message"]  # type: ignore[index,call-overload] - a list of objects


def test_the_bare_path_writes_calls_without_an_id():
    """As the vendor does."""
    written: Any = emit(completion(tool_calls=[CALL | {"id": "call_A"}]), WirePath.BARE)
    assert written["choices"][0]["message"]["tool_calls"] == [CALL]


def test_choices_are_numbered_and_calls_named_the_same_each_time():
    """So that an answer that is asked for twice is the same bytes."""
    choice = {"message": {"content": "{}", "tool_calls": [CALL]}}
    split = ChatCompletion.model_validate({"id": "iex-A", "choices": [choice, choice]})
    first: Any = emit(split, WirePath.CHAT)
    assert first == emit(split, WirePath.CHAT)
    assert [c["index"] for c in first["choices"]] == [0, 1]
    assert [c["message"]["tool_calls"][0]["id"] for c in first["choices"]] == ["call_A_0_0", "call_A_1_0"]


def test_content_in_parts_is_written_as_text():
    """No vendor's client expects a list."""
    parts = completion(content=[{"type": "text", "text": "{"}, {"type": "text", "text": "}"}])
    written: Any = emit(parts, WirePath.CHAT)
    assert written["choices"][0]["message"]["content"] == "{}"


def test_a_whole_answer_is_no_stream():
    """Chunks are written one by one."""
    with pytest.raises(ValueError, match="chunk"):
        emit(completion(), WirePath.STREAM)


@given(COMPLETIONS)
def test_what_is_stored_is_the_whole_answer(answer: ChatCompletion):
    """Reading it again loses nothing but an absent id, which is filled."""
    again = ChatCompletion.model_validate_json(json.dumps(emit(answer, WirePath.STORED)))
    assert emit(again, WirePath.STORED) == emit(answer, WirePath.STORED)
    assert [c.message.text() for c in again.choices] == [c.message.text() for c in answer.choices]


@pytest.mark.parametrize("path", [path for path in WirePath if path is not WirePath.STORED])
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (ExtractionOptions(), None),
        (ExtractionOptions(location=False, confidence=False, location_granularity="all"), None),
        (ExtractionOptions(confidence=True), ["_value", "confidence"]),
        (ExtractionOptions(location=True), ["_value", "page", "coordinates"]),
        (ExtractionOptions(location=True, location_granularity="element"), ["_value", "page", "coordinates"]),
        (ExtractionOptions(location=True, location_granularity="word"), ["_value", "page", "word_coordinates"]),
        (
            ExtractionOptions(location=True, confidence=True, location_granularity="all"),
            ["_value", "confidence", "page", "coordinates", "word_coordinates"],
        ),
    ],
)
def test_leaves_have_the_keys_that_were_asked_for(
    path: WirePath, options: ExtractionOptions, expected: list[str] | None
):
    """In the usual order; no call at all when nothing was asked."""
    keys = leaf_keys(path, options)
    assert (keys and leaf_of(additional_values_call(LEAF, call_id=None, keys=keys))) == expected


def test_stored_leaves_have_every_key():
    """Whatever was asked for."""
    keys = leaf_keys(WirePath.STORED, ExtractionOptions())
    assert keys is not None
    assert leaf_of(additional_values_call(LEAF, call_id=None, keys=keys)) == [
        "_value", "confidence", "page", "coordinates", "word_coordinates", "raw", "verdict", "probability", "surprise",
    ]  # fmt: skip


CORNERS = [WirePoint(x=0, y=0), WirePoint(x=1, y=0), WirePoint(x=1, y=1), WirePoint(x=0, y=1)]
LEAF: AdditionalTree = {
    "a": AdditionalValue.model_validate(
        {
            "surprise": 1,
            "_value": 1,
            "confidence": "high",
            "page": 1,
            "coordinates": CORNERS,
            "word_coordinates": [CORNERS],
            "raw": "1",
            "verdict": "found",
            "probability": 0.9,
        }
    )
}


def leaf_of(call: Any) -> list[str]:
    """The keys of the leaf `a` of a call, in order."""
    return list(json.loads(call.function.arguments)["a"])


@pytest.mark.parametrize("path", WirePath)
@pytest.mark.parametrize(("value", "kind"), [("x", "string"), (0, "number"), (False, "boolean"), ([1], "array")])
def test_a_value_is_written_as_it_is(path: WirePath, value: Any, kind: JsonType):
    """Zero and false are values."""
    assert wire_value(value, kind, path) == value


def test_an_empty_list_belongs_to_the_caller():
    """Filling one must not fill the next."""
    first = wire_value(None, "array", WirePath.CHAT)
    assert first == []
    assert first is not wire_value(None, "array", WirePath.CHAT)
