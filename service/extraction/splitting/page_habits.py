"""How a page is set and worded: size of paper and letters, margins, vocabulary; the pages of a document share them.

The weights are rounded from a fit on the development halves of the evaluation sets, without the non-commercial one and
with half of the digital pages taken for scans, so that a scan alone never counts as a document of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.pages import PageSize, PageText, TextSource
from service.extraction.text.keys import match_key

_SAME_PAPER = 0.03
"""Difference of the edges, as a share, up to which two pages are of one paper."""
_TILL_ROLL = 1.6
"""Height over width from which a page is a slip rather than a sheet."""
_OTHER_PAPER, _TURNED_PAPER, _SLIP, _OTHER_SOURCE = 2.5, 1.0, 1.5, 0.5
_OTHER_LETTERS, _OTHER_MARGIN, _SHARED_WORDS = 2.0, 0.5, 2.0
_GOES_ON = 0.5
_WIDE_SHIFT = 0.05
"""Shift of a margin, as a fraction of the page's width, that counts in full."""
_CLEAR_CHANGE = 0.25
"""Change of the size of letters, as a share, that counts in full."""
_SENTENCE_ENDS = (".", ":", ";", "!", "?")


@dataclass(frozen=True, slots=True)
class Habits:
    """What was measured on a page with words."""

    size: PageSize
    scanned: bool
    letters: float
    """Usual size of its letters, points."""
    left: float
    """Left and right edge of its text without the outermost twentieth of the words, fractions of the width."""
    right: float
    words: frozenset[str]
    goes_on: bool
    """Whether it ends inside a sentence."""
    begins_inside: bool
    """Whether its first word is in lower case."""


def habits_of(page: PageText) -> Habits:
    """Measure a page; it must have words."""
    words = page.words
    outer = len(words) // 20
    last = words[-1].text
    return Habits(
        size=page.size,
        scanned=page.source is TextSource.OCR,
        letters=_middle([word.size for word in words]),
        left=sorted(word.box.x0 for word in words)[outer],
        right=sorted(word.box.x1 for word in words)[-1 - outer],
        words=frozenset(key for word in words if len(key := match_key(word.text)) > 1),
        goes_on=last[-1:].isalpha() and not last.endswith(_SENTENCE_ENDS),
        begins_inside=words[0].text[:1].islower(),
    )


def change_of_habits(before: Habits, page: Habits) -> float:
    """How much speaks for a new document at `page`; negative where the pages are set and worded alike."""
    score = _paper(before.size, page.size) + _OTHER_SOURCE * (before.scanned != page.scanned)
    score += _SLIP * (max(_tallness(before.size), _tallness(page.size)) > _TILL_ROLL)
    score += _OTHER_LETTERS * min(1.0, _difference(before.letters, page.letters) / _CLEAR_CHANGE)
    score += _OTHER_MARGIN * min(1.0, abs(before.left - page.left) / _WIDE_SHIFT)
    score += _OTHER_MARGIN * min(1.0, abs(before.right - page.right) / _WIDE_SHIFT)
    score -= _GOES_ON * (before.goes_on + page.begins_inside)
    fewer = min(len(before.words), len(page.words))
    return score - _SHARED_WORDS * (len(before.words & page.words) / fewer if fewer else 0.0)


def _paper(before: PageSize, page: PageSize) -> float:
    if _alike(before.width, page.width) and _alike(before.height, page.height):
        return 0.0
    turned = _alike(before.width, page.height) and _alike(before.height, page.width)
    return _TURNED_PAPER if turned else _OTHER_PAPER


def _alike(a: float, b: float) -> bool:
    return _difference(a, b) < _SAME_PAPER


def _difference(a: float, b: float) -> float:
    """As a share of the larger, 0–1."""
    return abs(a - b) / max(a, b) if max(a, b) > 0 else 0.0


def _tallness(size: PageSize) -> float:
    return size.height / size.width if size.width > 0 else 0.0


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
