"""A chat model's answer as the pipeline reads it: one choice, the record as its content, no calls.

Source: https://developers.openai.com/api/reference (chat completions, streaming), read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING

from service.clients.door.answer_body import MAX_ANSWER_BYTES, read_completion, read_whole, unpacked
from service.clients.door.errors import FailedAnswer, bad_answer_error, stream_error
from service.clients.openai_compatible.question import ANSWER_FUNCTION
from service.protocol.accumulator import CompletionAccumulator, StreamCutError, StreamError
from service.protocol.completion import ChatCompletion, Choice, CompletionUsage, Message
from service.protocol.error import read_error
from service.protocol.json_text import encode_json

if TYPE_CHECKING:
    import aiohttp

_FINISH_REASONS: Mapping[str, str] = {
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "safety": "content_filter",
}
"""What gateways hand through of other vendors' words, in lower case."""
_TOO_LONG = re.compile(r"context[ _](length|size|window)|too many tokens|prompt is too long", re.IGNORECASE)
_FILTERS = frozenset({"content_filter", "content_policy_violation"})
_GUARD_STEP_CHARS = 1_024
_LOOPS = ((16, 2_048), (256, 8_192))
"""The longest piece that repeats, and over how many characters it must have done so without a break."""


class ChatAnswers:
    """Fills `AnswerReader` for answers in one piece and for streams."""

    def __init__(self, provider: str, *, secret: str) -> None:
        self._provider = provider
        self._secret = secret

    async def read(self, response: aiohttp.ClientResponse) -> ChatCompletion:
        """See `AnswerReader.read`. A server that does not stream although asked to is read in one piece."""
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            return _as_record(await self._read_stream(response))
        return _as_record(read_completion(self._provider, await read_whole(self._provider, response)))

    def excuse(self, failed: FailedAnswer) -> ChatCompletion | None:
        """A question that was too long asks for less; one that a filter held back is withheld, not refused."""
        if failed.status not in (400, 413, 422):
            return None
        said = read_error(failed.status, failed.body)
        if said.code in _FILTERS:
            return ended_completion("content_filter")
        return ended_completion("length") if _TOO_LONG.search(f"{said.code} {said.message}") else None

    async def _read_stream(self, response: aiohttp.ClientResponse) -> ChatCompletion:
        answer = CompletionAccumulator()
        size = checked = 0
        try:
            async with aclosing(unpacked(self._provider, response)) as body:
                async for piece in body:
                    answer.feed(piece)
                    size += len(piece)
                    if size > MAX_ANSWER_BYTES:
                        raise bad_answer_error(self._provider, "the stream does not end", retryable=False)
                    if answer.written - checked >= _GUARD_STEP_CHARS:
                        checked = answer.written
                        if repeats_itself(answer.tail(_LOOPS[-1][1])):
                            return ended_completion("length")
            return answer.finish()
        except StreamError as error:
            raise stream_error(self._provider, error.error, secret=self._secret) from error
        except StreamCutError as error:
            raise bad_answer_error(self._provider, str(error), retryable=True) from error


def ended_completion(finish_reason: str) -> ChatCompletion:
    """An answer without content, for a question that the model does not answer as it was put."""
    return ChatCompletion(choices=[Choice(index=0, message=Message(content=""), finish_reason=finish_reason)])


def repeats_itself(text: str) -> bool:
    """Whether a text ends in one short piece, over and over: the model has lost its way."""
    return any(_is_periodic(text[-over:], longest) for longest, over in _LOOPS if len(text) >= over)


def _is_periodic(text: str, longest: int) -> bool:
    before = text.rfind(text[-longest:], 0, len(text) - 1)
    period = len(text) - longest - before
    return before >= 0 and period <= longest and text[period:] == text[:-period]


def add_usage(answer: ChatCompletion, before: ChatCompletion) -> ChatCompletion:
    """The answer with what an earlier one has cost as well."""
    mine, other = answer.usage or CompletionUsage(), before.usage or CompletionUsage()
    both = CompletionUsage(
        prompt_tokens=mine.prompt_tokens + other.prompt_tokens,
        completion_tokens=mine.completion_tokens + other.completion_tokens,
        total_tokens=mine.total_tokens + other.total_tokens,
    )
    return answer.model_copy(update={"usage": both})


def _as_record(completion: ChatCompletion) -> ChatCompletion:
    choice = completion.choices[0]
    message = choice.message
    call = message.find_tool_call(ANSWER_FUNCTION)
    content = message.text()
    if call is not None and call.function is not None:
        given = call.function.arguments
        content = given if isinstance(given, str) else encode_json(given).decode("utf-8")
    reason = choice.finish_reason
    plain = Choice(
        index=0,
        message=Message(content=content, refusal=message.refusal),
        finish_reason=_FINISH_REASONS.get(reason.lower(), reason) if reason else reason,
        logprobs=choice.logprobs,
    )
    return completion.model_copy(update={"choices": [plain]})
