"""Arrays of objects: tables found by their header, read row by row over pages, without subtotals."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

import numpy as np

from service.embedded.fields import Ask
from service.embedded.labels import read_text, read_word
from service.embedded.layout import Line, Segment, Token
from service.embedded.matching import Hit
from service.embedded.normalise import word_set
from service.embedded.proposals import TYPED, Choice, Evidence
from service.embedded.spans import Kind, Span, token_currency

Row = dict[str, Choice]
"""Column path → the cell."""

MISSES = 5
"""Lines without a row after which a table has ended."""
GUTTER_LINES = 40
"""Lines under a header that are looked at to find where its columns part."""
NUMERIC = frozenset({"money", "number", "percent"})
STOP_OWNERS = word_set(
    "concept:total_net concept:total_gross concept:total_tax concept:amount_due concept:closing_balance"
)
SKIP_WORDS = word_set("sub opening closing ubertrag uebertrag zwischensumme carried brought forward riporto reporter")


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
    gutters: tuple[float, ...]
    """Between each two columns the place that the fewest words of the body cross, points; one less than columns."""
    line: int
    """The 0-based index of its first line."""
    body: int
    """The 0-based index of the line after it."""
    page: int
    strength: float


def read_table(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """The rows of the table whose header fits the asked columns best; nothing without a header."""
    headers = [h for line in evidence.layout.lines if (h := _header(evidence, asks, line)) is not None]
    if not headers:
        return []
    best = max(headers, key=lambda h: h.strength)
    paths = {c.path for c in best.columns if c.path}
    starts = frozenset(h.line for h in headers)
    rows: list[Row] = []
    stopped_at = -1
    for header in sorted((h for h in headers if _same_shape(h, paths, best)), key=lambda h: h.body):
        if header.body <= stopped_at:
            continue
        more, stopped_at = _body(evidence, asks, header, starts)
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
    if following is not None and _close_under(line, following) and not _has_value(following):
        hits += _line_hits(evidence, following, set(by_path))
        lines.append(following)
    chosen = _assign(evidence, hits, by_path, lines[-1].index + 1)
    needed = 2 if len(asks) > 1 else 1
    if len(chosen) < needed:
        return None
    strength = sum(h.strength for h in chosen.values()) + 0.001 * len(line.segments)
    columns, body = _columns(lines, chosen), lines[-1].index + 1
    columns = _inferred(evidence, by_path, columns, body)
    return Header(columns, _gutters(evidence, columns, body), line.index, body, line.page, strength)


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
    end = hit.segment.x1 if hit.end == len(hit.segment.tokens) else hit.tokens[-1].x1
    found = _kinds_within(evidence, (hit.tokens[0].x0, end), body)
    if not found:
        return 0.9
    if ask.kind == "date":
        return 0.15 + 0.85 * found.count("date") / len(found)
    if ask.kind in NUMERIC:
        numbers = found.count("money") + (0.7 if ask.kind == "money" else 1.0) * found.count("number")
        return 0.15 + 0.85 * numbers / len(found)
    return 1.0 - 0.5 * (found.count("date") + found.count("money")) / len(found)


def _kinds_within(evidence: Evidence, place: tuple[float, float], body: int) -> list[str]:
    """The kinds of what stands between two places in the first lines of the body."""
    kinds: list[str] = []
    for line in evidence.layout.lines[body : body + 10]:
        if line.page != evidence.layout.lines[body - 1].page:
            break
        for segment in line.segments:
            if min(segment.x1, place[1]) - max(segment.x0, place[0]) <= 0:
                continue
            spans = [*evidence.spans.inside(segment, Kind.DATE), *evidence.spans.inside(segment, Kind.NUMBER)]
            inside = [s for s in spans if min(s.x1, place[1]) - max(s.x0, place[0]) > 0]
            kinds.extend("date" if s.kind is Kind.DATE else "money" if s.decimals == 2 else "number" for s in inside)
            if not spans:
                kinds.append("text")
    return kinds


def _close_under(line: Line, following: Line) -> bool:
    last = max(line.segments, key=lambda s: s.y1)
    return following.page == line.page and following.segments[0].y0 - last.y1 < 0.8 * last.height


def _has_value(line: Line) -> bool:
    """Whether it holds an amount, or digits in several places: then it is no header."""
    with_digits = [s.text for s in line.segments if any(c.isdigit() for c in s.text)]
    return len(with_digits) > 1 or any(re.search(r"\d[.,/]\d\d", text) for text in with_digits)


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
            if path is not None and all(_accompanies(t) for t in segment.tokens[start:end]):
                ranges[path] = (min(ranges[path][0], x0), max(ranges[path][1], x1))
            elif not any(min(x1, b) - max(x0, a) > 0 for a, b in ranges.values()):
                others.append(Column("", x0, x1))
    columns = [Column(path, x0, x1) for path, (x0, x1) in ranges.items()]
    others = [o for o in others if not any(min(o.x1, c.x1) - max(o.x0, c.x0) > 0 for c in columns)]
    return tuple(sorted([*columns, *others], key=lambda c: c.x0))


def _inferred(
    evidence: Evidence, by_path: dict[str, Ask], columns: tuple[Column, ...], body: int
) -> tuple[Column, ...]:
    """The last column of money is the amount, whatever its header says, if no header was read as that."""
    ask = next((a for a in by_path.values() if a.concept == "amount"), None)
    known = {c.path for c in columns}
    if ask is None or ask.path in known or not columns or columns[-1].path:
        return columns
    last = columns[-1]
    kinds = _kinds_within(evidence, (last.x0, last.x1), body)
    if not kinds or kinds.count("money") < 0.6 * len(kinds):
        return columns
    return (*columns[:-1], replace(last, path=ask.path))


def _accompanies(token: Token) -> bool:
    """Whether a word only belongs to the header beside it: a currency, a unit in brackets, a short word."""
    text = token.text
    return token_currency(text) is not None or text[0] in "([/%*#" or not read_word(text) or len(text) <= 2


def _gutters(evidence: Evidence, columns: tuple[Column, ...], body: int) -> tuple[float, ...]:
    """Between each two columns the middle of the widest strip that the fewest words cross."""
    edges = np.array(list(_body_words(evidence, len(columns), body)), dtype=float).reshape(-1, 3)
    gutters: list[float] = []
    for left, right in pairwise(columns):
        low, high = (left.x0 + left.x1) / 2, (right.x0 + right.x1) / 2
        places = np.arange(low, max(high, low + 1.0), 1.0)
        crossing = (edges[:, :1] < places) & (places < edges[:, 1:2])
        crossed = (crossing * edges[:, 2:]).sum(axis=0)
        best = places[crossed == crossed.min()]
        runs = np.split(best, np.flatnonzero(np.diff(best) > 1.5) + 1)
        widest = max(runs, key=len)
        gutters.append(float(widest[0] + widest[-1]) / 2)
    return tuple(gutters)


def _body_words(evidence: Evidence, columns: int, body: int) -> Iterator[tuple[float, float, float]]:
    """Left edge, right edge and weight of the words under a header; lines with many cells weigh more."""
    for line in evidence.layout.lines[body : body + GUTTER_LINES]:
        bare = len(line.segments) > 2 and not _has_value(line)
        if (
            line.page != evidence.layout.lines[body - 1].page
            or (line.index > body + 2 and bare)
            or _stops(evidence, line)
        ):
            return
        heavy = 3.0 if len(line.segments) >= min(3, columns) else 1.0
        for token in (t for s in line.segments for t in s.tokens):
            yield token.x0, token.x1, heavy


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

    cells: dict[str, Choice]
    spare: dict[str, Choice]
    """Numbers of columns that nothing asks for, by `#` and the column's index."""
    text: dict[str, list[Token]]
    segment: Segment
    bottom: float
    closed: bool = False
    """Whether what follows under its text is no longer part of it."""


def _body(evidence: Evidence, asks: Sequence[Ask], header: Header, starts: frozenset[int]) -> tuple[list[Row], int]:
    """Rows under a header and the line at which reading stopped; goes on over page edges."""
    builder = _Builder(evidence, asks, header)
    lines, index = evidence.layout.lines, header.body
    while index < len(lines) and not (index in starts and index > header.body):
        if not builder.take(lines[index]):
            break
        index += 1
    return builder.rows(), index


class _Builder:
    """Makes rows of the lines under a header."""

    def __init__(self, evidence: Evidence, asks: Sequence[Ask], header: Header) -> None:
        self._evidence, self._header = evidence, header
        self._by_path = {ask.path: ask for ask in asks}
        kinds = {c.path: self._by_path[c.path].kind for c in header.columns if c.path}
        self._anchors = [path for path, kind in kinds.items() if kind in NUMERIC or kind == "date"]
        self._edges = _column_edges(evidence, self._by_path, header)
        self._drafts: list[_Draft] = []
        self._orphans: list[Line] = []
        self._misses = 0

    def take(self, line: Line) -> bool:
        """Read one line; False where the table ends."""
        draft = _read_line(self._evidence, self._by_path, self._header, line)
        if _is_subtotal(line):
            return True
        whole = len(self._anchors) > 1 and all(p in draft.cells for p in self._anchors)
        if not whole and _stops(self._evidence, line):
            return False
        last = self._drafts[-1] if self._drafts else None
        if last is not None and _completes(last, draft, line, self._anchors):
            last.cells.update(draft.cells)
            last.spare.update({k: c for k, c in draft.spare.items() if k not in last.spare})
            _wrap(last, draft, line, self._edges)
        elif _is_row(draft, self._anchors):
            _adopt(draft, self._orphans, self._by_path, self._header)
            self._drafts.append(draft)
            self._orphans, self._misses = [], 0
        elif last is not None and _wraps(last, draft, line):
            _wrap(last, draft, line, self._edges)
        else:
            self._orphans = [] if self._drafts else [*self._orphans, line]
            self._misses = self._misses + 1 if line.page == self._header.page else 0
        return self._misses <= MISSES

    def rows(self) -> list[Row]:
        """What was read, without rows that lack the amount which most others have."""
        rows = _solved(self._by_path, [_finish(self._by_path, d) for d in self._drafts])
        rows = _uncounted(self._by_path, rows)
        amount = next((p for p, a in self._by_path.items() if a.concept == "amount"), "")
        if sum(amount in row for row in rows) > 0.6 * len(rows):
            rows = [row for row in rows if amount in row]
        return [_checked(self._by_path, row) for row in rows]


def _is_row(draft: _Draft, anchors: list[str]) -> bool:
    numeric = sum(p in draft.cells for p in anchors)
    return numeric >= max(1, min(2, len(anchors))) or (numeric >= 1 and bool(draft.text) and len(anchors) <= 2)


def _stops(evidence: Evidence, line: Line) -> bool:
    """Whether a line gives a total of the table: such a label beside an amount."""
    amounts = any(n.money for s in line.segments for n in evidence.spans.inside(s, Kind.NUMBER))
    return amounts and any(
        hit.strength >= 0.74 and owner in STOP_OWNERS and 2 * _worded(hit.tokens) >= _worded(segment.tokens)
        for segment in line.segments
        for owner, hit in evidence.labels.in_segment(segment)
    )


def _worded(tokens: Sequence[Token]) -> int:
    return sum(any(c.isalpha() for c in t.text) for t in tokens)


def _is_subtotal(line: Line) -> bool:
    parts = {c for part in read_text(line.text) for c in part}
    return bool(parts & SKIP_WORDS) and len(parts) <= 6


def _read_line(evidence: Evidence, by_path: dict[str, Ask], header: Header, line: Line) -> _Draft:
    cells: dict[str, Choice] = {}
    text: dict[str, list[Token]] = {}
    taken: set[int] = set()
    spare: dict[str, Choice] = {}
    typed = [span for segment in line.segments for span in _typed(evidence, by_path, header, segment)]
    for span in sorted(typed, key=lambda s: not s.money):
        column = _column_of(header, by_path, span)
        if column is None or column.path in cells or span.ids & taken:
            continue
        cells[column.path] = Choice(span, span.value, 0.85, "column")
        taken |= span.ids
    for segment in line.segments:
        for span in evidence.spans.inside(segment, Kind.NUMBER):
            index = bisect_right(header.gutters, (span.x0 + span.x1) / 2)
            if not header.columns[index].path and not span.percent and len(span.raw) < 12:
                spare.setdefault(f"#{index}", Choice(span, span.value, 0.7, "column"))
    for segment in line.segments:
        for token in segment.tokens:
            if id(token) in taken:
                continue
            column = _text_column(header, by_path, token)
            if column is not None:
                text.setdefault(column.path, []).append(token)
    bottom = max(s.y1 for s in line.segments)
    return _Draft(cells, spare, text, line.segments[0], bottom)


def _typed(evidence: Evidence, by_path: dict[str, Ask], header: Header, segment: Segment) -> list[Span]:
    kinds = {TYPED[by_path[c.path].kind] for c in header.columns if c.path and by_path[c.path].kind in TYPED}
    return [span for kind in sorted(kinds) for span in evidence.spans.inside(segment, kind)]


def _suits(ask: Ask, span: Span) -> bool:
    if ask.kind not in TYPED or TYPED[ask.kind] is not span.kind:
        return False
    if span.kind is Kind.NUMBER and span.percent:
        return ask.kind == "percent"
    return True


def _column_at(header: Header, x: float) -> Column:
    """The column that holds a place between the gutters."""
    return header.columns[bisect_right(header.gutters, x)]


def _column_of(header: Header, by_path: dict[str, Ask], span: Span) -> Column | None:
    """The column a span stands in, if it holds such values."""
    column = _column_at(header, (span.x0 + span.x1) / 2)
    return column if column.path and _suits(by_path[column.path], span) else None


def _text_column(header: Header, by_path: dict[str, Ask], token: Token) -> Column | None:
    """The text column a word stands in."""
    column = _column_at(header, (token.x0 + token.x1) / 2)
    return column if column.path and by_path[column.path].kind not in NUMERIC else None


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
    gap = min(s.y0 for s in line.segments) - last.bottom
    return line.page == last.segment.page and gap < 1.1 * line.segments[0].height


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
    row: Row = {**draft.spare, **draft.cells}
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
    return abs(abs(quantity * price) - abs(amount)) <= 0.011 + 0.001 * abs(amount)


def _uncounted(by_path: dict[str, Ask], rows: list[Row]) -> list[Row]:
    """Descriptions without the count before them, where most rows have one and nothing asks for it."""
    text = next((p for p, a in by_path.items() if a.concept == "description"), None)
    counted = [row for row in rows if text in row and re.match(r"\d{1,3}(?:[.,]\d+)?\s+\D", str(row[text].value))]
    if text is None or len(counted) < 0.7 * len(rows):
        return rows
    return [{**row, text: _without_first(row[text])} if row in counted else row for row in rows]


def _without_first(cell: Choice) -> Choice:
    raw = cell.span.raw.partition(" ")[2]
    span = replace(cell.span, tokens=cell.span.tokens[1:], raw=raw)
    return replace(cell, span=span, value=raw)


def _solved(by_path: dict[str, Ask], rows: list[Row]) -> list[Row]:
    """Quantity, price and amount put into the numeric columns in which most rows multiply, if the headers did not."""
    paths = {ask.concept: path for path, ask in by_path.items()}
    if not set(_PRODUCT) <= set(paths):
        return [{p: c for p, c in row.items() if p in by_path} for row in rows]
    wanted = tuple(paths[name] for name in _PRODUCT)
    keys = sorted({key for row in rows for key, cell in row.items() if isinstance(cell.value, (int, float))})
    orders = permutations([k for k in keys if k in wanted or k not in by_path], 3)
    best = max(orders, key=lambda order: _product_score(rows, order, wanted), default=wanted)
    if _product_score(rows, best, wanted) <= _product_score(rows, wanted, wanted) + 0.5:
        best = wanted
    moves = dict(zip(best, wanted, strict=True))
    solved = [
        {moves.get(p, p): c for p, c in row.items() if p in moves or p not in wanted} if best != wanted else row
        for row in rows
    ]
    return [{p: c for p, c in row.items() if p in by_path} for row in solved]


def _product_score(rows: list[Row], order: tuple[str, ...], wanted: tuple[str, ...]) -> float:
    """Rows that multiply in these columns, and a little for every column that keeps its place."""
    held = sum(_holds(row, order) for row in rows if all(p in row for p in order))
    return held + 0.1 * sum(a == b for a, b in zip(order, wanted, strict=True))


def _checked(by_path: dict[str, Ask], row: Row) -> Row:
    """Quantity times price that gives the amount makes the three surer."""
    roles = _three(by_path, row)
    if roles is None or not _holds(row, tuple(roles[n] for n in _PRODUCT)):
        return row
    raised = {roles[n]: replace(row[roles[n]], score=0.99, why="column +product") for n in _PRODUCT}
    return {**row, **raised}
