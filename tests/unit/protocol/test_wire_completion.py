"""Completions as vendors and OpenAI-compatible servers send them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from pydantic import ValidationError

from service.protocol.completion import ChatCompletion, Message
from tests.unit.protocol.wire_strategies import COMPLETIONS

DOCUMENTED = {
    "id": "iex-0123456789abcdef",
    "choices": [
        {
            "finish_reason": "stop",
            "index": None,
            "logprobs": None,
            "message": {
                "content": '{"bank_name": "Bank of Dream"}',
                "role": "assistant",
                "function_call": None,
                "tool_calls": None,
            },
        }
    ],
    "created": 1750000000,
    "model": "information-extract",
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
RECORDED = {
    "id": "iex-AAAAAAAAAAAAAAAA",
    "choices": [
        {
            "finish_reason": "stop",
            "index": 0,
            "message": {
                "content": '{"contract_start":"2026-08-01","weekly_holiday_day":"" ,"wage_amount":"10000"}',
                "role": "assistant",
                "tool_calls": [
                    {
                        "type": "function",
                        "function": {
                            "name": "additional_values",
                            "arguments": '{"contract_start":{"_value":"2026-08-01","confidence":"high"}}',
                        },
                    }
                ],
            },
            "confidence_score": '{"contract_start": 0.991, "weekly_holiday_day": 0.5745, "wage_amount": 0.9661}',
        }
    ],
    "created": 1785237682,
    "model": "information-extract-260610",
    "object": "chat.completion",
    "usage": {"prompt_tokens": 4830, "completion_tokens": 250, "total_tokens": 5080},
}


def read(body: object) -> ChatCompletion:
    """The body as it comes off the wire."""
    return ChatCompletion.model_validate_json(json.dumps(body))


def read_message(message: object) -> Message:
    """The message of a completion with one choice."""
    return read({"choices": [{"message": message}]}).choices[0].message


def test_the_documented_form_with_its_nulls_is_read():
    """`object` and `index` null, details null, `tool_calls` null."""
    completion = read(DOCUMENTED)
    choice = completion.choices[0]
    assert (completion.object, choice.index, choice.message.tool_calls) == (None, None, None)
    assert json.loads(choice.message.text()) == {"bank_name": "Bank of Dream"}
    assert completion.usage is not None
    assert completion.usage.total_tokens == 960


def test_the_recorded_form_is_read_with_its_text_untouched():
    """No id on the tool call, a stray space inside the content, `stop` beside tool calls, an undocumented score."""
    choice = read(RECORDED).choices[0]
    call = choice.message.find_tool_call("additional_values")
    assert call is not None
    assert (call.id, choice.finish_reason, choice.index) == (None, "stop", 0)
    assert '"" ,' in choice.message.text()
    assert isinstance(choice.confidence_score, str)
    assert json.loads(choice.confidence_score)["weekly_holiday_day"] == 0.5745


def test_a_split_answer_has_one_choice_for_each_document():
    """Two documents in one file; page ranges where a server tells them."""
    completion = read(
        {
            "choices": [
                {
                    "finish_reason": "stop",
                    "index": index,
                    "page_ranges": [[1, 3], [6, 6]],
                    "message": {"role": "assistant", "content": f'{{"invoice_no":"A-{index + 1}"}}'},
                }
                for index in (0, 1)
            ]
        }
    )
    assert [json.loads(c.message.text())["invoice_no"] for c in completion.choices] == ["A-1", "A-2"]
    assert completion.choices[1].page_ranges == [(1, 3), (6, 6)]


def test_a_result_inside_a_job_may_hold_content_alone():
    """No role, no finish reason, no object, no created."""
    choice = read({"id": "iex-A", "choices": [{"message": {"content": "{}"}}]}).choices[0]
    assert (choice.message.role, choice.finish_reason, choice.message.text()) == ("assistant", None, "{}")


@pytest.mark.parametrize("calls", [None, [], "absent"])
def test_tool_calls_may_be_null_empty_or_absent(calls: object):
    """All three say that there is no call."""
    message = read_message({"content": "{}"} if calls == "absent" else {"content": "{}", "tool_calls": calls})
    assert message.find_tool_call("additional_values") is None


def test_absent_and_null_can_be_told_apart():
    """What the server wrote is known, not only what it means."""
    assert "tool_calls" not in read_message({"content": ""}).model_fields_set
    assert "tool_calls" in read_message({"content": "", "tool_calls": None}).model_fields_set


def test_arguments_may_be_the_object_itself():
    """The container product sends a dict in place of text."""
    call = {"function": {"name": "additional_values", "arguments": {"document_type": {"_value": "invoice"}}}}
    found = read_message({"content": "invoice", "tool_calls": [call]}).find_tool_call("additional_values")
    assert found is not None
    assert found.function is not None
    assert found.function.arguments == {"document_type": {"_value": "invoice"}}


def test_the_call_is_found_by_name_among_others():
    """A custom call and a nameless one stand before it."""
    calls = [
        {"id": "call_1", "type": "custom", "custom": {"name": "additional_values", "input": "x"}},
        {"id": "call_2", "type": "function", "function": {"name": None, "arguments": None}},
        {"id": "call_3", "type": "function", "function": {"name": "additional_values", "arguments": "{}"}},
    ]
    message = read_message({"content": None, "tool_calls": calls})
    found = message.find_tool_call("additional_values")
    assert found is not None
    assert found.id == "call_3"
    assert message.tool_calls is not None
    assert message.tool_calls[0].model_extra == {"custom": {"name": "additional_values", "input": "x"}}


def test_the_older_function_call_is_found_too():
    """One call beside the message instead of in a list."""
    message = read_message({"content": "", "function_call": {"name": "additional_values", "arguments": "{}"}})
    assert message.find_tool_call("additional_values") is not None


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('{"a":1}', '{"a":1}'),
        (None, ""),
        ([{"type": "text", "text": '{"a"'}, {"type": "text", "text": ":1}"}], '{"a":1}'),
        ([{"type": "thinking", "thinking": [{"x": 1}]}, {"type": "text", "text": "{}"}], "{}"),
        ([], ""),
    ],
)
def test_content_is_text_parts_or_null(content: object, text: str):
    """Parts are joined without anything between them."""
    assert read_message({"role": "assistant", "content": content}).text() == text


def test_thoughts_and_refusals_are_kept_apart_from_the_answer():
    """`reasoning_content` is no part of the text."""
    message = read_message({"content": "{}", "reasoning_content": "hm", "refusal": None})
    assert (message.text(), message.reasoning_content, message.refusal) == ("{}", "hm", None)


def test_a_message_of_a_tool_is_read():
    """Histories hold the role `tool`."""
    message = read_message({"role": "tool", "name": "lookup", "tool_call_id": "call_1", "content": "12"})
    assert (message.role, message.name, message.tool_call_id) == ("tool", "lookup", "call_1")


@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls", "content_filter", "function_call", "eos", None])
def test_any_finish_reason_is_read(reason: str | None):
    """Servers invent their own."""
    choice = read({"choices": [{"message": {"content": ""}, "finish_reason": reason}]}).choices[0]
    assert choice.finish_reason == reason


def test_keys_nobody_announced_are_kept_everywhere():
    """In the envelope, a choice, a message, a call and usage."""
    body = {
        "surprise": 1,
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3, "surprise": 2},
        "choices": [
            {
                "surprise": 3,
                "message": {"content": "", "surprise": 4, "tool_calls": [{"surprise": 5, "function": {"surprise": 6}}]},
            }
        ],
    }
    dumped = read(body).model_dump(exclude_unset=True)
    assert dumped == body


def test_details_of_usage_are_kept_and_null_counts_are_zero():
    """Some servers count nothing."""
    usage = read({"choices": [], "usage": {"prompt_tokens": None, "prompt_tokens_details": {"cached_tokens": 4}}}).usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.total_tokens, usage.prompt_tokens_details) == (0, 0, {"cached_tokens": 4})


def test_what_an_answer_can_do_without_never_costs_the_answer():
    """Another form than described counts as absent."""
    completion = read(
        {
            "created": 1750000000.5,
            "usage": "none",
            "system_fingerprint": 7,
            "choices": [
                {
                    "index": "first",
                    "logprobs": [],
                    "confidence_score": 0.9,
                    "page_ranges": "1-3",
                    "message": {"content": "{}", "reasoning_content": {"summary": ""}},
                }
            ],
        }
    )
    choice = completion.choices[0]
    assert (completion.created, completion.usage, completion.system_fingerprint) == (None, None, None)
    assert (choice.index, choice.logprobs, choice.confidence_score, choice.page_ranges) == (None, None, None, None)
    assert (choice.message.text(), choice.message.reasoning_content) == ("{}", None)


@pytest.mark.parametrize("body", [{}, {"choices": None}, {"choices": [{}]}, {"error": {"message": "no"}}, [], "text"])
def test_what_is_no_completion_is_refused(body: object):
    """Without choices, or a choice without a message."""
    with pytest.raises(ValidationError):
        read(body)


@given(COMPLETIONS)
def test_reading_what_was_written_gives_the_same(completion: ChatCompletion):
    """Decode after encode is the value."""
    assert ChatCompletion.model_validate_json(completion.model_dump_json()) == completion
