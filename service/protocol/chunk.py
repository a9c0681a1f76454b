"""A streamed answer: its chunks, a completion cut into them, and chunks folded into a completion.

Source: https://developers.openai.com/api/reference (chat completions, streaming), read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from service.protocol.base import ODD_IS_NONE, WireModel
from service.protocol.completion import ChatCompletion, Choice, CompletionUsage, ContentPart, Message

CHUNK_OBJECT = "chat.completion.chunk"


class FunctionDelta(WireModel):
    """A fragment of a function call: the name comes first, the pieces of the arguments are joined."""

    name: str | None = None
    arguments: str | dict[str, JsonValue] | None = None
    """A server that sends the object itself sends it whole."""


class ToolCallDelta(WireModel):
    """A fragment of one tool call."""

    index: int | None = None
    """0-based position among the message's calls; some servers leave it out."""
    id: str | None = None
    type: str | None = None
    function: FunctionDelta | None = None


class Delta(WireModel):
    """A fragment of a message; strings are joined in order."""

    role: str | None = None
    content: str | list[ContentPart] | None = None
    reasoning_content: Annotated[str | None, ODD_IS_NONE] = None
    refusal: str | None = None
    tool_calls: list[ToolCallDelta] | None = None
    function_call: FunctionDelta | None = None


class ChunkChoice(WireModel):
    """A fragment of one choice."""

    index: int | None = None
    """0-based; null counts as 0."""
    delta: Annotated[Delta, BeforeValidator(lambda delta: {} if delta is None else delta)] = Delta()
    finish_reason: str | None = None
    """Null until the choice's last fragment."""
    logprobs: Annotated[dict[str, JsonValue] | None, ODD_IS_NONE] = None
    confidence_score: Annotated[str | dict[str, JsonValue] | None, ODD_IS_NONE] = None
    """Comes with the last fragment."""
    page_ranges: Annotated[list[tuple[int, int]] | None, ODD_IS_NONE] = None
    """Comes with the last fragment; 1-based, both ends included."""


class CompletionChunk(WireModel):
    """One event of a streamed answer; `id` and `created` are the same in all of them."""

    id: str | None = None
    object: str | None = None
    created: Annotated[int | None, ODD_IS_NONE] = None
    model: str | None = None
    choices: Annotated[list[ChunkChoice], BeforeValidator(lambda choices: [] if choices is None else choices)] = Field(
        default_factory=list[ChunkChoice]
    )
    usage: Annotated[CompletionUsage | None, ODD_IS_NONE] = None
    """In one last chunk without choices, when asked for."""
    system_fingerprint: Annotated[str | None, ODD_IS_NONE] = None


def completion_chunks(completion: ChatCompletion, *, include_usage: bool) -> Iterator[CompletionChunk]:
    """The completion as a stream: role, content, tool calls and finish reason of each choice in turn, then usage.

    With `include_usage` every chunk has the key `usage`, null but in the last one, which has no choices. Tool calls
    without an id get one. What an answer may hold beside the fields of a chunk is not streamed.
    """
    chunk = CompletionChunk(
        id=completion.id, object=CHUNK_OBJECT, created=completion.created, model=completion.model
    ).model_copy(update={"usage": None} if include_usage else {})
    for position, choice in enumerate(completion.with_call_ids().choices):
        index = position if choice.index is None else choice.index
        for delta in _deltas(choice.message):
            yield chunk.model_copy(update={"choices": [ChunkChoice(index=index, delta=delta)]})
        yield chunk.model_copy(update={"choices": [_last_fragment(choice, index)]})
    if include_usage:
        yield chunk.model_copy(update={"choices": [], "usage": completion.usage or CompletionUsage()})


def _deltas(message: Message) -> Iterator[Delta]:
    yield Delta(role=message.role, content=None if message.content is None else "")
    if message.reasoning_content is not None:
        yield Delta(reasoning_content=message.reasoning_content)
    if text := message.text():
        yield Delta(content=text)
    if message.refusal is not None:
        yield Delta(refusal=message.refusal)
    for position, call in enumerate(message.tool_calls or ()):
        function = call.function and FunctionDelta(name=call.function.name, arguments=call.function.arguments)
        yield Delta(tool_calls=[ToolCallDelta(index=position, id=call.id, type=call.type, function=function)])
    if message.function_call is not None:
        call = message.function_call
        yield Delta(function_call=FunctionDelta(name=call.name, arguments=call.arguments))


def _last_fragment(choice: Choice, index: int) -> ChunkChoice:
    return ChunkChoice(
        index=index,
        finish_reason=choice.finish_reason,
        logprobs=choice.logprobs,
        confidence_score=choice.confidence_score,
        page_ranges=choice.page_ranges,
    )
