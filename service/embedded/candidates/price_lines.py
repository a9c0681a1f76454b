"""Lines that end with a price, and the run of them that comes to the price of a line under it: a list and its sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import accumulate

from service.embedded.anchors.places import Evidence
from service.embedded.page.layout import Line, Segment
from service.embedded.page.spans import Kind, Span
from service.embedded.words.normalise import date_pattern, fold

FEW_CENTS = 3
"""With fewer amounts that have two decimals, a document's prices are whole numbers."""
MOST_BETWEEN = 3
"""Priced lines that may stand between a list and its labelled sum, such as those of a table of taxes."""
_TOTALS = frozenset(f"concept:{name}" for name in ("total_gross", "total_net", "amount_due"))
_OTHERS = frozenset(f"concept:{name}" for name in ("total_tax", "cash", "change", "tip", "rounding"))
_CENT = 0.011


class Ending(IntEnum):
    """How far a line is about the whole list rather than one thing on it."""

    NONE = 0
    LIKELY = 1
    """Half its words are the label of a total, a tax or a payment."""
    SURE = 2
    """All its words are such a label."""


@dataclass(frozen=True)
class PricedLine:
    """A line and the price at its end."""

    line: Line
    price: Span
    ending: Ending
    totals: bool
    """Whether its label is that of a total, not of a tax or a payment."""
    above: Segment | None
    """What stands alone on the line before it, and may be what the price is for."""

    @cached_property
    def amount(self) -> float:
        """Of the price, as printed."""
        return float(self.price.value) if isinstance(self.price.value, (int, float)) else 0.0

    @cached_property
    def names(self) -> bool:
        """Whether words tell what the price is for."""
        return self.above is not None or sum(c.isalpha() for s in self.line.segments for c in s.text) >= 2


@dataclass(frozen=True, slots=True)
class SummedList:
    """Priced lines and the line that gives their sum."""

    lines: tuple[PricedLine, ...]
    total: PricedLine
    unsigned: bool
    """Whether the sum only holds when what looks like a minus before the prices is taken for a spot."""


def ending_of(evidence: Evidence, line: Line) -> tuple[Ending, bool]:
    """How far a line is about the whole, and whether it is a total."""
    best, totals = Ending.NONE, False
    for segment in line.segments:
        worded = sum(any(c.isalpha() for c in t.text) for t in segment.tokens)
        for owner, hit in evidence.labels.in_segment(segment):
            if owner not in _TOTALS | _OTHERS or hit.strength < 0.6:
                continue
            covered = sum(any(c.isalpha() for c in t.text) for t in hit.tokens)
            half = 2 * covered >= worded and (owner != "concept:amount_due" or hit.colon)
            ending = Ending.SURE if covered >= worded else Ending.LIKELY if half else Ending.NONE
            best = max(best, ending)
            totals = totals or (ending > Ending.NONE and owner in _TOTALS)
    return best, totals


def priced_lines(evidence: Evidence) -> list[PricedLine]:
    """The lines that end with a price at the right, in reading order."""
    found: list[PricedLine] = []
    whole = sum(n.decimals == 2 for n in evidence.spans.of(Kind.NUMBER)) < FEW_CENTS
    for page in evidence.layout.pages:
        segments = [s for line in page.lines for s in line.segments]
        left, right = min((s.x0 for s in segments), default=0.0), max((s.x1 for s in segments), default=0.0)
        above: Segment | None = None
        for line in page.lines:
            price = _price_at_end(evidence, line, left + 0.55 * (right - left), whole=whole)
            if price is None:
                above = _pending(line)
                continue
            ending, totals = ending_of(evidence, line)
            found.append(PricedLine(line, price, ending, totals, above))
            above = None
    return found


def _price_at_end(evidence: Evidence, line: Line, least: float, *, whole: bool) -> Span | None:
    last = line.segments[-1]
    numbers = [
        n for n in evidence.spans.inside(last, Kind.NUMBER)
        if (n.decimals == 2 or (whole and len(line.segments) > 1)) and not n.percent
    ]  # fmt: skip
    if not numbers:
        return None
    behind = last.tokens[numbers[-1].end :]
    if len(behind) > 2 or any(len(t.text) > 3 for t in behind):
        return None
    return numbers[-1] if numbers[-1].x1 > least else None


def _pending(line: Line) -> Segment | None:
    segment = line.segments[0]
    letters = sum(c.isalpha() for c in segment.text)
    if letters < 3 or segment.text.rstrip().endswith(":") or date_pattern().search(fold(line.text)):
        return None
    return segment


def summed_list(lines: Sequence[PricedLine]) -> SummedList | None:
    """The longest run of priced lines that comes to the price of a line under it, or nothing."""
    over = [0, *accumulate(p.names and p.ending is Ending.NONE for p in lines)]
    best: SummedList | None = None
    for unsigned in (False, True):
        for at in range(1, len(lines)):
            run = _run_to(lines, at, over[at], unsigned=unsigned)
            if len(run) > (len(best.lines) if best else 0):
                best = SummedList(run, lines[at], unsigned)
    return best


def _run_to(lines: Sequence[PricedLine], at: int, over: int, *, unsigned: bool) -> tuple[PricedLine, ...]:
    """The longest run above a line that comes to its price and has most of the `over` lines above it that name a thing.

    One line alone is enough only where its sum is labelled so.
    """
    total = lines[at]
    wanted = abs(total.amount) if unsigned else total.amount
    longest: tuple[PricedLine, ...] = ()
    ends = range(at, max(0, at - MOST_BETWEEN - 1), -1) if total.totals else (at,)
    for end in ends:
        came, count = 0.0, 0
        for start in range(end - 1, -1, -1):
            priced = lines[start]
            if priced.ending is Ending.SURE or priced.line.page != total.line.page:
                break
            if not priced.names:
                continue
            came, count = came + (abs(priced.amount) if unsigned else priced.amount), count + 1
            enough = 2 * count > over and (count > 1 or total.totals)
            if enough and wanted and abs(came - wanted) < _CENT and count > len(longest):
                longest = tuple(p for p in lines[start:end] if p.names)
    return longest
