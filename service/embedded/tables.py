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
    by_path = {ask.path: ask for ask in asks}
    hits = _line_hits(evidence, line, set(by_path))
    if not hits or _has_value(line):
        return None
    lines = [line]
    following = evidence.layout.lines[line.index + 1] if line.index + 1 < len(evidence.layout.lines) else None
    if following is not None and following.page == line.page and _close_under(line, following):
        if not _has_value(following):
            hits += _line_hits(evidence, following, set(by_path))
            lines.append(following)
    chosen = _assign(evidence, hits, by_path, lines[-1].index + 1)
    needed = 2 if len(asks) > 1 else 1
    if len(chosen) < needed:
        return None
    strength = sum(h.strength for h in chosen.values()) + 0.001 * len(line.segments)
    return Header(_columns(lines, chosen), lines[-1].index + 1, line.page, strength)


def _line_hits(evidence: Evidence, line: Line, paths: set[str]) -> list[tuple[str, Hit]]:
    return [
        (path, hit) for segment in line.segments if len(segment.tokens) <= 14
        for path, hit in evidence.labels.headers_in(segment) if path in paths and hit.strength >= 0.55
    ]  # fmt: skip


def _assign(evidence: Evidence, hits: list[tuple[str, Hit]], by_path: dict[str, Ask], body: int) -> dict[str, Hit]:
    """One header for each column, so that what they say and what stands under them fits best in sum."""
    width = evidence.layout.page(hits[0][1].segment.page).width if hits else 1.0
    options: dict[str, list[tuple[float, Hit]]] = {}
    for path, hit in hits:
        score = hit.strength * _suiting(evidence, by_path[path], hit, body)
        score += 0.08 * hit.tokens[0].x0 / width * (by_path[path].concept == "amount")
        if score >= 0.3:
            options.setdefault(path, []).append((score, hit))
    ranked = [(path, sorted(found, key=lambda c: -c[0])[:3]) for path, found in options.items()]
    return _best_sum(ranked, ())[1]


def _best_sum(
    options: list[tuple[str, list[tuple[float, Hit]]]], taken: tuple[Hit, ...]
) -> tuple[float, dict[str, Hit]]:
    """The choice of at most one hit a path without shared words that has the highest sum of squared scores."""
    if not options:
        return 0.0, {}
    (path, found), rest = options[0], options[1:]
    best = _best_sum(rest, taken)
    for score, hit in found:
        if any(hit.meets(other) for other in taken):
            continue
        total, chosen = _best_sum(rest, (*taken, hit))
        if total + score * score > best[0]:
            best = (total + score * score, {path: hit, **chosen})
    return best


def _suiting(evidence: Evidence, ask: Ask, hit: Hit, body: int) -> float:
    """How well what stands under a header is of the column's kind, 0.1–1; 1 where nothing stands there."""
    found = _under(evidence, hit, body)
    if not found:
        return 0.9
    if ask.kind == "date":
        return 0.15 + 0.85 * found.count("date") / len(found)
    if ask.kind in NUMERIC:
        numbers = found.count("money") + (0.7 if ask.kind == "money" else 1.0) * found.count("number")
        return 0.15 + 0.85 * numbers / len(found)
    return 1.0 - 0.5 * (found.count("date") + found.count("money")) / len(found)


def _under(evidence: Evidence, hit: Hit, body: int) -> list[str]:
    """The kinds of what stands in the columns of a header in the first lines of the body."""
    x0, x1 = hit.tokens[0].x0, hit.segment.x1 if hit.end == len(hit.segment.tokens) else hit.tokens[-1].x1
    kinds: list[str] = []
    for line in evidence.layout.lines[body : body + 10]:
        if line.page != hit.segment.page:
            break
        for segment in line.segments:
            for kind in (Kind.DATE, Kind.NUMBER):
                for span in evidence.spans.inside(segment, kind):
                    if min(span.x1, x1) - max(span.x0, x0) > 0:
                        kinds.append("date" if kind is Kind.DATE else "money" if span.decimals == 2 else "number")
            if min(segment.x1, x1) - max(segment.x0, x0) > 0 and not any(c.isdigit() for c in segment.text):
                kinds.append("text")
    return kinds


def _close_under(line: Line, following: Line) -> bool:
    last = max(line.segments, key=lambda s: s.y1)
    return following.segments[0].y0 - last.y1 < 0.8 * last.height


def _has_value(line: Line) -> bool:
    return any(any(c.isdigit() for c in t.text) for s in line.segments for t in s.tokens)


def _columns(lines: list[Line], chosen: dict[str, Hit]) -> tuple[Column, ...]:
    """The chosen headers, widened by the words beside them, and what no field asks for."""
    ranges = {path: (hit.tokens[0].x0, hit.tokens[-1].x1) for path, hit in chosen.items()}
    others: list[Column] = []
    for segment in (s for line in lines for s in line.segments):
        owners = sorted(((h.start, h.end, path) for path, h in chosen.items() if h.segment is segment))
        for start, end in _free_runs(segment, chosen):
            x0, x1 = segment.tokens[start].x0, segment.tokens[end - 1].x1
            before = [path for _, stop, path in owners if stop <= start]
            path = before[-1] if before else owners[0][2] if owners else None
            if path is not None and end - start <= 3:
                ranges[path] = (min(ranges[path][0], x0), max(ranges[path][1], x1))
            elif not any(min(x1, b) - max(x0, a) > 0 for a, b in ranges.values()):
                others.append(Column("", x0, x1))
    columns = [Column(path, x0, x1) for path, (x0, x1) in ranges.items()]
    others = [o for o in others if not any(min(o.x1, c.x1) - max(o.x0, c.x0) > 0 for c in columns)]
    return tuple(sorted([*columns, *others], key=lambda c: c.x0))


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
    closed: bool = False
    """Whether what follows under its text is no longer part of it."""


def _body(evidence: Evidence, asks: Sequence[Ask], header: Header) -> tuple[list[Row], int]:
    """Rows under a header and the line at which reading stopped; goes on over page edges."""
    by_path = {ask.path: ask for ask in asks}
    columns = [c for c in header.columns if c.path]
    anchors = [c.path for c in columns if by_path[c.path].kind in NUMERIC or by_path[c.path].kind == "date"]
    columns_right = _column_edges(evidence, by_path, header)
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
        if drafts and _completes(drafts[-1], draft, line, anchors):
            drafts[-1].cells.update(draft.cells)
            _wrap(drafts[-1], draft, line, columns_right)
        elif _is_row(draft, anchors):
            _adopt(draft, orphans, by_path, header)
            orphans = []
            drafts.append(draft)
            misses = 0
        elif drafts and line.page == lines[drafts[-1].line].page and _wraps(drafts[-1], draft, line):
            _wrap(drafts[-1], draft, line, columns_right)
        else:
            orphans = [*orphans, line] if not drafts else []
            misses += 1
            if misses > 4 and line.page == header.page:
                break
        index += 1
    rows = [_finish(by_path, d) for d in drafts]
    return [_checked(by_path, row) for row in _unswapped(by_path, rows)], index


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


def _completes(last: _Draft, draft: _Draft, line: Line, anchors: list[str]) -> bool:
    """Whether a line only holds cells that the row above it lacks."""
    missing = [p for p in anchors if p not in last.cells]
    near = line.page == last.segment.page and min(s.y0 for s in line.segments) - last.bottom < 0.7 * last.segment.height
    return bool(draft.cells) and bool(missing) and near and all(p in missing for p in draft.cells)


def _wraps(last: _Draft, draft: _Draft, line: Line) -> bool:
    if not draft.text or draft.cells:
        return False
    return min(s.y0 for s in line.segments) - last.bottom < 1.1 * line.segments[0].height


def _wrap(last: _Draft, draft: _Draft, line: Line, right: dict[str, float]) -> None:
    """Add the text of a further line where the words before it filled their column, so that it had to wrap."""
    for path, tokens in draft.text.items():
        known = last.text.get(path)
        if known is None:
            last.text[path] = list(tokens)
        elif not last.closed and known[-1].x1 + (tokens[0].x1 - tokens[0].x0) > right.get(path, 0.0):
            known.extend(tokens)
        else:
            last.closed = True
    last.bottom = max(s.y1 for s in line.segments)


def _column_edges(evidence: Evidence, by_path: dict[str, Ask], header: Header) -> dict[str, float]:
    """Column path → the right edge that its text reaches on the header's page, points."""
    edges: dict[str, float] = {}
    for line in evidence.layout.lines[header.body :]:
        if line.page != header.page:
            break
        for token in (t for s in line.segments for t in s.tokens):
            column = _text_column(header, by_path, token)
            if column is not None:
                edges[column.path] = max(edges.get(column.path, 0.0), token.x1)
    return edges


def _finish(by_path: dict[str, Ask], draft: _Draft) -> Row:
    row: Row = dict(draft.cells)
    for path, tokens in draft.text.items():
        raw = " ".join(t.text for t in tokens)
        if path in row or not any(c.isalnum() for c in raw):
            continue
        span = Span(Kind.TEXT, tuple(tokens), raw, raw, draft.segment, 0, len(tokens))
        if by_path[path].kind in TYPED:
            continue
        row[path] = Choice(span, raw, 0.8, "column")
    return row


_PRODUCT = ("quantity", "unit_price", "amount")


def _three(by_path: dict[str, Ask], row: Row) -> dict[str, str] | None:
    """Concept → path, where quantity, price and amount of a row are all there."""
    roles = {by_path[path].concept: path for path in row}
    return roles if set(_PRODUCT) <= set(roles) else None


def _holds(row: Row, paths: tuple[str, ...]) -> bool:
    quantity, price, amount = (float(v) if isinstance(v := row[p].value, (int, float)) else float("nan") for p in paths)
    return abs(quantity * price - amount) <= 0.011 + 0.001 * abs(amount)


def _unswapped(by_path: dict[str, Ask], rows: list[Row]) -> list[Row]:
    """Price and amount changed over, where most rows only multiply that way round."""
    straight = crossed = 0
    for row in rows:
        roles = _three(by_path, row)
        if roles is not None:
            straight += _holds(row, (roles["quantity"], roles["unit_price"], roles["amount"]))
            crossed += _holds(row, (roles["quantity"], roles["amount"], roles["unit_price"]))
    return [_exchanged(by_path, row) for row in rows] if crossed > straight else rows


def _exchanged(by_path: dict[str, Ask], row: Row) -> Row:
    paths = {ask.concept: path for path, ask in by_path.items()}
    price, amount = paths["unit_price"], paths["amount"]
    other = {price: amount, amount: price}
    return {other.get(path, path): cell for path, cell in row.items()}


def _checked(by_path: dict[str, Ask], row: Row) -> Row:
    """Quantity times price that gives the amount makes the three surer."""
    roles = _three(by_path, row)
    if roles is None or not _holds(row, tuple(roles[n] for n in _PRODUCT)):
        return row
    raised = {roles[n]: replace(row[roles[n]], score=0.99, why="column +product") for n in _PRODUCT}
    return {**row, **raised}
