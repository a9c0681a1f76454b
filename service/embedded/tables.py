"""Arrays of objects: tables found by their header, read row by row over pages, without subtotals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.embedded.fields import Ask
from service.embedded.labels import read_text
from service.embedded.layout import Line, Segment, Token
from service.embedded.matching import Hit
from service.embedded.normalise import word_set
from service.embedded.proposals import TYPED, Choice, Evidence
from service.embedded.spans import Kind, Span

Row = dict[str, Choice]
"""Column path → the cell."""

NUMERIC = frozenset({"money", "number", "percent"})
STOP_CONCEPTS = ("total_net", "total_gross", "total_tax", "amount_due", "closing_balance")
SKIP_WORDS = word_set(
    "sub opening closing ubertrag uebertrag zwischensumme carried brought forward report riporto transport"
)


@dataclass(frozen=True)
class Column:
    """A header cell: its column's path (empty for a header that nothing asks for) and horizontal range, points."""

    path: str
    x0: float
    x1: float


@dataclass(frozen=True)
class Header:
    """A header row and the line its body starts on."""

    columns: tuple[Column, ...]
    body: int
    """0-based line index."""
    page: int
    strength: float


def read_table(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """The rows of the table whose header fits the asked columns best; nothing without a header."""
    headers = [h for line in evidence.layout.lines if (h := _header(evidence, asks, line)) is not None]
    if not headers:
        return []
    best = max(headers, key=lambda h: h.strength)
    paths = {c.path for c in best.columns if c.path}
    rows: list[Row] = []
    stopped_at = -1
    for header in sorted((h for h in headers if _same_shape(h, paths, best)), key=lambda h: h.body):
        if header.body <= stopped_at:
            continue
        more, stopped_at = _body(evidence, asks, header)
        rows.extend(more)
    return rows


def _same_shape(header: Header, paths: set[str], best: Header) -> bool:
    own = {c.path for c in header.columns if c.path}
    return header is best or (len(own & paths) >= max(2, len(paths) - 1) and header.strength > 0.7 * best.strength)


def _header(evidence: Evidence, asks: Sequence[Ask], line: Line) -> Header | None:
    """The line as a header, with what the line under it adds."""
    paths = {ask.path for ask in asks}
    hits = _line_hits(evidence, line, paths)
    if not hits:
        return None
    chosen = _assign(hits)
    lines = [line]
    following = evidence.layout.lines[line.index + 1] if line.index + 1 < len(evidence.layout.lines) else None
    if (
        following is not None
        and following.page == line.page
        and _close_under(line, following)
        and not _has_value(following)
    ):
        more = [(p, h) for p, h in _line_hits(evidence, following, paths) if p not in chosen]
        chosen.update({p: h for p, h in _assign(more).items() if p not in chosen})
        lines.append(following)
    needed = 2 if len(asks) > 1 else 1
    if len(chosen) < needed or _has_value(line):
        return None
    strength = sum(h.strength for h in chosen.values()) + 0.001 * len(line.segments)
    return Header(_columns(lines, chosen), lines[-1].index + 1, line.page, strength)


def _line_hits(evidence: Evidence, line: Line, paths: set[str]) -> list[tuple[str, Hit]]:
    return [
        (path, hit) for segment in line.segments if len(segment.tokens) <= 14
        for path, hit in evidence.labels.headers_in(segment) if path in paths and hit.strength >= 0.55
    ]  # fmt: skip


def _assign(hits: list[tuple[str, Hit]]) -> dict[str, Hit]:
    chosen: dict[str, Hit] = {}
    for path, hit in sorted(hits, key=lambda item: (-item[1].strength, -item[1].segment.x0)):
        if path not in chosen and not any(hit.meets(other) for other in chosen.values()):
            chosen[path] = hit
    return chosen


def _close_under(line: Line, following: Line) -> bool:
    last = max(line.segments, key=lambda s: s.y1)
    return following.segments[0].y0 - last.y1 < 0.8 * last.height


def _has_value(line: Line) -> bool:
    return any(any(c.isdigit() for c in t.text) for s in line.segments for t in s.tokens)


def _columns(lines: list[Line], chosen: dict[str, Hit]) -> tuple[Column, ...]:
    columns = [Column(path, hit.tokens[0].x0, hit.tokens[-1].x1) for path, hit in chosen.items()]
    for line in lines:
        for segment in line.segments:
            for start, end in _free_runs(segment, chosen):
                x0, x1 = segment.tokens[start].x0, segment.tokens[end - 1].x1
                if not any(min(x1, c.x1) - max(x0, c.x0) > 0 for c in columns):
                    columns.append(Column("", x0, x1))
    return tuple(sorted(columns, key=lambda c: c.x0))


def _free_runs(segment: Segment, chosen: dict[str, Hit]) -> list[tuple[int, int]]:
    taken = {i for hit in chosen.values() if hit.segment is segment for i in range(hit.start, hit.end)}
    runs: list[tuple[int, int]] = []
    for index in range(len(segment.tokens)):
        if index in taken:
            continue
        if runs and runs[-1][1] == index:
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


@dataclass
class _Draft:
    """A row under construction."""

    line: int
    cells: dict[str, Choice]
    text: dict[str, list[Token]]
    segment: Segment
    bottom: float


def _body(evidence: Evidence, asks: Sequence[Ask], header: Header) -> tuple[list[Row], int]:
    """Rows under a header and the line at which reading stopped; goes on over page edges."""
    by_path = {ask.path: ask for ask in asks}
    columns = [c for c in header.columns if c.path]
    anchors = [c.path for c in columns if by_path[c.path].kind in NUMERIC or by_path[c.path].kind == "date"]
    drafts: list[_Draft] = []
    orphans: list[Line] = []
    index, lines, page = header.body, evidence.layout.lines, header.page
    misses = 0
    while index < len(lines):
        line = lines[index]
        if line.page != page:
            page, misses = line.page, 0
            if _header(evidence, asks, line) is not None:
                break
        if _stops(evidence, line):
            if not _is_subtotal(line):
                break
            index += 1
            continue
        draft = _read_line(evidence, by_path, header, line)
        if _is_row(draft, anchors):
            _adopt(draft, orphans, by_path, header)
            orphans = []
            drafts.append(draft)
            misses = 0
        elif drafts and line.page == lines[drafts[-1].line].page and _wraps(drafts[-1], draft, line):
            _wrap(drafts[-1], draft, line)
        else:
            orphans = [*orphans, line] if not drafts else []
            misses += 1
            if misses > 4 and line.page == header.page:
                break
        index += 1
    return [_finish(evidence, by_path, d) for d in drafts], index


def _is_row(draft: _Draft, anchors: list[str]) -> bool:
    numeric = sum(p in draft.cells for p in anchors)
    return numeric >= max(1, min(2, len(anchors))) or (numeric >= 1 and bool(draft.text) and len(anchors) <= 2)


def _stops(evidence: Evidence, line: Line) -> bool:
    for segment in line.segments:
        for owner, hit in evidence.labels.in_segment(segment):
            if (
                hit.strength >= 0.74
                and owner.removeprefix("concept:") in STOP_CONCEPTS
                and owner.startswith("concept:")
            ):
                words = sum(len(s.tokens) for s in line.segments)
                if (segment.index == line.segments[0].index and hit.start <= 1) or words <= 7:
                    return True
    return _is_subtotal(line)


def _is_subtotal(line: Line) -> bool:
    parts = {c for part in read_text(line.text) for c in part}
    return bool(parts & SKIP_WORDS) and len(parts) <= 6


def _read_line(evidence: Evidence, by_path: dict[str, Ask], header: Header, line: Line) -> _Draft:
    cells: dict[str, Choice] = {}
    text: dict[str, list[Token]] = {}
    taken: set[int] = set()
    for segment in line.segments:
        for span in _typed(evidence, by_path, header, segment):
            column = _column_of(header, by_path, span)
            if column is None or not column.path or column.path in cells or span.ids & taken:
                continue
            if _suits(by_path[column.path], span):
                cells[column.path] = Choice(span, span.value, 0.85, "column")
                taken |= span.ids
    for segment in line.segments:
        for token in segment.tokens:
            if id(token) in taken:
                continue
            column = _text_column(header, by_path, token)
            if column is not None:
                text.setdefault(column.path, []).append(token)
    bottom = max(s.y1 for s in line.segments)
    return _Draft(line.index, cells, text, line.segments[0], bottom)


def _typed(evidence: Evidence, by_path: dict[str, Ask], header: Header, segment: Segment) -> list[Span]:
    kinds = {TYPED[by_path[c.path].kind] for c in header.columns if c.path and by_path[c.path].kind in TYPED}
    return [span for kind in sorted(kinds) for span in evidence.spans.inside(segment, kind)]


def _suits(ask: Ask, span: Span) -> bool:
    if ask.kind not in TYPED or TYPED[ask.kind] is not span.kind:
        return False
    if span.kind is Kind.NUMBER and span.percent:
        return ask.kind == "percent"
    return True


def _distance(column: Column, x0: float, x1: float) -> float:
    """Points between the ranges; negative where they overlap."""
    return max(x0 - column.x1, column.x0 - x1)


def _column_of(header: Header, by_path: dict[str, Ask], span: Span) -> Column | None:
    """The column whose header is nearest, of those that hold such values or nothing known."""
    width = max((c.x1 for c in header.columns), default=0.0) - header.columns[0].x0
    best: tuple[float, Column] | None = None
    for column in header.columns:
        if column.path and not _suits(by_path[column.path], span):
            continue
        gap = max(0.0, _distance(column, span.x0, span.x1))
        edge = min(
            abs(column.x1 - span.x1), abs(column.x0 - span.x0), abs(column.x0 + column.x1 - span.x0 - span.x1) / 2
        )
        cost = gap + 0.3 * edge
        if best is None or cost < best[0]:
            best = (cost, column)
    return best[1] if best is not None and best[0] < 0.16 * width + 12 else None


def _text_column(header: Header, by_path: dict[str, Ask], token: Token) -> Column | None:
    """The text column a word stands in: under its header, or after its left edge and before the next header."""
    columns = header.columns
    for index, column in enumerate(columns):
        following = columns[index + 1].x0 if index + 1 < len(columns) else float("inf")
        left = column.x0 - (1.5 * token.height if index else 1e9)
        if left <= token.x0 and token.x1 <= max(following + 0.3 * token.height, column.x1 + 0.5 * token.height):
            known = column.path and by_path[column.path].kind not in NUMERIC
            return column if known else None
    return None


def _adopt(draft: _Draft, orphans: list[Line], by_path: dict[str, Ask], header: Header) -> None:
    """Text above the first row belongs to it when the row has none of its own."""
    for line in orphans[-2:]:
        if draft.segment.y0 - max(s.y1 for s in line.segments) > 1.2 * draft.segment.height:
            continue
        for segment in line.segments:
            for token in segment.tokens:
                column = _text_column(header, by_path, token)
                if column is not None and column.path not in draft.text:
                    draft.text.setdefault(column.path, []).append(token)


def _wraps(last: _Draft, draft: _Draft, line: Line) -> bool:
    if not draft.text or draft.cells:
        return False
    height = line.segments[0].height
    return min(s.y0 for s in line.segments) - last.bottom < 1.1 * height


def _wrap(last: _Draft, draft: _Draft, line: Line) -> None:
    for path, tokens in draft.text.items():
        last.text.setdefault(path, []).extend(tokens)
    last.bottom = max(s.y1 for s in line.segments)


def _finish(evidence: Evidence, by_path: dict[str, Ask], draft: _Draft) -> Row:
    row: Row = dict(draft.cells)
    for path, tokens in draft.text.items():
        raw = " ".join(t.text for t in tokens)
        if path in row or not any(c.isalnum() for c in raw):
            continue
        span = Span(Kind.TEXT, tuple(tokens), raw, raw, draft.segment, 0, len(tokens))
        if by_path[path].kind in TYPED:
            continue
        row[path] = Choice(span, raw, 0.8, "column")
    return _checked(by_path, row)


def _checked(by_path: dict[str, Ask], row: Row) -> Row:
    """Quantity times price that gives the amount makes the three surer."""
    roles = {by_path[path].concept: path for path in row}
    if not {"quantity", "unit_price", "amount"} <= set(roles):
        return row
    three = [row[roles[name]] for name in ("quantity", "unit_price", "amount")]
    quantity, price, amount = (float(c.value) if isinstance(c.value, (int, float)) else float("nan") for c in three)
    if abs(quantity * price - amount) > 0.011 + 0.001 * abs(amount):
        return row
    raised = {
        roles[n]: replace(row[roles[n]], score=0.99, why="column +product")
        for n in ("quantity", "unit_price", "amount")
    }
    return {**row, **raised}
