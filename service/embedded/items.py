"""Items of receipts and other lists without a header: a text, then an amount at the right edge."""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.embedded.fields import Ask
from service.embedded.layout import Line, Segment
from service.embedded.normalise import date_pattern, fold
from service.embedded.places import Evidence
from service.embedded.proposals import Choice
from service.embedded.row_checks import Row
from service.embedded.spans import Kind, Span
from service.embedded.tables import read_table
from service.embedded.totals import printed_totals

FEW_CENTS = 3
"""With fewer amounts that have two decimals, a document's prices are whole numbers."""
LONG_LINE = 8
"""Words from which a line counts as running text."""
RUNNING = frozenset({"balance", "debit", "credit"})
"""Columns of statements, which are never without a header."""
END_OWNERS = frozenset(
    f"concept:{name}"
    for name in ("total_gross", "total_net", "total_tax", "amount_due", "cash", "change", "tip", "rounding")
)


def read_rows(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """The rows under a header, or of a list without one: the reading whose amounts come to a printed total."""
    table = read_table(evidence, asks)
    amount = _column(asks, ("amount", "unit_price"), "money")
    if amount is None:
        return table
    proven = any(cell.why.endswith("+product") for row in table for cell in row.values())
    if table and (proven or not evidence.layout.scanned or _adds_up(evidence, table, amount.path)):
        return table
    items = read_items(evidence, asks)
    return items if not table or _adds_up(evidence, items, amount.path) else table


def _adds_up(evidence: Evidence, rows: Sequence[Row], path: str) -> bool:
    amounts = [float(v) for row in rows if path in row and isinstance(v := row[path].value, (int, float))]
    return len(amounts) > 1 and any(abs(sum(amounts) - total) < 0.011 for total in printed_totals(evidence))


def read_items(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """Rows of a list without a header, from its first priced line to the first total."""
    amount = _column(asks, ("amount", "unit_price"), "money") or _column(asks, (), "number")
    text = _column(asks, ("description",), "text") or _column(asks, (), "text")
    dated = next((a for a in asks if a.kind == "date"), None)
    if amount is None or text is None or any(a.concept in RUNNING for a in asks) or _running_text(evidence):
        return []
    rows: list[Row] = []
    pending: Segment | None = None
    for line in evidence.layout.lines:
        price = _price_at_end(evidence, line)
        if _ends(evidence, line):
            if rows:
                break
            continue
        if price is None:
            pending = _pending(line)
            continue
        label = _text_before(evidence, line, price)
        if label is None and pending is not None:
            label = evidence.spans.cut(pending, 0, len(pending.tokens))
        pending = None
        day = next((d for s in line.segments for d in evidence.spans.inside(s, Kind.DATE)), None)
        if label is not None and (dated is None or day is not None):
            rows.append(_row(evidence, asks, line, (text, amount), (label, price)))
        if label is not None and dated is not None and day is not None:
            rows[-1][dated.path] = Choice(day, day.value, 0.6, "list")
    whole = all(isinstance(row[amount.path].value, int) for row in rows)
    return [] if whole and len(rows) < FEW_CENTS else rows


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


def _price_at_end(evidence: Evidence, line: Line) -> Span | None:
    page = evidence.layout.page(line.page)
    left, right = min(s.x0 for s in page_segments(page.lines)), max(s.x1 for s in page_segments(page.lines))
    last = line.segments[-1]
    whole = sum(n.decimals == 2 for n in evidence.spans.of(Kind.NUMBER)) < FEW_CENTS
    numbers = [
        n for n in evidence.spans.inside(last, Kind.NUMBER)
        if (n.decimals == 2 or (whole and len(line.segments) > 1)) and not n.percent
    ]  # fmt: skip
    if not numbers:
        return None
    behind = last.tokens[numbers[-1].end :]
    if len(behind) > 2 or any(len(t.text) > 3 for t in behind):
        return None
    return numbers[-1] if numbers[-1].x1 > left + 0.55 * (right - left) else None


def page_segments(lines: Sequence[Line]) -> list[Segment]:
    """All segments of some lines."""
    return [s for line in lines for s in line.segments]


def _ends(evidence: Evidence, line: Line) -> bool:
    """Whether a line is about the whole: its words are mostly the label of a total, a tax or a payment."""
    for segment in line.segments:
        worded = [t for t in segment.tokens if any(c.isalpha() for c in t.text)]
        for owner, hit in evidence.labels.in_segment(segment):
            covered = sum(any(c.isalpha() for c in t.text) for t in hit.tokens)
            if owner in END_OWNERS and hit.strength >= 0.6 and 2 * covered >= len(worded):
                return True
    return False


def _pending(line: Line) -> Segment | None:
    segment = line.segments[0]
    letters = sum(c.isalpha() for c in segment.text)
    if letters < 3 or segment.text.rstrip().endswith(":") or date_pattern().search(fold(line.text)):
        return None
    return segment


def _text_before(evidence: Evidence, line: Line, price: Span) -> Span | None:
    """The words before the price, without a leading count and trailing numbers."""
    for segment in line.segments:
        end = price.start if segment is price.segment else len(segment.tokens)
        start = 0
        while start < end and re.fullmatch(r"[\d.,]+[xX]?|[xX@*]", segment.tokens[start].text):
            start += 1
        while end > start and not any(c.isalpha() for c in segment.tokens[end - 1].text):
            end -= 1
        words = " ".join(t.text for t in segment.tokens[start:end])
        if sum(c.isalpha() for c in words) >= 2:
            return evidence.spans.cut(segment, start, end)
    return None


def _row(evidence: Evidence, asks: Sequence[Ask], line: Line, named: tuple[Ask, Ask], spans: tuple[Span, Span]) -> Row:
    text, amount = named
    label, price = spans
    row: Row = {
        text.path: Choice(label, label.value, 0.62, "list"),
        amount.path: Choice(price, price.value, 0.66, "list"),
    }
    quantity = next((a for a in asks if a.concept == "quantity"), None)
    if quantity is not None and line.segments:
        first = line.segments[0]
        numbers = evidence.spans.inside(first, Kind.NUMBER)
        if numbers and numbers[0].start == 0 and numbers[0].decimals == 0:
            row[quantity.path] = Choice(numbers[0], numbers[0].value, 0.6, "list")
    return row
