"""What stands in the columns of a table: their edges, and the kinds of their cells."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.embedded.anchors.places import Evidence
from service.embedded.page.layout import Segment
from service.embedded.page.spans import Kind
from service.embedded.words.normalise import is_day

NUMERIC = frozenset({"money", "percent", "number"})
LEAST_LETTERS = 3
"""Letters of a cell that may be a description."""
_RANGE = re.compile(r"[<>≤≥]=? ?[\d.,]+|-?[\d.,]+ ?[-–] ?[\d.,]+")
"""A limit or two, which are no figure: `< 5.2`, `12.0 - 16.0`."""


@dataclass(frozen=True)
class Column:
    """A header cell: its column's path (empty for a header that nothing asks for) and horizontal range, points."""

    path: str
    x0: float
    x1: float


def wordless(evidence: Evidence, place: tuple[float, float], body: int) -> float:
    """The share of cells between two places in the first lines of the body that have hardly a letter."""
    page = evidence.layout.lines[body - 1].page
    lines = [line for line in evidence.layout.lines[body : body + 10] if line.page == page]
    cells = [s for line in lines for s in line.segments if min(s.x1, place[1]) - max(s.x0, place[0]) > 0]
    bare = sum(sum(map(str.isalpha, s.text)) < LEAST_LETTERS for s in cells)
    return bare / len(cells) if cells else 0.0


def kinds_within(evidence: Evidence, place: tuple[float, float], body: int) -> list[str]:
    """The kinds of what stands between two places in the first lines of the body."""
    kinds: list[str] = []
    for line in evidence.layout.lines[body : body + 10]:
        if line.page != evidence.layout.lines[body - 1].page:
            break
        for segment in line.segments:
            if min(segment.x1, place[1]) - max(segment.x0, place[0]) <= 0:
                continue
            if len(line.segments) == 1 and not _stands_in(segment, place):
                continue
            if is_day(segment.text) or _RANGE.fullmatch(segment.text):
                kinds.append("date" if is_day(segment.text) else "text")
                continue
            spans = [*evidence.spans.inside(segment, Kind.DATE), *evidence.spans.inside(segment, Kind.NUMBER)]
            inside = [s for s in spans if min(s.x1, place[1]) - max(s.x0, place[0]) > 0]
            kinds.extend("date" if s.kind is Kind.DATE else "money" if s.decimals == 2 else "number" for s in inside)
            if not spans and _stands_in(segment, place):
                kinds.append("text")
    return kinds


def _stands_in(segment: Segment, place: tuple[float, float]) -> bool:
    """Whether a text belongs to a column, by its middle, rather than running over it from far off."""
    width = place[1] - place[0]
    return place[0] - width < (segment.x0 + segment.x1) / 2 < place[1] + 2 * width
