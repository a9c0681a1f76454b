"""Items of receipts and other lists without a header: a text, then an amount at the right edge."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.price_lines import PricedLine, priced_lines, summed_list
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.totals import printed_totals
from service.embedded.page.layout import Segment, Token
from service.embedded.page.spans import Kind, Span
from service.embedded.tables.row_checks import Row
from service.embedded.tables.tables import read_shaped, read_table
from service.embedded.tables.turned import read_turned
from service.embedded.words.normalise import unmixed

FEW_ROWS = 3
"""With fewer rows of whole amounts a list may as well be something else."""
LONG_LINE = 8
"""Words from which a line counts as running text."""
RUNNING = frozenset({"balance", "debit", "credit"})
"""Columns of statements, which are never without a header."""
_COUNT = re.compile(r"\d{1,3}(?P<part>[.,]\d{1,4})?[xX]?")
"""How many there are, before a name."""
_NO_NAME = re.compile(r"[xX@*]|\d{4,}")
"""What is no part of a name that it stands before: a sign, the number of the article."""
_BARE = re.compile(r"[\d.,]*\d[.,]\d{2}|[xX@*=/]|\d{5,}|[^\w]+")
"""What stands behind a name and is no part of it."""


def read_rows(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """The rows under a header, of a list without one, or of a table that only its shape tells, or on its side."""
    return _known_rows(evidence, asks) or read_shaped(evidence, asks) or read_turned(evidence, asks)


def _known_rows(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """Of a header and a list without one the reading whose amounts come to a printed total."""
    table = read_table(evidence, asks)
    amount = _column(asks, ("amount", "unit_price"), "money")
    if amount is None:
        return table
    if evidence.layout.scanned and len(asks) == 2:
        found = summed_list(priced_lines(evidence))
        if found is not None and len(found.lines) > 1:
            return read_items(evidence, asks)
    proven = any(cell.why.endswith("+product") for row in table for cell in row.values())
    if table and (proven or not evidence.layout.scanned or _adds_up(evidence, table, amount.path)):
        return table
    items = read_items(evidence, asks)
    return items if not table or _adds_up(evidence, items, amount.path) else table


def _adds_up(evidence: Evidence, rows: Sequence[Row], path: str) -> bool:
    amounts = [float(v) for row in rows if path in row and isinstance(v := row[path].value, (int, float))]
    return len(amounts) > 1 and any(abs(sum(amounts) - total) < 0.011 for total in printed_totals(evidence))


def read_items(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """Rows of a list without a header: those that come to its sum, or the most that no total parts."""
    amount = _column(asks, ("amount", "unit_price"), "money") or _column(asks, (), "number")
    text = _column(asks, ("description",), "text") or _column(asks, (), "text")
    dated = next((a for a in asks if a.kind == "date"), None)
    if amount is None or text is None or any(a.concept in RUNNING for a in asks) or _running_text(evidence):
        return []
    lines, signed = _listed(priced_lines(evidence))
    rows: list[Row] = []
    names = _Names(lines)
    for priced in lines:
        label = names.of(evidence, priced)
        day = next((d for s in priced.line.segments for d in evidence.spans.inside(s, Kind.DATE)), None)
        if label is None or (dated is not None and day is None):
            continue
        rows.append(_row(evidence, asks, priced, (text, amount), label, signed=signed))
        if dated is not None and day is not None:
            rows[-1][dated.path] = Choice(day, day.value, 0.6, "list")
    whole = all(isinstance(row[amount.path].value, int) for row in rows)
    return [] if whole and len(rows) < FEW_ROWS else rows


def _listed(lines: list[PricedLine]) -> tuple[Sequence[PricedLine], bool]:
    """The lines of the list among those with a price, and whether their signs count."""
    found = summed_list(lines)
    if found is not None:
        return found.lines, not found.unsigned
    runs: list[list[PricedLine]] = [[]]
    for at, priced in enumerate(lines):
        if priced.ending and any(near.ending for near in (*lines[max(0, at - 1) : at], *lines[at + 1 : at + 2])):
            runs.append([])
        elif not priced.totals:
            runs[-1].append(priced)
    return max(runs, key=len), True


def _running_text(evidence: Evidence) -> bool:
    """Whether a document is mostly sentences: then it is no list."""
    lines = evidence.layout.lines
    long = sum(sum(len(s.tokens) for s in line.segments) >= LONG_LINE for line in lines)
    return len(lines) > 10 and 3 * long > len(lines)


def _column(asks: Sequence[Ask], concepts: tuple[str, ...], kind: str) -> Ask | None:
    for name in concepts:
        found = next((a for a in asks if a.concept == name), None)
        if found is not None:
            return found
    return next((a for a in asks if a.kind == kind), None)


def _texts_before(priced: PricedLine) -> list[tuple[Segment, tuple[Token, ...]]]:
    """The segments with letters before a price, each with its words up to it."""
    found: list[tuple[Segment, tuple[Token, ...]]] = []
    for segment in priced.line.segments:
        tokens = segment.tokens[: priced.price.start] if segment is priced.price.segment else segment.tokens
        if sum(c.isalpha() for t in tokens for c in t.text) >= 2:
            found.append((segment, tokens))
    return found


class _Names:
    """Where the lines of a list hold their names, by what most of them have before and behind."""

    def __init__(self, lines: Sequence[PricedLine]) -> None:
        texts = [found for priced in lines if (found := _texts_before(priced))]
        words = [found[0][1] for found in texts]
        self._edge = min((found[0][0].x0 for found in texts if len(found) == 1), default=0.0)
        """Where names begin, points; further left stands dirt or a mark."""
        self._counts = statistics.median_low([_counts_before(tokens) for tokens in words]) if words else 0
        self._followed = 2 * sum(not _lettered(tokens[-1]) for tokens in words) >= max(3, len(words))
        """Whether what stands behind a name without letters is of a column."""
        self._flags = _flags(words)

    def of(self, evidence: Evidence, priced: PricedLine) -> Span | None:
        """The words before the price that name a thing; else those alone on the line above."""
        texts = _texts_before(priced)
        kept = [t for t in texts if t[0].x1 > self._edge] if len(texts) > 1 else texts
        for segment, tokens in kept[:1]:
            start, end = self._bare(tokens)
            if sum(c.isalpha() for t in tokens[start:end] for c in t.text) >= 2:
                span = evidence.spans.cut(segment, start, end)
                return replace(span, value=unmixed(span.raw)) if evidence.layout.scanned else span
        above = priced.above
        return None if above is None else evidence.spans.cut(above, 0, len(above.tokens))

    def _bare(self, tokens: Sequence[Token]) -> tuple[int, int]:
        """First word and one past the last of a name, without count, number of the article and price of one."""
        start, end = 0, len(tokens)
        counts = min(_counts_before(tokens), max(self._counts, _is_whole(tokens[0])))
        while start < end and (counts or _NO_NAME.fullmatch(tokens[start].text)):
            counts -= _COUNT.fullmatch(tokens[start].text) is not None
            start += 1
        start += start < end - 1 and tokens[start].text in self._flags
        while end > start and (
            _BARE.fullmatch((last := tokens[end - 1]).text) or (self._followed and not _lettered(last))
        ):
            end -= 1
        return start, end


def _flags(names: Sequence[Sequence[Token]]) -> frozenset[str]:
    """Marks of one or two capitals before most names: one letter for a tax or a department, or several for units."""
    firsts = [t.text for tokens in names if (t := _first_word(tokens)) is not None]
    marks = [text for text in firsts if re.fullmatch(r"[A-Z]{1,2}", text)]
    several = len(set(marks)) >= FEW_ROWS or any(len(text) == 1 for text in marks)
    repeated = 2 * len(set(marks)) <= len(marks)
    return frozenset(marks) if several and repeated and 2 * len(marks) > max(FEW_ROWS, len(names)) else frozenset()


def _first_word(tokens: Sequence[Token]) -> Token | None:
    return next((t for t in tokens if not (_COUNT.fullmatch(t.text) or _NO_NAME.fullmatch(t.text))), None)


def _counts_before(tokens: Sequence[Token]) -> int:
    """How many numbers stand before the first word."""
    first = _first_word(tokens)
    before = takewhile(lambda t: t is not first, tokens) if first is not None else ()
    return sum(_COUNT.fullmatch(t.text) is not None for t in before)


def _lettered(token: Token) -> bool:
    return any(c.isalpha() for c in token.text)


def _is_whole(token: Token) -> bool:
    match = _COUNT.fullmatch(token.text)
    return match is not None and not match["part"]


def _row(
    evidence: Evidence, asks: Sequence[Ask], priced: PricedLine, named: tuple[Ask, Ask], label: Span, *, signed: bool
) -> Row:
    text, amount = named
    price = priced.price
    value = price.value if signed or not isinstance(price.value, (int, float)) else abs(price.value)
    row: Row = {
        text.path: Choice(label, label.value, 0.62, "list"),
        amount.path: Choice(price, value, 0.66, "list"),
    }
    quantity = next((a for a in asks if a.concept == "quantity"), None)
    if quantity is not None:
        numbers = evidence.spans.inside(priced.line.segments[0], Kind.NUMBER)
        if numbers and numbers[0].start == 0 and numbers[0].decimals == 0:
            row[quantity.path] = Choice(numbers[0], numbers[0].value, 0.6, "list")
    return row
