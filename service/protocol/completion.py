"""The answer of a chat-completions server, read tolerantly: every variant that vendors and OpenAI send is accepted.

What an answer can do without (usage, scores, log probabilities) never costs the answer: in another form it is absent.

What is absent and what is null can be told apart by `model_fields_set`. What is written is decided in `emission`.

Source: https://developers.openai.com/api/reference (chat completions) and https://console.upstage.ai/docs
(information extraction), read 2026-11-30.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, JsonValue

from service.protocol.base import ODD_IS_NONE, Count, WireModel


def _null_as_empty(value: object) -> object:
    return "" if value is None else value


class FunctionCall(WireModel):
    """A function the model names, with its arguments."""

    name: Annotated[str, BeforeValidator(_null_as_empty)] = ""
    """Empty when the server sent none; such a call is never read."""
    arguments: Annotated[str | dict[str, JsonValue], BeforeValidator(_null_as_empty)] = ""
    """JSON text as a rule; some servers send the object itself."""


class ToolCall(WireModel):
    """One entry of `tool_calls`. The custom variant (`type: "custom"`) keeps its own keys and has no `function`."""

    id: str | None = None
    """Required by OpenAI, not sent by Upstage."""
    type: str | None = "function"
    function: FunctionCall | None = None


class ContentPart(WireModel):
    """One part of a content list; parts that hold no text keep their own keys."""

    type: str | None = None
    text: str | None = None


class Message(WireModel):
    """What was said, by whom."""

    role: Annotated[str, BeforeValidator(lambda role: "assistant" if role is None else role)] = "assistant"
    """`assistant` in an answer; `system`, `user` and `tool` occur in a history."""
    name: str | None = None
    tool_call_id: str | None = None
    """The call that a message of role `tool` answers."""
    content: str | list[ContentPart] | None = None
    reasoning_content: Annotated[str | None, ODD_IS_NONE] = None
    """Thoughts that some servers send apart from the answer; never part of `text()`."""
    refusal: str | None = None
    tool_calls: list[ToolCall] | None = None
    function_call: FunctionCall | None = None
    """OpenAI's older form of one tool call."""

    def text(self) -> str:
        """The content as one string; the parts of a list joined without a separator, empty when there is none."""
        if self.content is None:
            return ""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text or "" for part in self.content)

    def find_tool_call(self, name: str) -> ToolCall | None:
        """The first call of the function of that name, also in the older `function_call` form."""
        for call in self.tool_calls or ():
            if call.function is not None and call.function.name == name:
                return call
        if self.function_call is not None and self.function_call.name == name:
            return ToolCall(function=self.function_call)
        return None


class Choice(WireModel):
    """One answer; under `split` there is one for each document of the file, in page order."""

    index: Annotated[int | None, ODD_IS_NONE] = None
    """0-based; null on the vendor's documented path."""
    message: Message
    finish_reason: str | None = None
    """`stop`, `length`, `content_filter`, `tool_calls`, or any string another server thought of."""
    logprobs: Annotated[dict[str, JsonValue] | None, ODD_IS_NONE] = None
    confidence_score: Annotated[str | dict[str, JsonValue] | None, ODD_IS_NONE] = None
    """Undocumented by the vendor: the answer mirrored with a number 0–1 at each leaf, as JSON text."""
    page_ranges: Annotated[list[tuple[int, int]] | None, ODD_IS_NONE] = None
    """Pages this choice was read from: 1-based, both ends included."""


class CompletionUsage(WireModel):
    """Tokens of a whole request, all choices together."""

    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    total_tokens: Count = 0
    prompt_tokens_details: Annotated[dict[str, JsonValue] | None, ODD_IS_NONE] = None
    completion_tokens_details: Annotated[dict[str, JsonValue] | None, ODD_IS_NONE] = None


class ChatCompletion(WireModel):
    """A whole answer."""

    id: str | None = None
    """`iex-` and 16 characters for an extraction."""
    object: str | None = None
    """`chat.completion`; documented as null by the vendor."""
    created: Annotated[int | None, ODD_IS_NONE] = None
    """Unix seconds; absent in the results of asynchronous jobs."""
    model: str | None = None
    """The dated name of the model that answered."""
    choices: list[Choice]
    usage: Annotated[CompletionUsage | None, ODD_IS_NONE] = None
    system_fingerprint: Annotated[str | None, ODD_IS_NONE] = None
    service_tier: Annotated[str | None, ODD_IS_NONE] = None

    def with_call_ids(self) -> ChatCompletion:
        """The completion with an `id` for each tool call that has none, the same whenever it is asked for."""
        stem = (self.id or "").partition("-")[2] or "0"
        choices = [
            choice.model_copy(update={"message": _with_call_ids(choice.message, f"call_{stem}_{position}")})
            for position, choice in enumerate(self.choices)
        ]
        return self.model_copy(update={"choices": choices})


def _with_call_ids(message: Message, stem: str) -> Message:
    if not message.tool_calls:
        return message
    calls = [
        call if call.id else call.model_copy(update={"id": f"{stem}_{number}"})
        for number, call in enumerate(message.tool_calls)
    ]
    return message.model_copy(update={"tool_calls": calls})
