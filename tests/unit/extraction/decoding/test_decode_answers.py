"""What a model's answer means, whatever form it has."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.errors import DecodingError, ErrorCode
from service.domain.geometry import Box
from service.domain.records import Confidence, Verdict
from service.domain.schema import FieldType, SchemaField, walk_leaves
from service.extraction.decoding.decode import Finish, decode_choice, judge_finish_reason
from service.extraction.decoding.encode import CompletionHead, EncodeOptions, encode_completion
from service.protocol.emission import WirePath
from service.protocol.request import ExtractionOptions
from tests.unit.extraction.answers import choice_of, corners, decoded, schema_of
from tests.unit.extraction.strategies import extractions, schemas

SCHEMA = schema_of(
    number="string", total="number", count="integer", paid="boolean",
    lines=[{"text": "string", "qty": "integer"}], tags=["string"], address={"city": "string"},
)  # fmt: skip
BOX = Box(0.1, 0.2, 0.3, 0.25)


def code_of(content: object, finish_reason: str | None = "stop", refusal: str | None = None) -> ErrorCode:
    """The code with which an answer is refused."""
    choice = choice_of(content, finish_reason=finish_reason)
    if refusal:
        choice = choice.model_copy(update={"message": choice.message.model_copy(update={"refusal": refusal})})
    with pytest.raises(DecodingError) as caught:
        decode_choice(choice, schema=SCHEMA, pages=(1,), model="m")
    return caught.value.code


@pytest.mark.parametrize(
    "text",
    [
        '{"number": "A-1"}',
        'Here it is [1]:\n{"number": "A-1"}\n[1] see page 2 {not json}',
        'The {schema} says:\n```json\n{"number": "A-1"}\n```\nDone.',
        'Like {"type": "object"}:\n```\n{"number": "A-1"}\n```',
        '<think>{"number": "B"} or so</think>{"number": "A-1"}',
        '[{"number": "A-1"}]',
        '\ufeff  {"number": "A-1"} {"number": "B"}',
    ],
)
def test_the_object_is_found_among_other_text(text: str) -> None:
    """Prose, footnotes, fences and thoughts around the object."""
    assert decoded(SCHEMA, text).values["number"] == "A-1"


@pytest.mark.parametrize("value", ["a ``` b", "```json\n{}\n```", "x\n```\ny", "}{", '"', "\\"])
def test_back_ticks_and_braces_inside_values_are_part_of_them(value: str) -> None:
    """A fence counts at the start of a line outside the object alone."""
    assert decoded(SCHEMA, {"number": value}).values["number"] == value


def test_raw_line_breaks_inside_strings_are_read() -> None:
    """Models write them although JSON forbids it."""
    assert decoded(SCHEMA, '{"number": "A\nB"}').values["number"] == "A\nB"


@pytest.mark.parametrize(
    "content",
    [
        "", "  ", None, "no data", "[]", "12", '"x"', "{'number': 'A'", '{"number": "A"', '{"number": ', "{",
        '[{"number": "A"}, {"number": "B"}]', '{"other": 1}', "[" * 100_000, '{"number":' * 50_000,
        '{"total": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_an_answer_without_a_whole_object_of_the_schema_is_refused(content: object) -> None:
    """With one code, also for endless nesting and numbers."""
    assert code_of(content) is ErrorCode.MODEL_BAD_ANSWER


@given(st.integers(1, 200))
def test_a_truncated_answer_is_never_half_read(cut: int) -> None:
    """Wherever it was cut, and whatever reason was given."""
    text = json.dumps({"lines": [{"text": f"row {n}", "qty": n} for n in range(9)], "number": "A"}, indent=0)
    assert code_of(text[: min(cut, len(text) - 1)], None) is ErrorCode.MODEL_BAD_ANSWER
    assert code_of(text, "length") is ErrorCode.OUTPUT_TRUNCATED


@pytest.mark.parametrize(
    "content",
    [
        {"number": {"_value": "A", "confidence": "high"}},
        {"lines": [{"text": {"_value": "A"}, "qty": 1}]},
        {"number": "number", "lines": [{"text": "text", "qty": None}]},
        {"number": "string", "tags": ["string"]},
        {"type": "object", "properties": {"number": {"type": "string"}}, "number": None},
    ],
)
def test_an_echo_of_the_question_is_no_answer(content: object) -> None:
    """Envelope, field names, type names or the schema itself as values."""
    assert code_of(content) is ErrorCode.MODEL_BAD_ANSWER


def test_one_value_that_is_its_own_label_is_no_echo() -> None:
    """A single coincidence is left to grounding."""
    assert decoded(SCHEMA, {"number": "number", "total": 3}).values["number"] == "number"


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("stop", Finish.DONE), ("tool_calls", Finish.DONE), (None, Finish.DONE), ("length", Finish.TRUNCATED),
     ("content_filter", Finish.FILTERED)],
)  # fmt: skip
def test_known_finish_reasons(reason: str | None, finish: Finish) -> None:
    """Each has its rule."""
    assert judge_finish_reason(reason) is finish


def test_an_unknown_finish_reason_fails_by_name() -> None:
    """Nothing is guessed."""
    with pytest.raises(DecodingError, match="'insufficient_system_resource'") as caught:
        judge_finish_reason("insufficient_system_resource")
    assert caught.value.code is ErrorCode.UNKNOWN_FINISH_REASON


def test_a_filtered_or_refused_answer_ends_with_a_message_that_quotes_nothing() -> None:
    """Neither the refusal nor the document is in the message."""
    assert code_of({"number": "secret"}, "content_filter") is ErrorCode.CONTENT_FILTERED
    assert code_of(None, refusal="I will not read this secret") is ErrorCode.CONTENT_FILTERED
    with pytest.raises(DecodingError) as caught:
        decode_choice(choice_of("secret text"), schema=SCHEMA, pages=(1,), model="m")
    assert "secret" not in str(caught.value)


def test_the_full_shape_is_there_even_for_an_empty_answer() -> None:
    """Null for leaves, no rows for arrays, an entry for every leaf."""
    found = decoded(SCHEMA, {})
    assert found.values == {
        "number": None, "total": None, "count": None, "paid": None, "lines": [], "tags": [], "address": {"city": None},
    }  # fmt: skip
    assert {entry.verdict for entry in found.fields.values()} == {Verdict.ABSENT}


@pytest.mark.parametrize(
    ("name", "sent", "value"),
    [
        ("total", "12.5", 12.5), ("total", "1,234.50", 1234.5), ("total", "1.234,50 €", 1234.5), ("total", 7, 7),
        ("total", "-3", -3), ("total", "(12.50)", -12.5), ("count", 3.0, 3), ("count", "3", 3), ("count", "3.0", 3),
        ("paid", "true", True), ("paid", "False", False), ("paid", 1, True), ("number", 12, "12"),
        ("number", True, "true"), ("number", "  A ", "A"), ("number", "a\x00b\ud800", "ab"),
    ],
)  # fmt: skip
def test_types_are_fitted_where_nothing_is_lost(name: str, sent: object, value: object) -> None:
    """Numbers in text, text in numbers, yes and no."""
    found = decoded(SCHEMA, {name: sent})
    assert found.values[name] == value
    assert type(found.values[name]) is type(value)
    assert found.issues == ()


def test_a_number_for_a_text_keeps_its_digits() -> None:
    """10.50 is not 10.5 as a text."""
    assert decoded(SCHEMA, '{"number": 10.50}').values["number"] == "10.50"


@pytest.mark.parametrize(
    ("name", "sent"),
    [("total", "about 12"), ("total", "1.234 or 5"), ("total", True), ("total", "12,345"), ("count", 3.5),
     ("paid", "perhaps"), ("paid", 2), ("number", ["A"]), ("number", {"a": 1}), ("total", [1])],
)  # fmt: skip
def test_what_does_not_fit_becomes_null_with_its_text_kept(name: str, sent: object) -> None:
    """And an issue tells of it."""
    found = decoded(SCHEMA, {name: sent})
    entry = found.fields[f"/{name}"]
    assert (entry.value, entry.verdict, entry.confidence) == (None, Verdict.UNREADABLE, Confidence.LOW)
    assert entry.raw
    assert [issue.code for issue in found.issues] == ["wrong_type"]


@pytest.mark.parametrize("text", ['{"total": NaN}', '{"total": Infinity}', '{"total": 1e999}', '{"total": -1e99999}'])
def test_numbers_that_are_none_become_null(text: str) -> None:
    """NaN, infinities and what overflows."""
    assert decoded(SCHEMA, text).fields["/total"].verdict is Verdict.UNREADABLE


@pytest.mark.parametrize("sent", ["", None, "null", ": null", "   "])
def test_words_for_nothing_are_absent(sent: object) -> None:
    """As vendors write a missing text."""
    assert decoded(SCHEMA, {"number": sent}).fields["/number"].verdict is Verdict.ABSENT


def test_an_unsure_zero_without_words_is_absent_a_located_one_is_a_value() -> None:
    """Vendors write 0 for a missing number; a model without extras may mean it."""
    element = {"page": 1, "coordinates": corners(BOX)}
    unsure = {"_value": 0, "confidence": "low", **element, "word_coordinates": []}
    located = {"_value": 0, "confidence": "low", **element, "word_coordinates": [corners(BOX)]}
    sure = {"_value": 0, "confidence": "high", **element, "word_coordinates": []}
    found = decoded(SCHEMA, {"total": 0}, {"total": unsure})
    assert (found.values["total"], found.fields["/total"].location) == (None, None)
    assert decoded(SCHEMA, {"total": 0}, {"total": located}).values["total"] == 0
    assert decoded(SCHEMA, {"total": 0}, {"total": sure}).values["total"] == 0
    assert decoded(SCHEMA, {"total": 0}).values["total"] == 0


def test_unknown_and_repeated_keys_are_reported_without_being_quoted() -> None:
    """A key may be text of the document."""
    found = decoded(SCHEMA, '{"number": "A", "number": "B", "Jane Roe": 1, "lines": [{"qty": 1, "zzz": 2}]}')
    assert found.values["number"] == "B"
    assert found.values["lines"] == [{"text": None, "qty": 1}]
    assert sorted(issue.code for issue in found.issues) == ["duplicate_keys", "unknown_keys", "unknown_keys"]
    assert not any("Jane" in issue.message for issue in found.issues)


def test_empty_rows_are_left_out_and_the_others_keep_their_own_entries() -> None:
    """Entries move up with their rows."""
    lines = [{"text": "", "qty": None}, {"text": "A", "qty": 1}, {}, {"text": None, "qty": 2}]
    extras = {"lines": [
        {"text": {"_value": ""}, "qty": {"_value": None}}, {"text": {"_value": "A", "confidence": "high"}},
        {}, {"qty": {"_value": 2, "confidence": "high", "page": 2, "coordinates": corners(BOX)}},
    ]}  # fmt: skip
    found = decoded(SCHEMA, {"lines": lines}, extras)
    assert found.values["lines"] == [{"text": "A", "qty": 1}, {"text": None, "qty": 2}]
    assert found.fields["/lines/0/text"].confidence is Confidence.HIGH
    place = found.fields["/lines/1/qty"].location
    assert place is not None
    assert place.page == 2


@pytest.mark.parametrize(
    ("sent", "rows"),
    [
        ("", []), (None, []), ([], []), ({"text": "A", "qty": 1}, [{"text": "A", "qty": 1}]),
        ('[{"text": "A", "qty": 1}]', [{"text": "A", "qty": 1}]), ("prose", []), (5, []),
    ],
)  # fmt: skip
def test_arrays_in_other_forms(sent: object, rows: object) -> None:
    """One row without its list, JSON in a string, nothing at all."""
    assert decoded(SCHEMA, {"lines": sent}).values["lines"] == rows


def test_objects_and_lists_of_words_in_other_forms() -> None:
    """Fitted where the meaning is plain."""
    assert decoded(SCHEMA, {"tags": "one"}).values["tags"] == ["one"]
    assert decoded(SCHEMA, {"address": '{"city": "X"}'}).values["address"] == {"city": "X"}
    assert decoded(SCHEMA, {"address": [{"city": "X"}]}).values["address"] == {"city": "X"}
    assert decoded(SCHEMA, {"address": "X street"}).values["address"] == {"city": None}


def test_pages_of_the_request_become_pages_of_the_file() -> None:
    """A page beyond the request is no location, and told."""
    leaf = {"_value": "A", "confidence": "high", "page": 2, "coordinates": corners(BOX), "word_coordinates": []}
    place = decoded(SCHEMA, {"number": "A"}, {"number": leaf}, pages=(4, 9)).fields["/number"].location
    assert place is not None
    assert place.page == 9
    beyond = decoded(SCHEMA, {"number": "A"}, {"number": {**leaf, "page": 3}}, pages=(4, 9))
    assert beyond.fields["/number"].location is None
    assert [issue.code for issue in beyond.issues] == ["page_out_of_range"]


@pytest.mark.parametrize(
    "polygon",
    [[], [{"x": 0.1, "y": 0.1}], [{"x": 100, "y": 50}, {"x": 200, "y": 50}, {"x": 200, "y": 90}, {"x": 100, "y": 90}],
     [{"x": 0.1, "y": 0.1}] * 4, [{"x": "a", "y": None}] * 4, [{"x": 0.1, "y": 0.1}, {"x": 0.1, "y": 0.9}] * 2],
)  # fmt: skip
def test_boxes_that_are_no_boxes_on_the_page_are_no_location(polygon: object) -> None:
    """Pixels, slivers, points and missing corners."""
    leaf = {"_value": "A", "confidence": "high", "page": 1, "coordinates": polygon}
    entry = decoded(SCHEMA, {"number": "A"}, {"number": leaf}).fields["/number"]
    assert entry.location is None
    assert entry.value == "A"


def test_locations_of_another_value_are_left_out() -> None:
    """The answer counts; what was said of another value does not."""
    leaf = {"_value": "B-9", "confidence": "high", "page": 1, "coordinates": corners(BOX)}
    found = decoded(SCHEMA, {"number": "A-1"}, {"number": leaf})
    assert found.fields["/number"].location is None
    assert found.fields["/number"].confidence is Confidence.LOW
    assert [issue.code for issue in found.issues] == ["mismatched_locations"]


@pytest.mark.parametrize("extras", ["{not json", "[]", '"x"', "", {}, {"lines": 3}, {"number": "A"}, {"lines": [1]}])
def test_damaged_extras_cost_no_value_and_no_entry(extras: object) -> None:
    """The values are good without them."""
    found = decoded(SCHEMA, {"number": "A", "lines": [{"text": "B", "qty": 1}]}, extras)
    assert found.values["number"] == "A"
    assert found.fields.keys() == dict(walk_leaves(found.values)).keys()


def test_entries_that_stop_early_leave_no_leaf_without_one() -> None:
    """Row 45 of 120 has its entry too."""
    rows = [{"text": f"row {n}", "qty": n} for n in range(1, 121)]
    told = [{"text": {"_value": f"row {n}", "confidence": "high"}} for n in range(1, 45)]
    found = decoded(SCHEMA, {"lines": rows}, {"lines": told})
    assert len([path for path in found.fields if path.startswith("/lines/")]) == 240
    assert found.fields["/lines/119/text"].confidence is Confidence.LOW


def test_an_answer_that_is_only_a_tool_call_is_read_from_it() -> None:
    """`tool_calls` as the whole answer."""
    leaf = {"_value": "A", "confidence": "high"}
    assert decoded(SCHEMA, None, {"number": leaf, "total": {"_value": 1.5}}).values["total"] == 1.5


def test_an_enum_member_in_another_case_is_that_member() -> None:
    """And a member that looks like nothing is one."""
    schema = schema_of(currency={"type": "string", "enum": ["EUR", "USD"]}, mark={"type": "string", "enum": ["-", "x"]})
    assert decoded(schema, {"currency": "eur", "mark": "-"}).values == {"currency": "EUR", "mark": "-"}


KEYS = st.sampled_from(["number", "lines", "tags", "qty", "_v"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([p.name for p in SCHEMA.root.properties]), JSON), JSON)
def test_any_answer_gives_the_schemas_shape_and_an_entry_for_every_leaf(content: object, extras: object) -> None:
    """Or is refused with one code."""
    try:
        found = decode_choice(choice_of(content, extras), schema=SCHEMA, pages=(1,), model="m")
    except DecodingError as error:
        if error.code is not ErrorCode.MODEL_BAD_ANSWER:
            raise
        return
    assert_shape(found.values, SCHEMA.root)
    assert {path: entry.value for path, entry in found.fields.items()} == dict(walk_leaves(found.values))


def assert_shape(value: object, field: SchemaField) -> None:
    """A value has every property of its field, in order, and each leaf its type."""
    if field.type is FieldType.OBJECT:
        assert isinstance(value, dict)
        assert list(value) == [p.name for p in field.properties]
        for prop in field.properties:
            assert_shape(value[prop.name], prop)
    elif field.items is not None:
        assert isinstance(value, list)
        for child in value:
            assert_shape(child, field.items)
    else:
        allowed = {"string": str, "number": (int, float), "integer": int, "boolean": bool}[field.type]
        assert value is None or isinstance(value, allowed)


HEAD = CompletionHead(id="iex-AAAAAAAAAAAAAAAA", created=1, model="m")
EVERYTHING = EncodeOptions()


def asking(**asked: Any) -> EncodeOptions:
    """An answer on the vendor's path."""
    return EncodeOptions(path=WirePath.CHAT, asked=ExtractionOptions(**asked))


@given(st.data())
def test_decode_after_encode_is_the_same_extraction(data: st.DataObject) -> None:
    """Values, entries and places survive the wire."""
    schema = data.draw(schemas())
    given_ = data.draw(extractions(schema))
    (choice,) = encode_completion([given_], HEAD, EncodeOptions(relative_to=given_.pages)).choices
    try:
        again = decode_choice(choice, schema=schema, pages=given_.pages, model="m")
    except DecodingError as error:
        if "repeats the schema" not in error.message:  # values may happen to be the fields' own names
            raise
        return
    assert again.values == given_.values
    assert again.fields == given_.fields
    assert choice.page_ranges is not None
    assert all(low[1] < high[0] for low, high in pairwise(choice.page_ranges))


def test_keys_of_our_own_are_written_between_our_own_parts_only() -> None:
    """Other readers get the vendor's keys, and only those asked for."""
    found = decoded(SCHEMA, {"number": "A"})
    plain = encode_completion([found], HEAD, asking(location=True, confidence=True)).choices[0]
    assert plain.message.tool_calls is not None
    call = plain.message.tool_calls[0].function
    assert call is not None
    leaf = json.loads(str(call.arguments))["number"]
    assert list(leaf) == ["_value", "confidence", "page", "coordinates"]
    assert leaf == {"_value": "A", "confidence": "low", "page": -1, "coordinates": []}
    bare = encode_completion([found], HEAD, asking()).choices[0]
    assert (bare.message.tool_calls, bare.confidence_score) == (None, None)


def test_content_is_in_schema_order_and_pages_are_told_as_ranges() -> None:
    """Whatever order the model chose."""
    found = decoded(SCHEMA, {"total": 1, "number": "A"}, pages=(1, 2, 5))
    choice = encode_completion([found], HEAD, EVERYTHING).choices[0]
    assert list(json.loads(choice.message.text())) == [p.name for p in SCHEMA.root.properties]
    assert choice.page_ranges == [(1, 2), (5, 5)]
