"""Tables without rules: lines that stand under each other and leave the same gaps free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from service.embedded.page.grid_lines import FEWEST_LINES, LEAST_GAP, OVERLAP, Cell, Printed, is_number, printed_runs
from service.embedded.page.layout import Line, Token

Rows = list[list[Cell]]
_CENTRED = 0.15
"""How far a header may stand from the middle of what it heads, as a share of its width."""
_WRAP = 0.55
"""Gap up to which a line may go on with the cells above it, in text heights."""
_CROSSING = 0.1
"""Share of the lines that may cross a gap between columns: headers and long cells."""
_SPLIT = 0.35
"""Gap that parts two cells at a gap of the columns, in text heights."""
_PHRASE = 0.75
"""Gap that parts two cells anywhere, in text heights."""
_PROSE = 7
"""Words of a cell, on average, from which lines side by side are columns of text."""


def open_grids(lines: Sequence[Line], taken: set[int]) -> list[Rows]:
    """The tables among a page's lines, top to bottom.

    Args:
        taken: ids of the words that belong to tables already.
    """
    found: list[Rows] = []
    for run in printed_runs(lines, taken):
        columns = _columns(run)
        if len(columns) < 2:
            continue
        rows = _joined(run, [_place(line, columns) for line in run])
        if _is_table(rows):
            found.extend(_abreast(rows))
    return found


def _columns(run: Sequence[Printed]) -> list[tuple[float, float]]:
    """Left and right edges of the columns, points: where more than a few lines have words."""
    left = min(r[0].x0 for p in run for r in p.runs)
    right = max(r[-1].x1 for p in run for r in p.runs)
    counts = [0] * (int(right - left) + 2)
    broad = [p for p in run if len(p.runs) > 1]
    body = [p for p in broad if 2 * sum(map(is_number, p.runs)) >= len(p.runs)]
    broad = body if len(body) >= FEWEST_LINES else broad
    for printed in broad:
        for cell in printed.runs:
            for x in range(int(cell[0].x0 - left), int(cell[-1].x1 - left) + 1):
                counts[x] += 1
    most = int(_CROSSING * len(broad)) if len(broad) > 5 else 0
    columns: list[tuple[float, float]] = []
    start = None
    for x, count in enumerate([*counts, 0]):
        if count > most and start is None:
            start = x
        elif count <= most and start is not None:
            if columns and start + left - columns[-1][1] < LEAST_GAP:
                columns[-1] = (columns[-1][0], x + left)
            else:
                columns.append((start + left, x + left))
            start = None
    return columns


@dataclass
class _Row:
    """One row of a table under construction."""

    cells: list[list[Token]]
    spans: bool
    """Whether a run of words spans several columns."""

    @property
    def filled(self) -> list[int]:
        return [n for n, cell in enumerate(self.cells) if cell]

    @property
    def numbers(self) -> int:
        return sum(is_number(tuple(cell)) for cell in self.cells[1:])


def _place(line: Printed, columns: Sequence[tuple[float, float]]) -> _Row:
    """The words of a line by column; a run that spans several stands in the first."""
    row = _Row([[] for _ in columns], spans=False)
    if len(line.runs) == 1 and _heads_rest(line.runs[0], columns):
        row.cells[1].extend(line.runs[0])
        row.spans = len(columns) > 2
        return row
    for cell in (part for run in line.runs for part in _cut(run, columns)):
        x0, x1 = cell[0].x0, cell[-1].x1
        over = [n for n, (a, b) in enumerate(columns) if min(x1, b) - max(x0, a) > 0.5]
        nearest = min(range(len(columns)), key=lambda n: abs(sum(columns[n]) - x0 - x1))
        row.spans |= len(over) > 1
        row.cells[over[0] if over else nearest].extend(cell)
    return row


def _heads_rest(run: Cell, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a run of words stands in the middle above all columns but the first."""
    left, right = columns[1][0], columns[-1][1]
    beside = abs(run[0].x0 + run[-1].x1 - left - right) / 2
    return run[0].x0 > columns[0][1] and beside < _CENTRED * (right - left)


def _cut(run: Cell, columns: Sequence[tuple[float, float]]) -> list[Cell]:
    """A run of words, cut where a gap between its words is one between columns."""
    cells: list[list[Token]] = [[run[0]]]
    for before, token in pairwise(run):
        free = any(
            a[1] <= token.x0 + 1 and b[0] >= before.x1 - 1 and min(b[0], token.x0) > max(a[1], before.x1) - 1
            for a, b in pairwise(columns)
        )
        gap = (token.x0 - before.x1) / token.size
        if gap > _PHRASE or (free and gap > _SPLIT):
            cells.append([token])
        else:
            cells[-1].append(token)
    return [tuple(cell) for cell in cells]


def _joined(run: Sequence[Printed], placed: Sequence[_Row]) -> Rows:
    """Rows; a line that only goes on with the cells above it is part of their row."""
    rows: list[_Row] = []
    body = False
    for number, row in enumerate(placed):
        gap = (run[number].top - run[number - 1].bottom) / run[number].height if number else 0.0
        if rows and not row.spans and (_overlaps(rows[-1], gap) or _goes_on(rows[-1], row, gap, body=body)):
            for n in row.filled:
                rows[-1].cells[n].extend(row.cells[n])
            continue
        body = body or 2 * row.numbers >= len(row.cells) - 1
        rows.append(row)
    if len(rows) > 2 and rows[0].spans and not rows[0].cells[0]:  # what heads the first column heads it whole
        rows[0].cells[0], rows[1].cells[0] = rows[1].cells[0], []
    return [[tuple(cell) for cell in row.cells] for row in rows]


def _overlaps(last: _Row, gap: float) -> bool:
    return gap < OVERLAP and not last.spans


def _goes_on(last: _Row, row: _Row, gap: float, *, body: bool) -> bool:
    """Whether a line is the rest of cells that wrap: of a header, or of a row that has all that the line has."""
    if gap > _WRAP or row.numbers:
        return False
    if not body:
        return not last.spans
    first, *more = row.filled
    starts_small = not more and row.cells[first][0].text[:1].islower()
    return all(last.cells[n] for n in row.filled) and (first > 0 or starts_small)


def _is_table(rows: Rows) -> bool:
    """Whether rows are those of a table rather than text in columns, a letter's head, or a list."""
    cells = [cell for row in rows for cell in row if cell]
    values = [cell for row in rows for cell in row[1:] if cell]
    width = len(rows[0])
    worded = sum(any(c.isalpha() for t in cell for c in t.text) for cell in cells)
    if len(rows) < 2 or not values or worded < 2:
        return False
    if width == 2 and min(sum(bool(row[n]) for row in rows) for n in (0, 1)) < 0.7 * len(rows):
        return False
    words = sum(map(len, cells)) / len(cells)
    numbers = sum(map(is_number, values)) / len(values)
    full = len(cells) / (len(rows) * width)
    return words < _PROSE and full > 0.4 and (numbers > 0.35 or (width > 2 and words < 4 and full > 0.6))


def _abreast(rows: Rows) -> list[Rows]:
    """A table that goes on beside itself, its header again over each part, as one table a part."""
    heads = [" ".join(t.text for t in cell) for cell in rows[0]]
    for width in range(2, len(heads) // 2 + 1):
        if len(heads) % width == 0 and heads[0] and heads == heads[:width] * (len(heads) // width):
            return [[row[n : n + width] for row in rows] for n in range(0, len(heads), width)]
    return [rows]
