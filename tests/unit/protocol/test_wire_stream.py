"""Streams: cut, folded, broken off."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.protocol.accumulator import CompletionAccumulator, StreamCutError, StreamError
from service.protocol.chunk import CompletionChunk, completion_chunks
from service.protocol.completion import ChatCompletion
from service.protocol.emission import emit_chunk
from service.protocol.sse import EventReader, encode_done, encode_event
from tests.unit.protocol.wire_strategies import COMPLETIONS


def chunk(choice: dict[str, object] | None, **more: object) -> dict[str, object]:
    """One chunk with at most one choice."""
    envelope = {"id": "iex-A", "object": "chat.completion.chunk", "created": 1, "model": "m", "usage": None}
    return {**envelope, "choices": [] if choice is None else [{"index": 0, "finish_reason": None, **choice}], **more}


ROLE = chunk({"delta": {"role": "assistant", "content": ""}, "logprobs": None})
CONTENT = chunk({"delta": {"content": '{"a":1}'}, "logprobs": None})
CALL = chunk(
    {
        "delta": {
            "tool_calls": [
                {
                    "index": 0,
                    "id": "call_A",
                    "type": "function",
                    "function": {"name": "additional_values", "arguments": "{}"},
                }
            ]
        }
    }
)
STOP = chunk({"delta": {}, "finish_reason": "stop"})
USAGE = chunk(None, usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})
WHOLE = [ROLE, CONTENT, CALL, STOP, USAGE]


def stream(*events: object, done: bool = True) -> bytes:
    """The events as they stand on the wire."""
    return b"".join(encode_event(event) for event in events) + (encode_done() if done else b"")


def fold(data: bytes) -> ChatCompletion:
    """The answer of a stream that comes in one piece."""
    accumulator = CompletionAccumulator()
    accumulator.feed(data)
    return accumulator.finish()


def calls(*deltas: dict[str, object]) -> ChatCompletion:
    """The answer of a stream that holds these fragments of tool calls."""
    return fold(stream(ROLE, *(chunk({"delta": {"tool_calls": [delta]}}) for delta in deltas), STOP))


def test_a_stream_is_folded_into_the_answer():
    """Role, content, call, finish reason and usage."""
    completion = fold(stream(*WHOLE))
    message = completion.choices[0].message
    call = message.find_tool_call("additional_values")
    assert (completion.id, completion.created, completion.model, completion.object) == (
        "iex-A",
        1,
        "m",
        "chat.completion",
    )
    assert (message.role, message.content, completion.choices[0].finish_reason) == ("assistant", '{"a":1}', "stop")
    assert call is not None
    assert call.id == "call_A"
    assert completion.usage is not None
    assert completion.usage.total_tokens == 2


def test_fragments_of_content_and_arguments_are_joined():
    """In the order they come; a null finish reason means that more follows."""
    completion = fold(
        stream(
            ROLE,
            chunk({"delta": {"content": '{"a"'}}),
            chunk({"delta": {"content": None}}),
            chunk({"delta": {"content": ":1}"}}),
            chunk({"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]}}),
            chunk({"delta": {"tool_calls": [{"index": 0, "function": {"arguments": '{"b"'}}]}}),
            chunk({"delta": {"tool_calls": [{"index": 0, "function": {"arguments": ":2}"}}]}}),
            STOP,
        )
    )
    message = completion.choices[0].message
    assert message.text() == '{"a":1}'
    found = message.find_tool_call("f")
    assert found is not None
    assert found.function is not None
    assert found.function.arguments == '{"b":2}'


def test_calls_without_an_index_are_told_apart_by_their_ids():
    """Some servers leave the index out."""
    answer = calls(
        {"id": "c1", "function": {"name": "f", "arguments": "1"}},
        {"function": {"arguments": "2"}},
        {"id": "c2", "function": {"name": "g", "arguments": "3"}},
    )
    found = answer.choices[0].message.tool_calls or []
    assert [(call.id, call.function and call.function.arguments) for call in found] == [("c1", "12"), ("c2", "3")]


def test_arguments_that_come_as_an_object_are_kept():
    """The dict form, streamed whole."""
    found = calls({"index": 0, "function": {"name": "f", "arguments": {"a": 1}}}).choices[0].message.find_tool_call("f")
    assert found is not None
    assert found.function is not None
    assert found.function.arguments == {"a": 1}


def test_choices_are_told_apart_by_their_index():
    """Documents of one file may come mixed."""

    def piece(index: int, **more: object) -> dict[str, object]:
        return chunk({"index": index, **more})

    completion = fold(
        stream(
            piece(1, delta={"content": "B"}),
            piece(0, delta={"content": "A"}),
            piece(1, delta={}, finish_reason="length", page_ranges=[[2, 2]]),
            piece(0, delta={}, finish_reason="stop", page_ranges=[[1, 1]]),
        )
    )
    assert [c.message.content for c in completion.choices] == ["A", "B"]
    assert [c.finish_reason for c in completion.choices] == ["stop", "length"]
    assert [c.page_ranges for c in completion.choices] == [[(1, 1)], [(2, 2)]]


def test_variants_of_a_chunk_are_read():
    """Null index, null delta, null choices, content in parts, thoughts, keys nobody announced."""
    completion = fold(
        stream(
            chunk({"index": None, "delta": None}),
            {"choices": None},
            chunk({"delta": {"content": [{"type": "text", "text": "{}"}], "reasoning_content": "hm"}, "surprise": 1}),
            chunk({"delta": {}, "finish_reason": "stop", "logprobs": {"content": [{"token": "{"}]}}),
        )
    )
    choice = completion.choices[0]
    assert (choice.message.text(), choice.message.reasoning_content) == ("{}", "hm")
    assert choice.logprobs == {"content": [{"token": "{"}]}
    assert choice.model_extra == {"surprise": 1}


def test_log_probabilities_of_tokens_are_joined():
    """One list over all fragments."""
    fragments = [
        chunk({"delta": {"content": c}, "logprobs": {"content": [{"token": c}], "refusal": None}}) for c in "ab"
    ]
    assert fold(stream(*fragments, STOP)).choices[0].logprobs == {
        "content": [{"token": "a"}, {"token": "b"}],
        "refusal": None,
    }


@pytest.mark.parametrize("kept", range(len(WHOLE)))
def test_a_stream_that_ends_early_is_an_error(kept: int):
    """Wherever it is cut, also after a finish reason: another choice might have followed."""
    with pytest.raises(StreamCutError):
        fold(stream(*WHOLE[:kept], done=False))


@pytest.mark.parametrize("events", [[], [USAGE], [ROLE, CONTENT]])
def test_a_stream_that_says_done_before_its_answer_is_an_error(events: list[object]):
    """No choice, or one without a finish reason."""
    with pytest.raises(StreamCutError):
        fold(stream(*events))


def test_every_byte_counts():
    """Cut anywhere before its last event, a stream gives no answer."""
    data = stream(*WHOLE)
    for length in range(len(data) - len(encode_done())):
        with pytest.raises(StreamCutError):
            fold(data[:length])


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        ({"message": "overloaded", "code": "503"}, "overloaded", "503"),
        ({"message": "overloaded", "type": "server_error", "param": None, "code": None}, "overloaded", None),
        ("overloaded", "overloaded", None),
        ({"odd": 1}, "an error without a message", None),
    ],
)
def test_an_error_inside_the_stream_is_raised(error: object, message: str, code: str | None):
    """The status was 200 long ago."""
    with pytest.raises(StreamError) as caught:
        fold(stream(ROLE, {"error": error}))
    assert (caught.value.error.message, caught.value.error.code) == (message, code)


@pytest.mark.parametrize("data", ["nonsense", "[]", '{"choices": 7}', '{"choices": [{"delta": {"tool_calls": 1}}]}'])
def test_an_event_that_is_no_chunk_is_an_error(data: str):
    """Nothing is guessed from half a stream."""
    with pytest.raises(StreamCutError):
        fold(f"data: {data}\n\n".encode())


def test_a_null_error_is_none():
    """Some servers carry the key in every chunk."""
    assert fold(stream(ROLE, chunk({"delta": {"content": "{}"}}, error=None), STOP)).choices[0].message.text() == "{}"


def test_a_last_event_without_its_empty_line_counts():
    """Servers close the connection right after `[DONE]`."""
    assert fold(stream(*WHOLE, done=False) + b"data: [DONE]").choices[0].finish_reason == "stop"


def test_what_follows_done_is_passed_over():
    """It is no part of the answer."""
    assert fold(stream(*WHOLE) + b"data: nonsense\n\n").choices[0].finish_reason == "stop"


@pytest.mark.parametrize(
    ("data", "events"),
    [
        (b"data: a\n\ndata: b\n\n", ["a", "b"]),
        (b"data:a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
        (b"data: a\rdata: b\r\r", ["a\nb"]),
        (b": keep-alive\n\nevent: message\nid: 7\nretry: 10\ndata: a\n\n", ["a"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"data\n\n", [""]),
        ("data: a\u2028b\u0085c\n\n".encode(), ["a\u2028b\u0085c"]),
        (b"data: cut", []),
    ],
)
def test_events_are_framed_as_the_standard_says(data: bytes, events: list[str]):
    """In one piece and byte by byte."""
    reader, bytewise = EventReader(), EventReader()
    assert reader.feed(data) == events
    assert [event for i in range(len(data)) for event in bytewise.feed(data[i : i + 1])] == events


@given(COMPLETIONS, st.booleans(), st.integers(1, 40))
def test_an_answer_that_was_streamed_is_the_same_answer(completion: ChatCompletion, include_usage: bool, size: int):
    """Chunks accumulate to the completion they were cut from, in whatever pieces the bytes come."""
    chunks = list(completion_chunks(completion, include_usage=include_usage))
    accumulator = CompletionAccumulator()
    for one in chunks:
        accumulator.add(CompletionChunk.model_validate_json(one.model_dump_json()))
    accumulator.feed(encode_done())
    expected = completion.with_call_ids().model_copy(update={} if include_usage else {"usage": None})
    assert accumulator.finish() == expected

    data = stream(*(one.model_dump() for one in chunks))
    again = CompletionAccumulator()
    for start in range(0, len(data), size):
        again.feed(data[start : start + size])
    assert again.finish() == expected


@pytest.mark.parametrize("include_usage", [True, False])
def test_usage_stands_in_every_chunk_or_in_none(include_usage: bool):
    """Null but in the last one, which has no choices."""
    completion = fold(stream(*WHOLE))
    written = [emit_chunk(one) for one in completion_chunks(completion, include_usage=include_usage)]
    usages = [one.get("usage", "absent") for one in written]
    if include_usage:
        assert usages[:-1] == [None] * (len(written) - 1)
        assert json.loads(json.dumps(written[-1]))["choices"] == []
        assert usages[-1] == {"completion_tokens": 1, "prompt_tokens": 1, "total_tokens": 2}
    else:
        assert usages == ["absent"] * len(written)


def test_a_chunk_has_what_openai_requires():
    """First the role with empty content, last an empty delta with the finish reason."""
    written = [emit_chunk(one) for one in completion_chunks(fold(stream(*WHOLE)), include_usage=False)]
    assert {(one["id"], one["object"], one["created"], one["model"]) for one in written} == {
        ("iex-A", "chat.completion.chunk", 1, "m")
    }
    choices = [one["choices"][0] for one in written]  # type: ignore[index] - a list of objects
    assert choices[0] == {
        "finish_reason": None,
        "index": 0,
        "logprobs": None,
        "delta": {"role": "assistant", "content": ""},
    }
    assert choices[-1] == {"finish_reason": "stop", "index": 0, "logprobs": None, "delta": {}}
    assert all({"index", "delta", "finish_reason"} <= set(choice) for choice in choices)
