"""Whether a page's text layer can be trusted, or the page must be read from its picture. Pure."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Route(StrEnum):
    """How a page is to be read."""

    DIGITAL = "digital"
    """The text layer is the page."""
    OCR = "ocr"
    """There is no text layer worth keeping."""
    VERIFY = "verify"
    """A picture fills the page and a text layer lies over or under it: some of both is compared first."""
    COMPLETE = "complete"
    """The text layer is right but is not all: what the picture shows besides is added."""
    PICTURES = "pictures"
    """The text layer is right; small pictures, such as a letterhead, may hold words besides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvidence:
    """What is known of a page before it is decided how to read it."""

    text: str
    """All words of the layer, without the hidden ones but with an invisible layer over a picture."""
    words: int
    unmapped: int
    """Characters whose font has no mapping to Unicode."""
    picture_share: float
    """Part of the page that its largest picture covers, 0–1."""
    small_pictures: bool
    """Whether there are pictures without text of the layer on them, large enough for words."""
    outlines: int
    """Drawn shapes of a letter's size."""


FULL_PICTURE = 0.5
"""A picture that covers more of the page than this may be the page itself."""
LARGE_PICTURE = 0.12
FEW_WORDS = 25
"""Beside a large picture, fewer words than this are a stamp, a header or a page number, not the page's text."""
_MANY_OUTLINES = 60
_GARBAGE = 0.2
_LETTERS, _LETTERS_SHORT, _SHORT = 0.35, 0.6, 20
_NEUTRAL = frozenset(".·•_-–—=*…|,:")
"""Leaders, rules and bullets: no sign of sense or nonsense."""


def judge(evidence: PageEvidence) -> Route:
    """Decide how a page is to be read; a page without words and without ink is the caller's to notice."""
    if evidence.words == 0 or is_garbage(evidence.text, evidence.unmapped):
        return Route.OCR
    if evidence.picture_share >= FULL_PICTURE:
        return Route.VERIFY if evidence.words >= FEW_WORDS else Route.COMPLETE
    if evidence.picture_share >= LARGE_PICTURE and evidence.words < FEW_WORDS:
        return Route.COMPLETE
    if evidence.outlines >= _MANY_OUTLINES and evidence.outlines > 4 * evidence.words:
        return Route.COMPLETE
    return Route.PICTURES if evidence.small_pictures else Route.DIGITAL


def is_garbage(text: str, unmapped: int = 0) -> bool:
    """Whether a text layer is no letters a person would read: no mapping, private use, control characters, signs."""
    # A page has thousands of letters, but few different ones.
    counts = Counter({char: count for char, count in Counter(text).items() if not char.isspace()})
    letters = counts.total()
    if not letters:
        return False
    bad = max(unmapped, _total(counts, _is_bad))
    if bad > _GARBAGE * letters or text.count("(cid:") * 20 > letters:
        return True
    telling = _total(counts, lambda c: c not in _NEUTRAL)
    if not telling:
        return False
    share = _total(counts, lambda c: c.isalnum() or unicodedata.category(c) == "Sc") / telling
    return share < (_LETTERS_SHORT if telling < _SHORT else _LETTERS)


def _total(counts: Counter[str], of: Callable[[str], bool]) -> int:
    """How many of the letters are of a kind."""
    return sum(count for char, count in counts.items() if of(char))


def _is_bad(char: str) -> bool:
    return char == "\ufffd" or unicodedata.category(char) in ("Cc", "Co", "Cn", "Cs")
