"""Requests as clients send them, and as they are built."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from service.protocol.data_url import decode_data_url
from service.protocol.request import ExtractionOptions, ExtractionRequest, build_extraction_request

SCHEMA = {
    "type": "object",
    "properties": {
        "bank_name": {"type": "string", "description": "The name of the bank in the statement"},
        "transactions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "date": {"type": "string", "description": "Posting date, as printed"},
                    "amount": {"type": "number", "description": "Amount without currency sign"},
                },
            },
        },
    },
}
URL = "data:application/octet-stream;base64,JVBERi0xLjcK"
FILE_PART = {"type": "image_url", "image_url": {"url": URL}}


def body(**changes: Any) -> dict[str, Any]:
    """A request that is in order, with changes; a change to `...` leaves the key out."""
    whole = {
        "model": "information-extract",
        "messages": [{"role": "user", "content": [FILE_PART]}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "document_schema", "schema": SCHEMA}},
    }
    return {key: value for key, value in (whole | changes).items() if value is not ...}


def read(whole: object) -> ExtractionRequest:
    """The body as it comes off the wire."""
    return ExtractionRequest.model_validate_json(json.dumps(whole))


def test_the_documented_request_is_read():
    """One user message, one part, a named schema."""
    request = read(body())
    assert request.file_urls() == (URL,)
    assert request.schema_source() == SCHEMA
    assert request.options() == ExtractionOptions()
    assert decode_data_url(request.file_urls()[0]) == b"%PDF-1.7\n"


def test_every_documented_option_is_read():
    """Beside the answer: mode, places, confidence, documents, chunks."""
    options = ExtractionOptions(
        mode="enhanced", location=True, location_granularity="all", confidence=True, split=True, pages_per_chunk=5
    )
    request = read(
        body(
            mode="enhanced",
            location=True,
            location_granularity="all",
            confidence=True,
            split=True,
            chunking={"pages_per_chunk": 5},
        )
    )
    assert request.options() == options


@pytest.mark.parametrize(
    ("sent", "expected"),
    [({"doc_split": True}, True), ({"doc_split": True, "split": False}, False), ({"split": None}, None), ({}, None)],
)
def test_the_older_name_of_split_counts_where_the_newer_is_absent(sent: dict[str, object], expected: bool | None):
    """And only the newer one is sent on."""
    request = read(body(**sent))
    assert request.split is expected
    assert "doc_split" not in json.loads(bytes(request.body()))


def test_keys_that_are_not_documented_are_accepted_and_kept():
    """Clients send `stream: false`, `temperature`, `strict`, `detail` and more."""
    whole = body(stream=False, temperature=0, n=1, seed=7, tools=[], parallel_tool_calls=True)
    whole["response_format"]["json_schema"]["strict"] = True
    whole["messages"][0]["content"] = [{"type": "image_url", "image_url": {"url": URL, "detail": "high"}}]
    assert json.loads(bytes(read(whole).body())) == whole


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "system", "content": "Read totals."}, {"role": "user", "content": [FILE_PART]}],
        [{"role": "user", "content": [{"role": "system", "content": "Read totals."}, FILE_PART]}],
        [{"role": "user", "content": "Read totals."}, {"role": "user", "content": [FILE_PART]}],
        [{"role": "user", "content": [{"type": "text", "text": "Read totals."}, FILE_PART]}],
        [
            {"role": "system", "content": [{"type": "text", "text": "Read totals."}]},
            {"role": "user", "content": [FILE_PART]},
        ],
    ],
)
def test_an_instruction_is_found_wherever_it_stands(messages: object):
    """As system message, inside the content, as a message of its own."""
    request = read(body(messages=messages))
    assert request.instruction() == "Read totals."
    assert request.file_urls() == (URL,)


def test_the_file_part_of_openai_is_read():
    """Its SDK sends a PDF so."""
    part = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjcK"}}
    urls = read(body(messages=[{"role": "user", "content": [part]}])).file_urls()
    assert [decode_data_url(url) for url in urls] == [b"%PDF-1.7\n"]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"model": ...}, "model"),
        ({"model": ""}, "model"),
        ({"messages": ...}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "robot", "content": [FILE_PART]}]}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "video"}]}]}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": ""}}]}]}, "messages"),
        ({"messages": [{"role": "user", "content": [7]}]}, "messages"),
        ({"response_format": ...}, "response_format"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"response_format": {"type": "json_schema"}}, "response_format"),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "a b", "schema": {}}}}, "response_format"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "n" * 65, "schema": {}}}},
            "response_format",
        ),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": []}}}, "response_format"),
        ({"mode": "fast"}, "mode"),
        ({"location": "perhaps"}, "location"),
        ({"location_granularity": "letter"}, "location_granularity"),
        ({"chunking": {"pages_per_chunk": 0}}, "chunking"),
        ({"chunking": 5}, "chunking"),
    ],
)
def test_a_fault_is_reported_at_its_place(changes: dict[str, object], place: str):
    """The first step of the place is the key of the body."""
    with pytest.raises(ValidationError) as caught:
        read(body(**changes))
    assert {error["loc"][0] for error in caught.value.errors()} == {place}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"messages": [{"role": "user", "content": "hello"}]}, "image_url"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"stream": False, "stream_options": {"include_usage": True}}, "stream_options"),
    ],
)
def test_a_fault_of_the_whole_names_what_is_missing(changes: dict[str, object], word: str):
    """No file; options of a stream without a stream."""
    with pytest.raises(ValidationError, match=word):
        read(body(**changes))


def test_a_built_request_is_the_documented_one():
    """Only what is asked for is sent, under the vendor's names."""
    request = build_extraction_request(
        model="information-extract",
        file=b"%PDF-1.7\n",
        schema=SCHEMA,
        schema_name="document_schema",
        options=ExtractionOptions(location=True, confidence=False, pages_per_chunk=3),
    )
    assert json.loads(bytes(request.body())) == body(location=True, confidence=False, chunking={"pages_per_chunk": 3})


def test_nulls_inside_a_schema_are_sent_on():
    """Null means something there."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "enum": ["x", None], "default": None}}}
    request = build_extraction_request(
        model="m", file="https://host.test/a.pdf", schema=schema, schema_name="s", options=ExtractionOptions()
    )
    assert json.loads(bytes(request.body()))["response_format"]["json_schema"]["schema"] == schema


def test_numbers_beyond_64_bits_in_a_schema_are_sent_on():
    """What a caller may write, the next server gets."""
    whole = body()
    whole["response_format"]["json_schema"]["schema"] = {"type": "object", "properties": {}, "maximum": 2**70}
    assert json.loads(bytes(read(whole).body())) == whole


def test_a_bad_schema_name_is_refused_when_building():
    """64 characters of A-Z a-z 0-9 _ -."""
    with pytest.raises(ValidationError):
        build_extraction_request(
            model="m", file="u", schema=SCHEMA, schema_name="no spaces", options=ExtractionOptions()
        )


OPTIONS = st.builds(
    ExtractionOptions,
    mode=st.sampled_from([None, "standard", "enhanced"]),
    location=st.none() | st.booleans(),
    location_granularity=st.sampled_from([None, "element", "word", "all"]),
    confidence=st.none() | st.booleans(),
    split=st.none() | st.booleans(),
    pages_per_chunk=st.none() | st.integers(1, 1000),
)


@given(OPTIONS, st.binary(min_size=1, max_size=64))
def test_reading_a_built_body_gives_what_was_asked(options: ExtractionOptions, data: bytes):
    """Decode after encode is the request."""
    request = build_extraction_request(model="m", file=data, schema=SCHEMA, schema_name="s", options=options)
    received = ExtractionRequest.model_validate_json(bytes(request.body()))
    assert received.options() == options
    assert [decode_data_url(url) for url in received.file_urls()] == [data]
    assert bytes(received.body()) == bytes(request.body())
    assert received.file_urls() == request.file_urls()


@pytest.mark.parametrize(
    "url",
    [
        "data:application/octet-stream;base64,JVBERi0xLjcK",
        "data:application/pdf;base64,JVBERi0xLjcK",
        "data:image/png;base64,JVBERi0xLjcK",
        "data:;base64,JVBERi0xLjcK",
        "DATA:application/pdf;name=a.pdf;BASE64,JVBERi0xLjcK",
        "data:application/pdf;base64,JVBE\r\nRi0x\nLjcK",
    ],
)
def test_any_declared_type_is_decoded(url: str):
    """The kind of a file is found from its bytes."""
    assert decode_data_url(url) == b"%PDF-1.7\n"


def test_absent_padding_is_accepted():
    """Some encoders leave it out."""
    assert decode_data_url("data:;base64,YQ") == b"a"


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("https://host.test/a.pdf", "data:"),
        ("data:application/pdf;base64", "comma"),
        ("data:text/plain,hello", "base64"),
        ("data:application/pdf;base64,", "no data"),
        ("data:application/pdf;base64,a", "damaged"),
        ("data:application/pdf;base64,####", "damaged"),
        ("data:application/pdf;base64,Ж", "damaged"),
    ],
)
def test_a_data_url_that_is_none_is_refused_with_the_reason(url: str, word: str):
    """The message says what to do."""
    with pytest.raises(ValueError, match=word):
        decode_data_url(url)
