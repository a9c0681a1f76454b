"""Folds a streamed answer into a whole one, and refuses a stream that broke off."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import JsonValue, ValidationError

from service.protocol.chunk import ChunkChoice, CompletionChunk, Delta, FunctionDelta, ToolCallDelta
from service.protocol.completion import ChatCompletion, Choice, CompletionUsage, FunctionCall, Message, ToolCall
from service.protocol.error import WireError, read_error_value
from service.protocol.json_text import decode_json
from service.protocol.sse import DONE, EventReader


class StreamError(Exception):
    """The server reported an error inside the stream, after its status line said 200."""

    def __init__(self, error: WireError) -> None:
        super().__init__(error.message)
        self.error = error


class StreamCutError(Exception):
    """The stream ended before the answer did; what came is not to be used."""


class CompletionAccumulator:
    """Takes a stream's bytes as they come; `finish` gives the answer once the stream has ended."""

    def __init__(self) -> None:
        self._events = EventReader()
        self._envelope: dict[str, object] = {}
        self._usage: CompletionUsage | None = None
        self._choices: dict[int, _ChoiceParts] = {}
        self._done = False
        self._pieces: list[str] = []
        self._written = 0

    @property
    def written(self) -> int:
        """Characters of content, thoughts and arguments so far, all choices together."""
        return self._written

    def tail(self, count: int) -> str:
        """The last characters that were written (`count` ≥ 1, or fewer if there are not so many)."""
        text = "".join(self._pieces)[-count:]
        self._pieces = [text]
        return text

    def feed(self, piece: bytes) -> None:
        """Take the next bytes.

        Raises:
            StreamError: an event reports an error.
            StreamCutError: an event is not a chunk.
        """
        for data in self._events.feed(piece):
            self._take(data)

    def finish(self) -> ChatCompletion:
        """The whole answer, its choices by index.

        Raises:
            StreamError: the last event reports an error.
            StreamCutError: `[DONE]` did not come, there is no choice, or one has no finish reason.
        """
        for data in self._events.close():
            self._take(data)
        if not self._done:
            raise StreamCutError(f"the stream ended without {DONE!r}")
        if not self._choices:
            raise StreamCutError("the stream held no choice")
        unfinished = [index for index, parts in sorted(self._choices.items()) if parts.finish_reason is None]
        if unfinished:
            raise StreamCutError(f"the stream ended without a finish reason for choice {unfinished[0]}")
        choices = [parts.choice(index) for index, parts in sorted(self._choices.items())]
        whole: dict[str, object] = {**self._envelope, "object": "chat.completion", "choices": choices}
        return ChatCompletion.model_validate(whole | ({"usage": self._usage} if self._usage else {}))

    def _take(self, data: str) -> None:
        if self._done:
            return
        if data.startswith(DONE):
            self._done = True
            return
        try:
            value = decode_json(data)
            if isinstance(value, dict) and value.get("error"):
                raise StreamError(read_error_value(value) or WireError("an error without a message"))
            self.add(CompletionChunk.model_validate(value))
        except (ValidationError, ValueError) as error:
            raise StreamCutError("an event of the stream is not a chunk of an answer") from error

    def add(self, chunk: CompletionChunk) -> None:
        """Take one chunk that was read already."""
        known = {"id": chunk.id, "created": chunk.created, "model": chunk.model}
        known |= {"system_fingerprint": chunk.system_fingerprint}
        for key, value in known.items():
            if value is not None:
                self._envelope.setdefault(key, value)
        self._usage = chunk.usage or self._usage
        for fragment in chunk.choices:
            self._choices.setdefault(fragment.index or 0, _ChoiceParts()).add(fragment)
            self._note(fragment.delta)

    def _note(self, delta: Delta) -> None:
        calls = [call.function for call in delta.tool_calls or ()]
        said = (delta.content, delta.reasoning_content, *(f.arguments for f in (*calls, delta.function_call) if f))
        pieces = [piece for piece in said if isinstance(piece, str)]
        self._pieces.extend(pieces)
        self._written += sum(map(len, pieces))


@dataclass(slots=True)
class _FunctionParts:
    name: str = ""
    text: list[str] = field(default_factory=list[str])
    whole: dict[str, JsonValue] | None = None

    def add(self, delta: FunctionDelta) -> None:
        self.name = self.name or delta.name or ""
        if isinstance(delta.arguments, dict):
            self.whole = delta.arguments
        elif delta.arguments:
            self.text.append(delta.arguments)

    def call(self) -> FunctionCall:
        return FunctionCall(name=self.name, arguments="".join(self.text) if self.whole is None else self.whole)


@dataclass(slots=True)
class _CallParts:
    id: str | None = None
    type: str | None = None
    function: _FunctionParts | None = None
    extra: dict[str, object] = field(default_factory=dict[str, object])

    def add(self, delta: ToolCallDelta) -> None:
        self.id = self.id or delta.id
        self.type = self.type or delta.type
        self.extra |= delta.model_extra or {}
        if delta.function is not None:
            self.function = self.function or _FunctionParts()
            self.function.add(delta.function)

    def call(self) -> ToolCall:
        function = None if self.function is None else self.function.call()
        known: dict[str, object] = {"id": self.id, "type": self.type or "function", "function": function}
        return ToolCall.model_validate(self.extra | {key: value for key, value in known.items() if value is not None})


@dataclass(slots=True)
class _ChoiceParts:
    """What came of one choice so far."""

    role: str | None = None
    texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """`content`, `reasoning_content` and `refusal`: the pieces; no entry where none came."""
    calls: dict[int, _CallParts] = field(default_factory=dict[int, _CallParts])
    function_call: _FunctionParts | None = None
    finish_reason: str | None = None
    logprobs: dict[str, JsonValue] | None = None
    last: dict[str, object] = field(default_factory=dict[str, object])
    """What comes whole, with any fragment."""

    def add(self, fragment: ChunkChoice) -> None:
        self.finish_reason = fragment.finish_reason or self.finish_reason
        whole = {"confidence_score": fragment.confidence_score, "page_ranges": fragment.page_ranges}
        self.last |= (fragment.model_extra or {}) | {key: value for key, value in whole.items() if value is not None}
        if fragment.logprobs is not None:
            self.logprobs = _joined(self.logprobs or {}, fragment.logprobs)
        self._add_delta(fragment.delta)

    def _add_delta(self, delta: Delta) -> None:
        self.role = self.role or delta.role
        content = delta.content
        if isinstance(content, list):
            content = "".join(part.text or "" for part in content)
        pieces = {"content": content, "reasoning_content": delta.reasoning_content, "refusal": delta.refusal}
        for key, piece in pieces.items():
            if piece is not None:
                self.texts.setdefault(key, []).append(piece)
        for call in delta.tool_calls or ():
            self.calls.setdefault(self._position(call), _CallParts()).add(call)
        if delta.function_call is not None:
            self.function_call = self.function_call or _FunctionParts()
            self.function_call.add(delta.function_call)

    def _position(self, call: ToolCallDelta) -> int:
        """Which call a fragment belongs to; without an index, a new id begins a new call."""
        if call.index is not None:
            return call.index
        newest = max(self.calls, default=-1)
        begins = newest < 0 or (call.id is not None and call.id != self.calls[newest].id)
        return newest + 1 if begins else newest

    def choice(self, index: int) -> Choice:
        message: dict[str, object] = {"role": self.role or "assistant", "content": None}
        message |= {key: "".join(pieces) for key, pieces in self.texts.items()}
        if self.calls:
            message["tool_calls"] = [parts.call() for _, parts in sorted(self.calls.items())]
        if self.function_call is not None:
            message["function_call"] = self.function_call.call()
        known: dict[str, object] = {"index": index, "finish_reason": self.finish_reason}
        known |= {"message": Message.model_validate(message)}
        if self.logprobs is not None:
            known["logprobs"] = self.logprobs
        return Choice.model_validate(self.last | known)


def _joined(before: dict[str, JsonValue], new: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Log probabilities so far with those of the next tokens: lists are joined, other values replaced."""
    joined = dict(before)
    for key, value in new.items():
        old = joined.get(key)
        joined[key] = [*old, *value] if isinstance(old, list) and isinstance(value, list) else value
    return joined
