"""OpenAI's answers as strict JSON Schemas of our own: every required key, no key of another type.

Written from OpenAI's published definitions of `CreateChatCompletionResponse`, `CreateChatCompletionStreamResponse` and
the error object, read 2026-11-30. Keys that OpenAI does not have are allowed only where this server adds them.
"""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]


def _object(required: Schema, optional: Schema | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _nullable(kind: str) -> Schema:
    return {"type": [kind, "null"]}


_STRING: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TOKEN: Schema = _object(
    {
        "token": _STRING,
        "logprob": {"type": "number"},
        "bytes": {"type": ["array", "null"], "items": {"type": "integer"}},
        "top_logprobs": {"type": "array"},
    }
)
_TOKENS: Schema = {"type": ["array", "null"], "items": _TOKEN}
_LOGPROBS: Schema = {"anyOf": [{"type": "null"}, _object({"content": _TOKENS, "refusal": _TOKENS})]}
_FINISH_REASONS = ["stop", "length", "tool_calls", "content_filter", "function_call"]
_TOOL_CALL = _object(
    {
        "id": {"type": "string", "pattern": "^call_"},
        "type": {"const": "function"},
        "function": _object({"name": _STRING, "arguments": _STRING}),
    }
)
_OURS: Schema = {
    "confidence_score": _STRING,
    "page_ranges": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
}
_MESSAGE = _object(
    {"role": {"const": "assistant"}, "content": _nullable("string"), "refusal": _nullable("string")},
    {"tool_calls": {"type": "array", "items": _TOOL_CALL, "minItems": 1}},
)
_CHOICE = _object(
    {"index": _COUNT, "message": _MESSAGE, "finish_reason": {"enum": _FINISH_REASONS}, "logprobs": _LOGPROBS}, _OURS
)
_USAGE = _object(
    {"prompt_tokens": _COUNT, "completion_tokens": _COUNT, "total_tokens": _COUNT},
    {"completion_tokens_details": {"type": "object"}, "prompt_tokens_details": {"type": "object"}},
)
_HEAD: Schema = {"id": _STRING, "created": _COUNT, "model": _STRING}
COMPLETION = _object(
    {**_HEAD, "object": {"const": "chat.completion"}, "choices": {"type": "array", "items": _CHOICE, "minItems": 1}},
    {"usage": _USAGE},
)

_CALL_DELTA = _object(
    {"index": _COUNT},
    {
        "id": _STRING,
        "type": {"const": "function"},
        "function": _object({}, {"name": _STRING, "arguments": _STRING}),
    },
)
_DELTA = _object(
    {},
    {
        "role": {"enum": ["developer", "system", "user", "assistant", "tool"]},
        "content": _nullable("string"),
        "refusal": _nullable("string"),
        "tool_calls": {"type": "array", "items": _CALL_DELTA},
    },
)
_CHUNK_CHOICE = _object(
    {"index": _COUNT, "delta": _DELTA, "finish_reason": {"enum": [*_FINISH_REASONS, None]}},
    {"logprobs": _LOGPROBS, **_OURS},
)
CHUNK = _object(
    {**_HEAD, "object": {"const": "chat.completion.chunk"}, "choices": {"type": "array", "items": _CHUNK_CHOICE}},
    {"usage": {"anyOf": [{"type": "null"}, _USAGE]}},
)
ERROR = _object(
    {
        "error": _object(
            {
                "message": {"type": "string", "minLength": 1},
                "type": _STRING,
                "param": _nullable("string"),
                "code": _nullable("string"),
            },
            {"retryable": {"type": "boolean"}, "request_id": _STRING},
        )
    }
)
MODEL_LIST = _object(
    {
        "object": {"const": "list"},
        "data": {
            "type": "array",
            "items": _object({"id": _STRING, "object": {"const": "model"}, "created": _COUNT, "owned_by": _STRING}),
        },
    }
)


def assert_is(schema: Schema, value: object) -> None:
    """Fail with the place and the rule of the first fault."""
    faults = [f"{'/'.join(map(str, error.path))}: {error.message}" for error in validator(schema).iter_errors(value)]
    assert faults == []


def validator(schema: Schema) -> Draft202012Validator:
    """A validator of a schema that is one itself."""
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
