"""A document as lines of segments of words, with their places in points."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from service.domain.geometry import Box, Point
from service.domain.pages import CheckMark, FormEntry, RuledTable
from service.embedded.page.overlap import shared_width


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its place in points; `page` is 1-based."""

    text: str
    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    bold: bool
    certainty: float
    size: float
    """Height of the font, points; the box's own height where the font is unknown."""
    boxes: tuple[Box, ...]
    """The same place in fractions of the page: one box a word as it was read."""

    @property
    def height(self) -> float:
        """Points."""
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        """Vertical middle, points."""
        return (self.y0 + self.y1) / 2


@dataclass(frozen=True)
class Segment:
    """Words of one line without a wide gap between them, left to right."""

    index: int
    """0-based in the document."""
    line: int
    """0-based index of the line in the document."""
    page: int
    tokens: tuple[Token, ...]
    entry: FormEntry | None = None
    """The field of a fillable form that it is filled into."""

    @cached_property
    def text(self) -> str:
        """The words, one blank between."""
        return " ".join(t.text for t in self.tokens)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each word begins in the text, 0-based."""
        return tuple(accumulate((len(t.text) + 1 for t in self.tokens[:-1]), initial=0))

    @property
    def x0(self) -> float:
        """Left edge, points."""
        return self.tokens[0].x0

    @property
    def x1(self) -> float:
        """Right edge, points."""
        return self._right

    @cached_property
    def _right(self) -> float:
        return max(t.x1 for t in self.tokens)

    @cached_property
    def y0(self) -> float:
        """Upper edge, points."""
        return min(t.y0 for t in self.tokens)

    @cached_property
    def y1(self) -> float:
        """Lower edge, points."""
        return max(t.y1 for t in self.tokens)

    @cached_property
    def height(self) -> float:
        """Median height of the words, points."""
        return statistics.median(t.height for t in self.tokens)

    @cached_property
    def bold(self) -> bool:
        """Whether most of its words are bold."""
        return 2 * sum(t.bold for t in self.tokens) > len(self.tokens)


@dataclass(frozen=True, slots=True)
class Line:
    """Segments that stand side by side."""

    index: int
    page: int
    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """All segments, two blanks between."""
        return "  ".join(s.text for s in self.segments)


@dataclass(frozen=True)
class PageLayout:
    """One page's lines, top to bottom; sizes in points."""

    page: int
    width: float
    height: float
    lines: tuple[Line, ...]
    tables: tuple[RuledTable, ...] = ()
    marks: tuple[CheckMark, ...] = ()
    entries: tuple[FormEntry, ...] = ()


@dataclass(frozen=True)
class Layout:
    """A document's lines, in reading order."""

    pages: tuple[PageLayout, ...]
    lines: tuple[Line, ...]
    segments: tuple[Segment, ...]
    text_height: float
    """Median height of a word, points."""
    scanned: bool
    """Whether any page was read optically."""
    _below: dict[int, tuple[Segment, ...]] = field(default_factory=dict[int, tuple[Segment, ...]])

    def page(self, number: int) -> PageLayout:
        """The page of that 1-based number."""
        return next(p for p in self.pages if p.page == number)

    def cell(self, segment: Segment) -> Box | None:
        """The ruled cell, in fractions of the page, that holds the middle of a segment."""
        page = self.page(segment.page)
        middle = Point((segment.x0 + segment.x1) / 2 / page.width, (segment.y0 + segment.y1) / 2 / page.height)
        held = [c.box for table in page.tables for c in table.cells if c.box.contains(middle)]
        return min(held, key=lambda b: b.width * b.height, default=None)

    def below(self, segment: Segment, reach: float = 4.0) -> tuple[Segment, ...]:
        """Segments under it that share its columns, nearest first, down to `reach` heights below."""
        known = self._below.get(segment.index)
        if known is None:
            known = tuple(self._search_below(segment))
            self._below[segment.index] = known
        limit = segment.y1 + reach * segment.height
        return tuple(s for s in known if s.y0 <= limit)

    def _search_below(self, segment: Segment) -> list[Segment]:
        found: list[Segment] = []
        for line in self.lines[segment.line + 1 : segment.line + 12]:
            if line.page != segment.page:
                break
            for other in line.segments:
                shared = shared_width(segment, other)
                if shared > 0 and other.y0 > segment.y0 + 0.5 * segment.height:
                    found.append(other)
        return found


def lines_under(layout: Layout, segment: Segment, left: float, *, limit: int = 4) -> tuple[Segment, ...]:
    """The lines right under a segment that start at the same place (`left`, points), without a gap between."""
    found: list[Segment] = []
    last = segment
    while len(found) < limit:
        near = layout.below(last, reach=1.0)
        following = next((s for s in near if abs(s.x0 - left) < 0.8 * s.height and s.height < 1.4 * last.height), None)
        if following is None:
            break
        found.append(following)
        last = following
    return tuple(found)
