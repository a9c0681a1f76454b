"""A printed label, and how far words look like labels at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from service.embedded.page.layout import Segment, Token
from service.embedded.words.labels import (
    Part,
    read_word,
    surfaces,
)

PROSE_WORDS = 11


@dataclass(frozen=True, slots=True)
class Hit:
    """A label: words `start` to `end` (exclusive) of a segment; `strength` 0–1."""

    segment: Segment
    start: int
    end: int
    strength: float
    upper: Segment | None = None
    """The line above, where the label starts there."""

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Its words."""
        return self.segment.tokens[self.start : self.end]

    @property
    def x0(self) -> float:
        """Left edge, points, with the question that it ends."""
        return self.segment.x0 if self.tokens[-1].text.endswith("?") else self.tokens[0].x0

    @property
    def x1(self) -> float:
        """Right edge, points, with what the segment says in brackets or further on about the same label."""
        rest = self.segment.tokens[self.end :]
        return self.segment.x1 if rest and rest[0].text[0] in "([" else self.tokens[-1].x1

    @property
    def colon(self) -> bool:
        """Whether it ends with a colon."""
        after = self.segment.tokens[self.end].text if self.end < len(self.segment.tokens) else ""
        return self.tokens[-1].text.endswith((":", "：")) or after == ":"

    def meets(self, other: Hit) -> bool:
        """Whether they share a word."""
        return self.segment is other.segment and self.start < other.end and other.start < self.end

    @property
    def words(self) -> list[tuple[int, int]]:
        """Of each of its words the index of the segment and the position in it."""
        return [(self.segment.index, at) for at in range(self.start, self.end)]


_ENUMERATED = re.compile(r"\(?(?:\d{1,2}[a-z]?|[a-z])[.)]", re.IGNORECASE)


def first_word(segment: Segment) -> int:
    """Position of the first word behind the number that a label of a form may start with: `7. Diagnosis`."""
    return int(len(segment.tokens) > 1 and bool(_ENUMERATED.fullmatch(segment.tokens[0].text)))


def is_prose(segment: Segment) -> bool:
    """Whether a segment reads like a sentence: many words before the first bracket or full stop."""
    for index, token in enumerate(segment.tokens[:PROSE_WORDS]):
        if token.text[0] in "([" or (index > 1 and token.text.endswith(".") and len(token.text) > 3):
            return False
    return len(segment.tokens) >= PROSE_WORDS


def labelness(tokens: Sequence[Token]) -> float:
    """The share of words that belong to the vocabulary of labels; 0 with a digit among them."""
    if any(c.isdigit() for t in tokens for c in t.text if len(t.text) > 2):
        return 0.0
    parts = [part for t in tokens if not t.text.isdigit() for part in read_word(t.text)]
    return sum(part in _vocabulary() for part in parts) / len(parts) if parts else 0.0


@lru_cache(maxsize=1)
def _vocabulary() -> frozenset[Part]:
    return frozenset(surfaces().values())
