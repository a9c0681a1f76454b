"""From a model's text to one JSON object; the text is never trusted, and what was cut off is never made up."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from service.domain.errors import DecodingError, ErrorCode
from service.extraction.decoding.loose_json import tighten

RawJson: TypeAlias = "str | int | Decimal | bool | list[RawJson] | dict[str, RawJson] | None"
"""JSON as sent: numbers with a point are decimals, NaN and Infinity too, so that no digit is lost."""

MAX_ANSWER_CHARS = 8_000_000
"""A table of tens of thousands of rows has fewer; beyond it a model writes without sense."""
_OBJECT_START = re.compile(r"\{(?=\s*[\"'])")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_THOUGHTS_END = "</think>"


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The object, and how often a key stood twice in one object (the last one that is not null was taken)."""

    values: dict[str, RawJson]
    duplicates: int


def parse_answer(text: str, known: Collection[str]) -> ParsedAnswer:
    """Read the JSON object of an answer, whatever stands before and after it.

    The object starts at the first brace that a quoted key follows; a fence counts at the start of a line alone, since
    back-ticks occur inside values. A list of one object is that object, and so is a string that holds it. JSON with
    single quotes, with commas behind the last entry or with Python's words for null and true is read as what it means.

    Args:
        known: the keys that are asked for; an object that has none of them is not the answer, unless it is empty.

    Raises:
        DecodingError: `model_bad_answer`, when there is no such object, or the text is too long to be one.
    """
    if len(text) > MAX_ANSWER_CHARS:
        raise bad_answer(f"is longer than {MAX_ANSWER_CHARS:,} characters")
    if text.lstrip().startswith("<think>") and _THOUGHTS_END in text:
        text = text.split(_THOUGHTS_END, 1)[1]
    starts = [0, *(match.end() for match in _FENCE.finditer(text))]
    foreign = False
    for start in starts:
        parsed = _parse_from(text, start)
        if parsed is None:
            continue
        if not parsed.values or any(key in known for key in parsed.values):
            return parsed
        foreign = True
    if foreign:
        raise bad_answer("holds none of the fields that were asked for")
    raise bad_answer("holds no complete JSON object")


def read_json(text: str) -> RawJson:
    """JSON that a model wrote inside a string; None when it is none."""
    return _Reader().read(text.strip(), 0)


def bad_answer(what: str) -> DecodingError:
    """The error of an answer that cannot be used."""
    return DecodingError(
        ErrorCode.MODEL_BAD_ANSWER, f"The model's answer {what}; retry the job, or choose another model."
    )


def _parse_from(text: str, start: int) -> ParsedAnswer | None:
    reader = _Reader()
    rest = text[start:].lstrip("\ufeff \t\r\n")
    if rest.startswith('"') and isinstance(written := reader.read(rest, 0), str):
        rest = written.lstrip()
    if rest.startswith("["):
        listed = reader.read(rest, 0)
        if isinstance(listed, list):
            return (
                ParsedAnswer(listed[0], reader.duplicates) if len(listed) == 1 and isinstance(listed[0], dict) else None
            )
    match = _OBJECT_START.search(rest)
    at = match.start() if match else rest.find("{")
    value = reader.read(rest, at) if at >= 0 else None
    if value is None and at >= 0 and (tight := tighten(rest, at)) is not None:
        value = reader.read(tight, 0)
    return ParsedAnswer(value, reader.duplicates) if isinstance(value, dict) else None


class _Reader:
    """Python's decoder with exact numbers, a count of repeated keys, and no exception for bad text."""

    def __init__(self) -> None:
        self.duplicates = 0
        # Models put raw line breaks into strings: strict=False lets them pass.
        self._decoder = json.JSONDecoder(
            parse_float=Decimal, parse_constant=Decimal, object_pairs_hook=self._pairs, strict=False
        )

    def _pairs(self, pairs: list[tuple[str, RawJson]]) -> dict[str, RawJson]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self.duplicates += len(pairs) - len(found)
            for key, value in pairs:  # the last one that says anything
                if value is not None:
                    found[key] = value
        return found

    def read(self, text: str, at: int) -> RawJson:
        self.duplicates = 0
        try:
            value: RawJson = self._decoder.raw_decode(text, at)[0]
        except (ValueError, RecursionError, ArithmeticError):  # also numbers of thousands of digits and endless nesting
            return None
        return value
