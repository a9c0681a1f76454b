"""How sure a model was of the tokens of each value, where its answer tells that."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate

from pydantic import JsonValue

from service.domain.schema import escape_pointer
from service.protocol.completion import Choice

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_PLAIN = re.compile(r"[^\s,\]}]+")


def token_odds(choice: Choice, leaves: Collection[str]) -> Mapping[str, float]:
    """The probability (0–1) of the least probable token of each value, by the value's JSON Pointer.

    Nothing is told of an answer that is no plain JSON, whose tokens do not hold its text once (there may be fences
    around it that the server took away), or that was given another shape on its way to the record: there is no knowing
    which token belongs to which value.

    Args:
        choice: with `logprobs.content`, as OpenAI's specification has it.
        leaves: every leaf of the record.
    """
    text = choice.message.text()
    tokens = _tokens(choice.logprobs)
    begins = _begins(tokens, text)
    if begins is None:
        return {}
    try:
        json.loads(text)
        spans = list(_spans(text))
    except (ValueError, RecursionError):
        return {}
    if any(path not in leaves for path, _, _ in spans):
        return {}
    ends = list(accumulate(len(part) for part, _ in tokens))
    at = list(accumulate((len(sign.encode("utf-8", "surrogatepass")) for sign in text), initial=begins))
    found: dict[str, float] = {}
    for path, start, end in spans:
        if start == end:
            continue
        first, last = bisect_right(ends, at[start]), bisect_left(ends, at[end])
        least = min(logprob for _, logprob in tokens[first : last + 1])
        found[path] = min(found.get(path, 1.0), math.exp(min(least, 0.0)))
    return found


def _begins(tokens: Sequence[tuple[bytes, float]], text: str) -> int | None:
    """At which byte of all tokens the text begins; None: it is not there, or more than once."""
    whole, part = b"".join(part for part, _ in tokens), text.encode("utf-8", "surrogatepass")
    found = whole.find(part) if part else -1
    return found if found >= 0 and whole.find(part, found + 1) < 0 else None


def _tokens(logprobs: Mapping[str, JsonValue] | None) -> list[tuple[bytes, float]]:
    """Bytes and log probability of every token."""
    listed = logprobs.get("content") if logprobs else None
    found: list[tuple[bytes, float]] = []
    for token in listed if isinstance(listed, list) else ():
        if not isinstance(token, dict):
            return []
        part, logprob = _bytes(token), token.get("logprob")
        if part is None or isinstance(logprob, bool) or not isinstance(logprob, (int, float)) or math.isnan(logprob):
            return []
        found.append((part, float(logprob)))
    return found


def _bytes(token: Mapping[str, JsonValue]) -> bytes | None:
    """A token may be a part of a character: then only its bytes tell what it is."""
    given, text = token.get("bytes"), token.get("token")
    if isinstance(given, list):
        numbers = [n for n in given if isinstance(n, int) and 0 <= n < 256]
        return bytes(numbers) if len(numbers) == len(given) else None
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else None


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Pointer, start and end of every scalar of a JSON text, the quotes of a text left out."""
    yield from _Scanner(text).value(0, "")


class _Scanner:
    """Walks a text that is known to be JSON."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        """Where the last value ended."""

    def value(self, at: int, path: str) -> Iterator[tuple[str, int, int]]:
        at = self._skip(at)
        sign = self._text[at]
        if sign in "{[":
            yield from self._members(at + 1, path, is_object=sign == "{")
            return
        pattern = _STRING if sign == '"' else _PLAIN
        match = pattern.match(self._text, at)
        if match is None:
            raise ValueError("no JSON")
        self._end = match.end()
        yield (path, at + 1, self._end - 1) if sign == '"' else (path, at, self._end)

    def _members(self, at: int, path: str, *, is_object: bool) -> Iterator[tuple[str, int, int]]:
        number = 0
        at = self._skip(at)
        while self._text[at] not in "}]":
            name = str(number)
            if is_object:
                key = _STRING.match(self._text, at)
                if key is None:
                    raise ValueError("no JSON")
                name = escape_pointer(str(json.loads(key[0])))
                at = self._skip(key.end()) + 1  # behind the colon
            yield from self.value(at, f"{path}/{name}")
            number, at = number + 1, self._skip(self._end)
            if self._text[at] == ",":
                at = self._skip(at + 1)
        self._end = at + 1

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at
