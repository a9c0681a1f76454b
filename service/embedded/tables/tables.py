"""Arrays of objects: tables found by their header, read row by row over pages, without subtotals."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import LONE_COLUMN, TYPED, Choice
from service.embedded.page.layout import Line, Segment, Token
from service.embedded.page.spans import Kind, Span
from service.embedded.tables.row_checks import Row, balanced, checked, solved, telling, uncounted
from service.embedded.tables.shared_cells import parted_cells
from service.embedded.tables.table_cells import NUMERIC, Column
from service.embedded.tables.table_header import Header, find_header, shaped_header, stops
from service.embedded.words.labels import read_text
from service.embedded.words.lists import word_list
from service.embedded.words.normalise import is_day, word_set

MISSES = 9
"""Lines without a row after which a table has ended."""
SKIP_WORDS = word_list("skipped_row")

_WORDED_GAP = 2.0
"""Text heights between two rows of a table of words alone."""
_OF_BALANCE = word_set("balance remain opening closing")
"""Words of a line that only carries a balance, be it dated or not."""


def read_table(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """The rows of the table whose header fits the asked columns best; nothing without a header."""
    headers = [h for line in evidence.layout.lines if (h := find_header(evidence, asks, line)) is not None]
    if not headers:
        return []
    best = max(headers, key=lambda h: h.strength)
    paths = {c.path for c in best.columns if c.path}
    starts = frozenset(h.line for h in headers)
    wanted = sorted((h for h in headers if _same_shape(h, paths, best)), key=lambda h: h.body)
    return _read_bodies(evidence, asks, wanted, starts)


def read_shaped(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """The rows of the first table whose columns are as many as the fields and of their kinds."""
    headers = (shaped_header(evidence, asks, line) for line in evidence.layout.lines)
    header = next((h for h in headers if h is not None), None)
    return read_under(evidence, asks, header) if header is not None else []


def read_under(evidence: Evidence, asks: Sequence[Ask], header: Header) -> list[Row]:
    """The rows under a header that was found otherwise, and under its repeats on later pages."""
    lines = evidence.layout.lines
    first = lines[header.line].text
    repeats = [line.index for line in lines if line.index > header.body and line.text == first]
    height = header.body - header.line
    own = [replace(header, line=at, body=at + height, page=lines[at].page) for at in (header.line, *repeats)]
    return _read_bodies(evidence, asks, own, frozenset(repeats))


def _read_bodies(
    evidence: Evidence, asks: Sequence[Ask], headers: Sequence[Header], starts: frozenset[int]
) -> list[Row]:
    """The rows under some headers in their order; a row that a page's edge cuts goes on under the next header."""
    builders: list[_Builder] = []
    stopped_at = -1
    for header in headers:
        if header.body > stopped_at:
            before = builders[-1].last if builders else None
            builders.append(_Builder(evidence, asks, header, before))
            stopped_at = _fill(builders[-1], evidence, header, starts)
    return [row for builder in builders for row in builder.rows()]


def _same_shape(header: Header, paths: set[str], best: Header) -> bool:
    own = {c.path for c in header.columns if c.path}
    return header is best or (len(own & paths) >= max(2, len(paths) - 1) and header.strength > 0.7 * best.strength)


@dataclass
class _Draft:
    """A row under construction."""

    cells: dict[str, Choice]
    spare: dict[str, Choice]
    """Numbers of columns that nothing asks for, by `#` and the column's index."""
    text: dict[str, list[Token]]
    segment: Segment
    bottom: float
    page: int
    """Of its last line so far."""
    closed: bool = False
    """Whether what follows under its text is no longer part of it."""
    behind: dict[str, list[Token]] = field(default_factory=dict[str, list[Token]])
    """Words behind the figure of a column of figures."""
    under: dict[str, list[Token]] = field(default_factory=dict[str, list[Token]])
    """The first line of text under it that is no longer part of it."""


def _fill(builder: _Builder, evidence: Evidence, header: Header, starts: frozenset[int]) -> int:
    """Read the lines under a header, over page edges too; the line at which reading stopped."""
    lines, index = evidence.layout.lines, header.body
    while index < len(lines) and not (index in starts and index > header.body):
        if not builder.take(lines[index]):
            break
        index += 1
    return index


class _Builder:
    """Makes rows of the lines under a header."""

    def __init__(self, evidence: Evidence, asks: Sequence[Ask], header: Header, before: _Draft | None) -> None:
        """Args: before: the last row under the header before this one."""
        self._evidence, self._header, self._before = evidence, header, before
        self._by_path = {ask.path: ask for ask in asks}
        kinds = {c.path: self._by_path[c.path].kind for c in header.columns if c.path}
        self._anchors = [path for path, kind in kinds.items() if kind in NUMERIC or kind in ("date", "time")]
        self._edges = _column_edges(evidence, self._by_path, header)
        self._drafts: list[_Draft] = []
        self._orphans: list[Line] = []
        self._misses = 0

    @property
    def last(self) -> _Draft | None:
        """The row that was read last, be it under an earlier header."""
        return self._drafts[-1] if self._drafts else self._before

    def take(self, line: Line) -> bool:
        """Read one line; False where the table ends."""
        draft = _read_line(self._evidence, self._by_path, self._header, line)
        if _is_subtotal(line):
            return True
        whole = len(self._anchors) > 1 and all(p in draft.cells for p in self._anchors)
        if not whole and stops(self._evidence, line):
            return False
        last = self.last
        if last is not None and _completes(last, draft, line, self._anchors):
            last.cells.update(draft.cells)
            last.spare.update({k: c for k, c in draft.spare.items() if k not in last.spare})
            _wrap(last, draft, line, self._edges)
        elif self._is_row(draft, line):
            _adopt(draft, self._orphans, self._by_path, self._header)
            self._drafts.append(draft)
            self._orphans, self._misses = [], 0
        elif last is not None and _wraps(last, draft, line):
            _wrap(last, draft, line, self._edges)
        else:
            self._orphans = [] if self._drafts else [*self._orphans, line]
            self._misses = self._misses + 1 if line.page == self._header.page else 0
        return self._misses <= MISSES

    def _is_row(self, draft: _Draft, line: Line) -> bool:
        """Whether a line starts a row: with numbers or days, or, in a table without them, with most of its texts."""
        if self._anchors:
            return _is_row(draft, self._anchors)
        last = self.last
        near = last is None or _follows(last, line, _WORDED_GAP * last.segment.height)
        asked = sum(bool(column.path) for column in self._header.columns)
        return near and len(draft.text) + len(draft.cells) >= max(2, asked - 1)

    def rows(self) -> list[Row]:
        """What was read, without rows that lack the amount which most others have."""
        for path in (p for p, a in self._by_path.items() if a.concept == "description"):
            _describe(path, self._drafts)
        typed = {path for draft in self._drafts for path in draft.cells}
        worded = {p for p, a in self._by_path.items() if p not in typed and a.kind == "date" and not a.field.format}
        finished = [_finish(self._by_path, draft, worded) for draft in self._drafts]
        whole = parted_cells(
            self._evidence, list(self._by_path.values()), finished, [draft.behind for draft in self._drafts]
        )
        rows = solved(self._by_path, balanced(self._by_path, whole))
        rows = telling(self._by_path, uncounted(self._by_path, rows))
        amount = next((p for p, a in self._by_path.items() if a.concept == "amount"), "")
        if sum(amount in row for row in rows) > 0.6 * len(rows):
            rows = [row for row in rows if amount in row]
        return [checked(self._by_path, row) for row in rows]


def _is_row(draft: _Draft, anchors: list[str]) -> bool:
    numeric = sum(p in draft.cells for p in anchors)
    return numeric >= max(1, min(2, len(anchors))) or (numeric >= 1 and bool(draft.text) and len(anchors) <= 2)


def _is_subtotal(line: Line) -> bool:
    parts = {c for part in read_text(line.text) for c in part}
    worded = {c for c in parts if not c.isdigit()}
    of_balance = "balance" in worded and len(worded) <= len(_OF_BALANCE) and bool(worded & _OF_BALANCE)
    return bool(parts & SKIP_WORDS) and (len(parts) <= 6 or of_balance)


def _read_line(evidence: Evidence, by_path: dict[str, Ask], header: Header, line: Line) -> _Draft:
    cells: dict[str, Choice] = {}
    text: dict[str, list[Token]] = {}
    taken: set[int] = set()
    spare: dict[str, Choice] = {}
    behind: dict[str, list[Token]] = {}
    why = "column" if sum(bool(c.path) for c in header.columns) > 1 else LONE_COLUMN
    typed = [span for segment in line.segments for span in _typed(evidence, by_path, header, segment)]
    for span in sorted(typed, key=lambda s: not s.money):
        column = _column_of(header, by_path, span)
        if column is None or column.path in cells or span.ids & taken:
            continue
        cells[column.path] = Choice(span, span.value, 0.85, why)
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
            column = _column_at(header, (token.x0 + token.x1) / 2)
            if column.path:
                into = behind if by_path[column.path].kind in NUMERIC else text
                into.setdefault(column.path, []).append(token)
    bottom = max(s.y1 for s in line.segments)
    return _Draft(cells, spare, text, line.segments[0], bottom, line.page, behind=behind)


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
    if any(path in last.text for path in draft.text) and _leading(anchors, draft, last):
        return False
    missing = [p for p in anchors if p not in last.cells]
    near = _follows(last, line, 0.7 * last.segment.height)
    return bool(draft.cells) and bool(missing) and near and all(p in missing for p in draft.cells)


def _leading(anchors: list[str], draft: _Draft, last: _Draft) -> bool:
    """Whether a line has the leftmost cell of a row, and the row above it has those to the right alone."""
    return bool(anchors) and anchors[0] in draft.cells and anchors[0] not in last.cells


def _follows(last: _Draft, line: Line, gap: float) -> bool:
    """Whether a line stands right under a row, no more than a gap below, or is the first to go on over the page."""
    if line.page == last.page:
        return min(s.y0 for s in line.segments) - last.bottom < gap
    return line.page == last.page + 1


def _wraps(last: _Draft, draft: _Draft, line: Line) -> bool:
    return bool(draft.text) and not draft.cells and _follows(last, line, 1.1 * line.segments[0].height)


def _wrap(last: _Draft, draft: _Draft, line: Line, right: dict[str, float]) -> None:
    """Add the text of a further line where the words before it filled their column, so that it had to wrap."""
    for path, tokens in draft.text.items():
        known = last.text.get(path)
        if known is None:
            last.text[path] = list(tokens)
        elif not last.closed and not _is_pair(tokens) and _fills(known, tokens, right.get(path, 0.0)):
            known.extend(tokens)
        else:
            last.closed = True
            last.under.setdefault(path, list(tokens))
    last.bottom, last.page = max(s.y1 for s in line.segments), line.page


def _is_pair(tokens: list[Token]) -> bool:
    """Whether a line gives a property with its label before a colon, instead of going on with a text."""
    at = next((i for i, t in enumerate(tokens) if t.text.endswith(":") and t.text[0] not in "(["), len(tokens))
    return at < min(3, len(tokens) - 1)


def _fills(known: list[Token], following: list[Token], edge: float) -> bool:
    """Whether a text reaches so far to the right that the next word did not fit behind it."""
    return known[-1].x1 + (following[0].x1 - following[0].x0) > edge


def _describe(path: str, drafts: list[_Draft]) -> None:
    """Take the line under for the description where most rows have a code over it, such as that of the article."""
    coded = [d for d in drafts if path in d.under and _is_code(d.text.get(path, []), d.under[path])]
    if 2 * len(coded) > len(drafts):
        for draft in coded:
            draft.text[path] = draft.under[path]


def _is_code(text: list[Token], under: list[Token]) -> bool:
    return len(text) == 1 and any(c.isdigit() for c in text[0].text) and _letters(under) > _letters(text)


def _letters(tokens: list[Token]) -> int:
    return sum(c.isalpha() for t in tokens for c in t.text)


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


def _day_alone(ask: Ask, text: str) -> bool:
    """Whether a day without its year is told as it stands, to a field that asks for a text."""
    return ask.kind == "date" and not ask.field.format and is_day(text)


def _finish(by_path: dict[str, Ask], draft: _Draft, worded: set[str]) -> Row:
    """Args: worded: columns of texts in which no day stands, though they could."""
    row: Row = {**draft.spare, **draft.cells}
    for path, tokens in draft.text.items():
        raw = " ".join(t.text for t in tokens)
        if path in row or not any(c.isalnum() for c in raw):
            continue
        span = Span(Kind.TEXT, tuple(tokens), raw, raw, draft.segment, 0, len(tokens))
        if by_path[path].kind in TYPED and path not in worded and not _day_alone(by_path[path], raw):
            continue
        row[path] = Choice(span, raw, 0.8, "column")
    return row
