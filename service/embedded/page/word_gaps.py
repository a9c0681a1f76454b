"""Where words were read as one that are two, and where a wide gap lies within one value."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Protocol

from service.domain.geometry import Box
from service.domain.pages import Word

_STUCK = re.compile(
    r"([^\d\W][^\d:]+[:：]|[^\d\W]{3,}\.{2,})([^/\s].*)"
    r"|([☐☑☒□◻○●■◼✓✔])(\w.*)"  # a check box and its words
)
_STUCK_CAPITALS = re.compile(r"([A-Z]{4,})([A-Z][a-z]{2,}.*)")
"""Of a scan: a value that is written close to its printed label, `DATEOctober`."""
_DIGIT = re.compile(r"[\d–—-]")
"""What stands in a box of a number, or between two groups of such boxes."""
_SIGN = re.compile(r"[$€£¥]")
_SIGN_REACH = 8.0
"""Gap, in heights, within which a currency at the left edge of a column belongs to the amount at its right edge."""
_COMB = 4
"""Digits from which they may be written into one box each."""
_COMB_GAP = 1.2
"""Gap, in heights, that at least half of the digits in such boxes stand closer than."""
_COMB_REACH = 4.0
"""Gap, in heights, within which groups of such boxes are one number."""


class Placed(Protocol):
    """A word on its line; edges and the height of its letters in points."""

    @property
    def text(self) -> str:
        """As read."""
        ...

    @property
    def x0(self) -> float:
        """Left edge."""
        ...

    @property
    def x1(self) -> float:
        """Right edge."""
        ...

    @property
    def size(self) -> float:
        """Height of its letters."""
        ...


def parted(word: Word, *, scanned: bool) -> tuple[Word, ...]:
    """A label and its value, or a check box and its words, that were read as one word, `Total:19.40`, apart."""
    text = word.text.strip()
    match = _STUCK.fullmatch(text) or (_STUCK_CAPITALS.fullmatch(text) if scanned else None)
    if match is None:
        return (word,)
    first, second = (part for part in match.groups() if part is not None)
    box, share = word.box, len(first) / len(first + second)
    cut = box.x0 + box.width * share
    left, right = Box(box.x0, box.y0, cut, box.y1), Box(cut, box.y0, box.x1, box.y1)
    return (replace(word, text=first, box=left), replace(word, text=second, box=right))


def goes_on(row: Sequence[Placed]) -> frozenset[int]:
    """Positions of the words of a row that belong to the one before them, however wide the gap is."""
    return frozenset([*_amounts(row), *_combs(row)])


def in_boxes(words: Sequence[Placed], *, least: int = _COMB) -> bool:
    """Whether words, at least so many, are digits that are written into a box each."""
    return len(words) >= least and all(_DIGIT.fullmatch(w.text) for w in words)


def end_of_boxes(words: Sequence[Placed], start: int, end: int) -> int:
    """Where digits that are written into a box each end, if the words `start` to `end` (exclusive) are such."""
    if in_boxes(words[start : end + 1]):
        while end < len(words) and _DIGIT.fullmatch(words[end].text):
            end += 1
    return end


def _amounts(row: Sequence[Placed]) -> Iterator[int]:
    """Amounts behind their currency, where this stands alone at the edge of the column: `$        1,000`."""
    for place, (sign, amount) in enumerate(pairwise(row), start=1):
        if not _SIGN.fullmatch(sign.text) or not amount.text[0].isdigit():
            continue
        gap, before = _gap(sign, amount), _gap(row[place - 2], sign) if place > 1 else _SIGN_REACH
        if gap < _SIGN_REACH and (before > 1.0 or not row[place - 2].text[-1].isdigit()):
            yield place


def _combs(row: Sequence[Placed]) -> Iterator[int]:
    """Digits that are written into a box each, in groups: `1 2   3 4 5 6 7 8 9`."""
    run = [0]
    for place in range(1, len(row) + 1):
        goes = place < len(row) and in_boxes((row[place - 1], row[place]), least=2)
        if goes and _gap(row[place - 1], row[place]) < _COMB_REACH:
            run.append(place)
            continue
        gaps = [_gap(row[i - 1], row[i]) for i in run[1:]]
        if len(run) >= _COMB and statistics.median_low(gaps) < _COMB_GAP:
            yield from run[1:]
        run = [place]


def _gap(left: Placed, right: Placed) -> float:
    """In heights of the smaller letters."""
    return (right.x0 - left.x1) / max(4.0, min(left.size, right.size))
