"""What the vendor's paths write: every key, its order, what stands for nothing, and whether the answer is whole."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.protocol.sse import EventReader
from tests.api.job_calls import letter
from tests.dropin import openai_objects
from tests.dropin.conftest import Live, Starter
from tests.dropin.vendor_calls import (
    CHAT,
    EXTRACTION,
    GENERATION,
    body,
    bound,
    content_of,
    data_url,
    leaves_of,
    messages,
    response_format,
    sample_body,
)
from tests.fakes.model_stub import ModelStub

LETTERS = ("Letter number: L-17", "Letter number: B-2")
INVOICES = (
    "Quillfox Paperworks\nInvoice\nInvoice number: QF-1\nPage 1 of 1\nTotal 10.00",
    "Lantern & Loom\nInvoice\nInvoice number: LL-2\nPage 1 of 1\nTotal 20.00",
)


def post(live: Live, path: str, asked: dict[str, Any], **headers: str) -> dict[str, Any]:
    """The answer to a request that goes well."""
    answer = live.client.post(path, json=asked, headers=headers)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said


def test_the_bare_path_has_the_documented_nulls(live: Live) -> None:
    """In the order of the recorded answers."""
    answer = post(live, EXTRACTION, body())
    assert list(answer) == ["id", "choices", "created", "model", "object", "system_fingerprint", "usage"]
    (choice,) = answer["choices"]
    assert list(choice)[:4] == ["finish_reason", "index", "logprobs", "message"]
    assert list(choice["message"]) == ["content", "role", "function_call", "tool_calls"]
    nulls = (answer["object"], answer["system_fingerprint"], choice["index"], choice["logprobs"])
    assert (*nulls, choice["message"]["function_call"], choice["message"]["tool_calls"]) == (None,) * 6
    assert re.fullmatch(r"iex-[0-9A-Za-z]{16}", answer["id"])
    assert answer["model"] == "information-extract-261101"
    assert {*answer["usage"]} >= {"prompt_tokens", "completion_tokens", "total_tokens"}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"confidence": True},
        {"location": True},
        {"location": True, "location_granularity": "word"},
        {"location": True, "location_granularity": "all", "confidence": True},
        {"split": True, "location": True},
        {"mode": "enhanced", "stream": False, "temperature": 0, "max_tokens": 10, "seed": 1, "n": 1, "new_key": {}},
    ],
)
def test_the_chat_path_keeps_openais_definitions(live: Live, more: dict[str, Any]) -> None:
    """Whatever is asked for."""
    answer = post(live, CHAT, body(**more))
    openai_objects.assert_is(openai_objects.COMPLETION, answer)
    assert ("tool_calls" in answer["choices"][0]["message"]) == bool(more.get("confidence") or more.get("location"))


@settings(max_examples=15, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "location": st.booleans(),
            "confidence": st.booleans(),
            "location_granularity": st.sampled_from(["element", "word", "all"]),
            "split": st.booleans(),
            "doc_split": st.booleans(),
            "mode": st.sampled_from(["standard", "enhanced"]),
            "chunking": st.fixed_dictionaries({"pages_per_chunk": st.integers(1, 5)}),
        },
    )
)
def test_any_options_give_an_answer_by_the_definitions(live: Live, options: dict[str, Any]) -> None:
    """Leaf keys are those asked for, in the usual order."""
    answer = post(live, CHAT, body(bound(LETTERS), **options))
    openai_objects.assert_is(openai_objects.COMPLETION, answer)
    if not (options.get("location") or options.get("confidence")):
        return
    granularity = options.get("location_granularity", "element")
    wanted = ["_value"]
    wanted += ["confidence"] * bool(options.get("confidence"))
    if options.get("location"):
        wanted += ["page"]
        wanted += ["coordinates"] * (granularity != "word") + ["word_coordinates"] * (granularity != "element")
    assert list(leaves_of(answer)["number"]) == wanted


def test_what_is_missing_is_written_as_the_vendor_writes_it(live: Live) -> None:
    """By type, in the content and in `_value`; nowhere is page -1 with empty lists."""
    for path in (EXTRACTION, CHAT):
        answer = post(live, path, body(location=True, location_granularity="all", confidence=True))
        content, leaves = content_of(answer), leaves_of(answer)
        assert content == {"number": "L-17", "fax": "", "total": 0, "copies": 0, "lines": []}
        assert list(content) == list(leaves) == ["number", "fax", "total", "copies", "lines"]
        assert leaves["lines"] == []
        for name in ("fax", "total", "copies"):
            leaf = leaves[name]
            assert leaf["_value"] == content[name]
            assert (leaf["page"], leaf["coordinates"], leaf["word_coordinates"]) == (-1, [], [])
            assert leaf["confidence"] in ("high", "low")


def test_places_are_rounded_corners_clockwise_from_the_top_left(live: Live) -> None:
    """Fractions of the page, four decimals, one polygon a word."""
    leaf = leaves_of(post(live, CHAT, body(location=True, location_granularity="all")))["number"]
    corners = [(point["x"], point["y"]) for point in leaf["coordinates"]]
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    assert x0 == x3 < x1 == x2
    assert y0 == y1 < y2 == y3
    for polygon in (leaf["coordinates"], *leaf["word_coordinates"]):
        assert len(polygon) == 4
        for point in polygon:
            assert all(0 <= point[axis] <= 1 and point[axis] == round(point[axis], 4) for axis in ("x", "y"))
    assert leaf["page"] == 1


def test_arguments_are_compact_and_mirror_the_answer(live: Live) -> None:
    """Rows in the same number and order, leaves in the place of scalars."""
    answer = post(live, CHAT, sample_body("invoice", confidence=True))
    content, leaves = content_of(answer), leaves_of(answer)
    text = answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
    assert json.dumps(leaves, separators=(",", ":"), ensure_ascii=False) == text
    assert stripped(leaves) == content
    assert len(content["lines"]) > 5
    score = json.loads(answer["choices"][0]["confidence_score"])
    assert {*score} == {*content}


def stripped(tree: Any) -> Any:
    """The values of a tree of leaves."""
    if isinstance(tree, list):
        return [stripped(child) for child in tree]
    if "_value" in tree:
        return tree["_value"]
    return {name: stripped(child) for name, child in tree.items()}


def test_split_gives_a_choice_for_each_document(live: Live) -> None:
    """In page order, with its pages; leaves count the pages of the file. The older name means the same."""
    file = bound(INVOICES)
    schema = {"type": "object", "properties": {"number": {"type": "string", "description": "Invoice number"}}}
    for name in ("split", "doc_split"):
        answer = post(live, CHAT, body(file, response_format=response_format(schema), location=True, **{name: True}))
        openai_objects.assert_is(openai_objects.COMPLETION, answer)
        assert [choice["index"] for choice in answer["choices"]] == [0, 1]
        assert [choice["page_ranges"] for choice in answer["choices"]] == [[[1, 1]], [[2, 2]]]
        assert [content_of(answer, n)["number"] for n in (0, 1)] == ["QF-1", "LL-2"]
        assert [leaves_of(answer, n)["number"]["page"] for n in (0, 1)] == [1, 2]
    whole = post(live, CHAT, body(file, response_format=response_format(schema)))
    assert len(whole["choices"]) == 1


def test_a_lost_page_is_told_by_the_finish_reason(start: Starter) -> None:
    """A model that fails for half of the file: the other half comes, and says that it is not all."""
    with ModelStub() as stub:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage", model_attempts=1)
        stub.script({"fault": "400", "repeat": 1})
        answer = post(live, CHAT, body(bound(LETTERS), chunking={"pages_per_chunk": 1}))
        assert [choice["finish_reason"] for choice in answer["choices"]] == ["length"]
        whole = post(live, CHAT, body(bound(LETTERS), chunking={"pages_per_chunk": 1}, seed=2))
    assert [choice["finish_reason"] for choice in whole["choices"]] == ["stop"]
    openai_objects.assert_is(openai_objects.COMPLETION, answer)


def test_a_lost_document_is_told_by_the_others(start: Starter) -> None:
    """With `split`, a document that failed has no choice; none of the rest may pass for all."""
    with ModelStub() as stub:
        live = start(
            upstage_base_url=stub.base_url, upstage_api_key="up_test", dropin_model="upstage", model_attempts=1
        )  # fmt: skip
        stub.script("400")
        answer = post(live, CHAT, body(bound(INVOICES), split=True))
        assert [choice["finish_reason"] for choice in answer["choices"]] == ["length"]
        whole = post(live, CHAT, body(bound(INVOICES), split=True, seed=2))
    assert [choice["finish_reason"] for choice in whole["choices"]] == ["stop", "stop"]


@pytest.mark.parametrize("media_type", ["application/pdf", "image/png", "application/octet-stream", "x/y;a=b", ""])
def test_any_declared_type_is_taken(live: Live, media_type: str) -> None:
    """The bytes tell what it is."""
    answer = post(live, CHAT, body(messages=messages(letter(), media_type=media_type)))
    assert content_of(answer)["number"] == "L-17"


def test_openais_own_file_part_is_taken(live: Live) -> None:
    """The way in which OpenAI's clients send a PDF, with words beside it."""
    part = {"type": "file", "file": {"filename": "a.pdf", "file_data": data_url(letter(), "application/pdf")}}
    asked = [
        {"role": "system", "content": "You read letters."},
        {"role": "user", "content": [{"type": "text", "text": "Read this."}, part]},
    ]
    assert content_of(post(live, CHAT, body(messages=asked)))["number"] == "L-17"


def test_strict_schemas_with_unions_and_nested_objects_are_taken(live: Live) -> None:
    """More than the vendor takes, so nothing has to be flattened."""
    schema = {
        "type": "object",
        "properties": {
            "number": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "sender": {"type": "object", "properties": {"fax": {"type": ["string", "null"]}}},
        },
        "required": ["number", "sender"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": schema}}
    assert content_of(post(live, CHAT, body(response_format=form))) == {"number": "L-17", "sender": {"fax": ""}}


@pytest.mark.parametrize(
    ("name", "echo"),
    [
        ("information-extract", "information-extract-261101"),
        ("information-extract-nightly", "information-extract-261101"),
        ("information-extract-260904", "information-extract-260904"),
        ("embedded", "embedded:2026.11"),
    ],
)
def test_the_echoed_model_is_dated(live: Live, name: str, echo: str) -> None:
    """As the table in docs/drop-in.md says."""
    assert post(live, CHAT, body(model=name))["model"] == echo


def test_a_mode_that_makes_no_difference_is_reported(live: Live) -> None:
    """In a header, and as an issue of the job."""
    answer = live.client.post(CHAT, json=body(mode="enhanced"))
    assert answer.headers["x-fieldmark-not-honoured"] == "mode"
    job = httpx.get(f"{live.url}/api/v1/jobs/{answer.headers['x-fieldmark-job']}", timeout=60).json()
    assert [issue["code"] for issue in job["issues"]] == ["mode_not_honoured"]
    plain = live.client.post(CHAT, json=body())
    assert "x-fieldmark-not-honoured" not in plain.headers


def test_streams_keep_openais_definitions_on_both_spellings(live: Live) -> None:
    """Every event of them, choices of a split included."""
    for path in (EXTRACTION, CHAT):
        asked = body(bound(LETTERS), stream=True, stream_options={"include_usage": True}, confidence=True, split=True)
        answer = live.client.post(path, json=asked)
        assert answer.headers["content-type"].startswith("text/event-stream")
        reader = EventReader()
        events = reader.feed(answer.content) + reader.close()
        assert events.pop() == "[DONE]"
        for event in events:
            openai_objects.assert_is(openai_objects.CHUNK, json.loads(event))


def test_a_stream_that_fails_ends_with_an_error(live: Live) -> None:
    """And without `[DONE]`."""
    answer = live.client.post(CHAT, json=body(b"%PDF-1.7\nnothing of a PDF", stream=True))
    (event,) = EventReader().feed(answer.content)
    openai_objects.assert_is(openai_objects.ERROR, json.loads(event))
    assert json.loads(event)["error"]["code"] == "damaged_file"


@pytest.mark.parametrize(
    ("change", "status", "code", "param"),
    [
        ({"response_format": None}, 400, "invalid_request_body", "response_format"),
        ({"response_format": {"type": "json_object"}}, 400, "invalid_request_body", "response_format.type"),
        ({"messages": [{"role": "user", "content": "no file"}]}, 400, "invalid_request_body", None),
        ({"model": None}, 400, "invalid_request_body", "model"),
        ({"model": "information-extract-old"}, 400, "invalid_request_body", "model"),
        ({"model": "gpt-5"}, 400, "invalid_request_body", "model"),
        ({"mode": "fast"}, 400, "invalid_request_body", "mode"),
        ({"location_granularity": "line"}, 400, "invalid_request_body", "location_granularity"),
        ({"chunking": {"pages_per_chunk": 0}}, 400, "invalid_request_body", "chunking.pages_per_chunk"),
        ({"stream_options": {"include_usage": True}}, 400, "invalid_request_body", None),
        ({"response_format": response_format({"type": "array"})}, 400, "invalid_schema", "/"),
        ({"messages": messages(b"")}, 400, "empty_file", "file"),
        ({"messages": messages(b"plain words")}, 415, "unsupported_format", None),
        ({"messages": messages(b"%PDF-1.7\nnothing follows")}, 422, "damaged_file", None),
        ({"messages": messages(letter(encrypt="open"))}, 422, "password_required", None),
        ({"messages": messages(letter(), letter())}, 400, "invalid_request_body", "messages"),
        ({"messages": messages(*[letter()] * 4)}, 400, "invalid_request_body", "body"),
    ],
)
def test_errors_have_the_vendors_statuses(
    live: Live, change: dict[str, Any], status: int, code: str, param: str | None
) -> None:
    """One body, on both spellings, with the headers of every answer."""
    for path in (EXTRACTION, CHAT):
        answer = live.client.post(path, json=body(**change))
        assert answer.status_code == status, answer.text
        openai_objects.assert_is(openai_objects.ERROR, answer.json())
        error = answer.json()["error"]
        assert (error["code"], error["request_id"]) == (code, answer.headers["x-request-id"])
        if param is not None:
            assert error["param"] == param
        assert int(answer.headers["x-upstage-ratelimit-limit-requests"]) == 200


def test_prebuilt_extraction_is_refused_by_name(live: Live) -> None:
    """A form on the bare path is the vendor's deprecated interface."""
    answer = live.client.post(EXTRACTION, files={"document": letter()}, data={"model": "receipt-extraction"})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "option_not_supported"
    assert "deprecated" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", [GENERATION, f"{GENERATION}/chat/completions", EXTRACTION, CHAT])
@pytest.mark.parametrize("place", ["system", "inside", "apart"])
def test_a_schema_is_asked_for_on_every_spelling(live: Live, path: str, place: str) -> None:
    """With the instruction in each of the three places; the answer is sent back unchanged as `response_format`."""
    (user,) = messages(letter(), letter())
    said = "Generate a schema for letters with these fields: letter number"
    asked = {
        "system": [{"role": "system", "content": said}, user],
        "inside": [{"role": "user", "content": [{"role": "system", "content": said}, *user["content"]]}],
        "apart": [user, {"role": "user", "content": said}],
    }[place]
    model = "information-extract" if path.startswith(GENERATION) else "schema-generate"
    answer = live.client.post(path, json={"model": model, "messages": asked})
    assert answer.status_code == 200, answer.text
    generated = json.loads(answer.json()["choices"][0]["message"]["content"])
    assert "letter_number" in generated["json_schema"]["schema"]["properties"]
    extracted = live.client.post(CHAT, json=body(response_format=generated))
    assert extracted.status_code == 200, extracted.text
    too_many = {"model": model, "messages": messages(*[letter()] * 4)}
    assert live.client.post(path, json=too_many).json()["error"]["code"] == "invalid_request_body"


def test_unknown_paths_and_methods_have_the_error_body_and_the_headers(live: Live) -> None:
    """Also where the vendor's gateway would answer without one."""
    for answer, status in (
        (live.client.get(f"{EXTRACTION}/nothing"), 404),
        (live.client.delete(CHAT), 405),
    ):
        assert answer.status_code == status
        openai_objects.assert_is(openai_objects.ERROR, answer.json())
        assert "x-upstage-ratelimit-limit-requests" in answer.headers
        assert "x-request-id" in answer.headers


def test_models_are_listed_in_openais_form(live: Live) -> None:
    """The vendor's names, and ours."""
    listed = live.client.get("/v1/models").json()
    openai_objects.assert_is(openai_objects.MODEL_LIST, listed)
    assert "information-extract" in {model["id"] for model in listed["data"]}
