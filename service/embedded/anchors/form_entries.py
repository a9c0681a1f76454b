"""Fillable forms: where their fields stand, empty ones included, and which printed label each of them has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from service.domain.pages import FormEntry
from service.embedded.anchors.hits import Hit
from service.embedded.page.layout import Layout, PageLayout, Segment

_NEAR = 6.0
"""Text heights to the right within which a field belongs to a label in any case."""
_OVER = 1.2
"""Text heights over a label, as over the name of who signs, within which its field ends."""
_CAPTION = 2.6
"""Text heights over a field up to which what is printed there is said of it."""
_BLOCK = 3
"""Fields of one block, as of an address."""
_FAR = 1e6
"""Points: what stands for no words at all."""
_NUMBER = re.compile(r"(\d{1,2}[a-z]?)[.):]?", re.IGNORECASE)
_JOINT = re.compile(r"[-–—/.]{1,3}")


@dataclass(frozen=True)
class Placed:
    """A field of the form on its page; edges in points."""

    entry: FormEntry
    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    segments: tuple[Segment, ...]
    """The words in it, in reading order; none in an empty one."""

    @property
    def text(self) -> str:
        """What is filled in, in one line."""
        return " ".join(self.entry.text.split())

    def beside(self, segment: Segment) -> bool:
        """Whether the middle of printed words is between its upper and its lower edge."""
        return segment.page == self.page and self.y0 <= (segment.y0 + segment.y1) / 2 <= self.y1

    def shares(self, x0: float, x1: float) -> bool:
        """Whether it stands in these columns."""
        return min(self.x1, x1) - max(self.x0, x0) > 0


@dataclass(frozen=True, slots=True)
class Around:
    """What is printed at a field: over it, and the nearest words to its left and right."""

    over: str
    left: str
    right: str


class FormEntries:
    """The fields of a document's forms, and what is printed around them."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._height = layout.text_height
        self._printed = [s for s in layout.segments if s.entry is None]
        self.placed = tuple(placed for page in layout.pages for placed in _placed(page))

    @cached_property
    def captions(self) -> dict[int, tuple[Segment, ...]]:
        """Identity of a field → the printed lines over it that are said of it."""
        return {id(p): self._caption(p) for p in self.placed}

    @cached_property
    def around(self) -> dict[int, Around]:
        """Identity of a field → what is printed at it."""
        return {id(p): self._around(p) for p in self.placed}

    @cached_property
    def numbers(self) -> dict[int, str]:
        """Identity of a field → the number of the line or box of the form that it belongs to; those without: none."""
        numbered = [(s, n) for s in self._printed if (n := self._leading_number(s))]
        return {id(p): n for p in self.placed if (n := self._number_of(p, numbered))}

    def blocks(self, placed: Placed) -> Iterator[str]:
        """What is printed over a field, then over those right above it, which may tell of whom a whole block is."""
        above: Placed | None = placed
        for _ in range(_BLOCK):
            if above is None:
                return
            yield self.around[id(above)].over
            above = self._over_it.get(id(above))

    @cached_property
    def _over_it(self) -> dict[int, Placed]:
        """Identity of a field → the one right above it."""
        return {id(under): p for p in self.placed if (under := self.next_under(p)) is not None}

    def at(self, hit: Hit) -> Iterator[tuple[Placed, float]]:
        """The fields that a label may belong to, each with how natural that is (0–1)."""
        right, over = self._right(hit), self._over(hit)
        under = self._under(hit) or self._following(hit)
        near = right is not None and right.x0 - hit.tokens[-1].x1 <= _NEAR * hit.segment.height
        if right is not None:
            yield right, 1.0 if near else 0.96 if under is None and over is None else 0.8
        if under is not None:
            yield under, 0.9 if near else 0.98
        if over is not None and not near and (under is None or self._captioned_below(over)):
            yield over, 0.95 if under is None else 1.0

    def joined(self, first: Placed) -> tuple[Placed, ...]:
        """A field with those further right that only a dash or a stroke parts from it: `12 – 3456789`."""
        row = sorted(
            (
                p for p in self.placed
                if p.page == first.page and p.x0 >= first.x0 and first.y0 < (p.y0 + p.y1) / 2 < first.y1
            ),
            key=_left,
        )  # fmt: skip
        found = [first]
        words = [t for s in self._printed if first.beside(s) for t in s.tokens]
        for left, right in pairwise(row):
            between = [t.text for t in words if left.x1 - 1 <= (t.x0 + t.x1) / 2 <= right.x0 + 1]
            if not _JOINT.fullmatch("".join(between)):
                break
            found.append(right)
        return tuple(found)

    def next_under(self, first: Placed) -> Placed | None:
        """The field that begins right under another one, at the same edge."""
        below = [
            p for p in self.placed
            if p.page == first.page and abs(p.x0 - first.x0) < self._height and p.y0 > first.y0
            and -1 < p.y0 - first.y1 < 3 * self._height
        ]  # fmt: skip
        return min(below, key=_top, default=None)

    def _right(self, hit: Hit) -> Placed | None:
        """The next field on the label's line."""
        start = hit.tokens[-1].x1 - hit.segment.height
        return min((p for p in self.placed if p.beside(hit.segment) and p.x0 >= start), key=_left, default=None)

    def _under(self, hit: Hit) -> Placed | None:
        """The field under a label that is its caption, or the last line of it."""
        below = [p for p in self.placed if any(s is hit.segment for s in self.captions[id(p)])]
        return min(below, key=lambda p: (abs(p.x0 - hit.tokens[0].x0) > self._height, p.x0), default=None)

    def _following(self, hit: Hit) -> Placed | None:
        """The field at the start of the next line, where running text stops at a label and goes on after the field."""
        if any(c.isalnum() for t in hit.segment.tokens[hit.end :] for c in t.text):
            return None
        segment = hit.segment
        below = [
            p for p in self.placed
            if p.page == segment.page and segment.y1 - 0.3 * segment.height <= p.y0 < segment.y1 + segment.height
        ]  # fmt: skip
        found = min(below, key=_left, default=None)
        flows = found is not None and abs(found.x0 - segment.x0) < 2 * self._height and self.around[id(found)].right
        return found if flows else None

    def _over(self, hit: Hit) -> Placed | None:
        """The field right over a label."""
        segment = hit.segment
        above = [
            p for p in self.placed
            if p.page == segment.page and p.shares(hit.tokens[0].x0, segment.x1)
            and -0.6 * segment.height <= segment.y0 - p.y1 <= _OVER * segment.height
        ]  # fmt: skip
        return max(above, key=lambda p: p.y1, default=None)

    def _captioned_below(self, placed: Placed) -> bool:
        """Whether the printed words nearest to a field are those under it."""
        near = [s for s in self._printed if s.page == placed.page and placed.shares(s.x0, s.x1)]
        above = min((placed.y0 - s.y1 for s in near if s.y1 <= placed.y0 + 0.5 * s.height), default=_FAR)
        below = min((s.y0 - placed.y1 for s in near if s.y0 >= placed.y1 - 0.5 * s.height), default=_FAR)
        return below < above - 0.5 * self._height

    def _around(self, placed: Placed) -> Around:
        beside = [s for s in self._printed if placed.beside(s)]
        left = max((s for s in beside if s.x1 <= placed.x0 + self._height), key=lambda s: s.x1, default=None)
        right = min((s for s in beside if s.x0 >= placed.x1 - self._height), key=lambda s: s.x0, default=None)
        return Around(
            over=" ".join(s.text for s in self.captions[id(placed)]),
            left=left.text if left is not None else "",
            right=right.text if right is not None else "",
        )

    def _caption(self, placed: Placed) -> tuple[Segment, ...]:
        """The printed lines over a field, top to bottom: the nearest one, and those it goes on from."""
        height = self._height
        over = [
            s for s in self._printed
            if s.page == placed.page and placed.shares(s.x0, s.x1) and s.y1 <= placed.y0 + height
            and placed.y0 - s.y1 <= 8 * height and sum(c.isalnum() for c in s.text) > 1
        ]  # fmt: skip
        over.sort(key=lambda s: -s.y1)
        if not over or placed.y0 - over[0].y1 > _CAPTION * height or self._parted(over[0], placed):
            return ()
        found = [s for s in over if s.line == over[0].line]
        for segment in over:
            last = found[-1]
            if segment.line == last.line or self._leading_number(last):
                continue
            if len(found) > 4 or abs(segment.x0 - last.x0) > 2 * height or last.y0 - segment.y1 > 0.6 * height:
                break
            found.append(segment)
        return tuple(reversed(found))

    def _parted(self, segment: Segment, placed: Placed) -> bool:
        """Whether another field stands between printed words and a field."""
        return any(
            p is not placed and p.page == placed.page and p.shares(segment.x0, segment.x1) and placed.shares(p.x0, p.x1)
            and p.y0 >= segment.y1 - 0.5 * self._height and p.y1 <= placed.y0 + 0.5 * self._height
            for p in self.placed
        )  # fmt: skip

    def _leading_number(self, segment: Segment) -> str:
        """The number that a label starts with, or that stands alone before it."""
        found = _NUMBER.fullmatch(segment.tokens[0].text)
        if found is None:
            return ""
        line = self._layout.lines[segment.line].segments
        following = segment.tokens[1:] or next((s.tokens for s in line if s.index == segment.index + 1), ())
        return found[1].casefold() if following and following[0].text[0].isalpha() else ""

    def _number_of(self, placed: Placed, numbered: list[tuple[Segment, str]]) -> str:
        """The number of the lowest label over or beside a field that starts left of it; of those the nearest."""
        before = [
            (s, n) for s, n in numbered
            if s.page == placed.page and s.x0 <= placed.x0 + 2 * self._height and s.y0 <= (placed.y0 + placed.y1) / 2
        ]  # fmt: skip
        if not before:
            return ""
        lowest = max(s.y0 for s, _ in before)
        return max((s.x0, n) for s, n in before if s.y0 > lowest - self._height)[1]


def _placed(page: PageLayout) -> Iterator[Placed]:
    """The fields of one page, in the order of the file."""
    segments = [s for line in page.lines for s in line.segments if s.entry is not None]
    for entry in page.entries:
        box = entry.box
        x0, y0, x1, y1 = box.x0 * page.width, box.y0 * page.height, box.x1 * page.width, box.y1 * page.height
        yield Placed(entry, page.page, x0, y0, x1, y1, tuple(s for s in segments if s.entry is entry))


def _left(placed: Placed) -> float:
    return placed.x0


def _top(placed: Placed) -> float:
    return placed.y0
