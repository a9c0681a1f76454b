"""What the first pages of a document show of its kind: its titles, its words, its shape."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from service.domain.pages import PageText, Word
from service.embedded.words.kinds import Kind, ends_in, flat, has_phrase, kinds
from service.embedded.words.labels import read_word

PAGES = 3
"""Pages with words that are looked at: what a document is stands at its begin."""
_MOST_LINES = 250
_TITLE_ZONE = 0.45
"""End of the zone of titles, as a fraction of the page's height."""
_TITLE_SIZE = 1.15
"""How much larger than the usual word a title is at least."""
_LONGEST_TITLE = 8
"""Words of a line that may be a title, and of one that may have a title as the end of a compound one less by two."""
_SLIP = 1.6
"""Height over width from which a page is a slip rather than a sheet."""
_ON_SLIPS = frozenset({"receipt"})
_SLIP_WORTH = 0.5
_USUAL = 0.3
"""What a phrase that stands in other kinds too is worth beside one that does not."""
_HALF = 1.5
"""Telling phrases, for the length of the text, from which the cues are worth a half."""
_ANYWHERE = 0.2
_CUES_WORTH = 1.5


@dataclass(frozen=True, slots=True)
class _Heading:
    """A line in the zone of titles."""

    text: str
    """Flat."""
    words: int
    stands_out: bool


class FirstPages:
    """The pages of one document, looked through once."""

    def __init__(self, pages: Sequence[PageText]) -> None:
        self._pages = [page for page in pages if page.words][:PAGES]
        self.raw = "\n".join(page.text() for page in self._pages)
        self._text = flat(self.raw)
        self._words = frozenset(self._text.split())
        self.length = len(self._text.split())

    @cached_property
    def lines(self) -> tuple[frozenset[str], ...]:
        """What the words of each line mean (see `read_word`), of the first lines."""
        lines = [line for page in self._pages for line in page.lines()][:_MOST_LINES]
        return tuple(
            frozenset(name for word in line for part in read_word(word.text) for name in part) for line in lines
        )

    @cached_property
    def meanings(self) -> frozenset[str]:
        """What the words of all lines mean."""
        return frozenset().union(*self.lines)

    @property
    def damping(self) -> float:
        """Grows with the text: a long one has every word some time."""
        return math.log2(2 + self.length / 100)

    @cached_property
    def is_slip(self) -> bool:
        """Whether it is printed on a till roll."""
        size = self._pages[0].size if self._pages else None
        return size is not None and size.height > _SLIP * size.width

    @cached_property
    def cues(self) -> dict[str, float]:
        """How much its words speak for each kind, 0–1."""
        return {kind.name: self._cues_of(kind) for kind in kinds().values()}

    @cached_property
    def evidence(self) -> dict[str, float]:
        """How much its titles, words and shape speak for each kind, 0–3."""
        return {
            kind.name: self._title_of(kind)
            + _CUES_WORTH * self.cues[kind.name]
            + _SLIP_WORTH * (self.is_slip and kind.name in _ON_SLIPS)
            for kind in kinds().values()
        }

    def fits_slip(self, names: Sequence[str]) -> bool:
        """Whether it is a slip and one of the kinds is printed on such."""
        return self.is_slip and not _ON_SLIPS.isdisjoint(names)

    def _has(self, phrase: str) -> bool:
        plain = phrase.isascii() and " " not in phrase
        return phrase in self._words if plain else has_phrase(self._text, phrase)

    def _cues_of(self, kind: Kind) -> float:
        telling = sum(map(self._has, kind.telling)) + _USUAL * sum(map(self._has, kind.usual))
        weight = telling / self.damping
        return weight / (weight + _HALF)

    def _title_of(self, kind: Kind) -> float:
        best = max((_likeness(heading, title) for title in kind.titles for heading in self._headings), default=0.0)
        return max(best, _ANYWHERE) if best or any(map(self._has, kind.titles)) else 0.0

    @cached_property
    def _headings(self) -> tuple[_Heading, ...]:
        return tuple(_headings(self._pages[0])) if self._pages else ()


def _headings(page: PageText) -> Iterator[_Heading]:
    sizes = sorted(word.size for word in page.words)
    usual = sizes[len(sizes) // 2]
    for line in page.lines():
        if line[0].box.center.y < _TITLE_ZONE:
            yield _Heading(_flat_line(line), len(line), _stands_out(line, usual))


def _flat_line(line: Sequence[Word]) -> str:
    return flat(" ".join(word.text for word in line))


def _stands_out(line: Sequence[Word], usual: float) -> bool:
    text = " ".join(word.text for word in line)
    return text.upper() == text or max(word.size for word in line) >= _TITLE_SIZE * usual


def _likeness(heading: _Heading, title: str) -> float:
    """How surely a line is the title of a document of that name, 0–1."""
    if not has_phrase(heading.text, title):
        return 0.6 if heading.words <= _LONGEST_TITLE - 2 and ends_in(heading.text, title) else 0.0
    words = len(title.split())
    if heading.words <= words + 2:
        sure = 1.0 if heading.stands_out else 0.55
    else:
        sure = 0.8 if heading.stands_out and heading.words <= _LONGEST_TITLE else 0.35
    return sure if words > 1 else sure * min(1.0, 0.75 + 0.02 * len(title))  # `order` says less than `receipt`
