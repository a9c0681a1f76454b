"""Tables as grids of texts: from ruled cells where there are any, else from columns that lines have in common."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from service.domain.geometry import Point, union_box
from service.domain.pages import RuledTable, TableCell
from service.embedded.page.grid_columns import Rows, open_grids
from service.embedded.page.grid_lines import Cell, is_number
from service.embedded.page.layout import Layout, PageLayout, Token

_FEWEST_CELLS = 4
"""Cells with words that a ruled table has at least."""
_MOST_WORDS = 30
"""Words a cell of a table has on average at most; more is a page set in frames."""
_JOIN = 16.0
"""Gap between two ruled tables that are one, equally wide, points."""
_SNAP = 4.0
"""Edges of cells that are no further apart are one, points."""
_CLOSE = 20.0
"""Left edges of columns that may be one, points."""
_BEYOND = 3.0
"""Times as many words as in its ruled part, from which a table is read without its rules."""
_ABREAST = 3
"""Cells side by side, each of as many lines, from which the lines are rows of their own."""
_TITLE = 4
"""Words from which the only cell of a first row is a title."""
_NEAR = 2.5
"""How far above a table its title may stand, in text heights."""


@dataclass(frozen=True)
class Grid:
    """One page's part of a table; every row has as many cells."""

    page: int
    """1-based."""
    rows: tuple[tuple[Cell, ...], ...]
    title: Cell
    """The line right above it; empty where there is none."""

    @property
    def size(self) -> int:
        """How many of its cells have words."""
        return sum(bool(cell) for row in self.rows for cell in row)

    @property
    def words(self) -> Iterable[Token]:
        """All its words."""
        return (token for row in self.rows for cell in row for token in cell)

    @property
    def top(self) -> float:
        """Upper edge of its words, points."""
        return min(token.y0 for token in self.words)


def find_grids(layout: Layout) -> tuple[Grid, ...]:
    """The tables of a document in reading order, those of nothing but one row or column left out."""
    return tuple(grid for page in layout.pages for grid in _of_page(page))


def _of_page(page: PageLayout) -> list[Grid]:
    found: list[list[list[Cell]]] = []
    taken: set[int] = set()
    whole = open_grids(page.lines, taken) if page.tables else []
    for table in _connected(page):
        rows = _trimmed(_ruled_rows(page, table))
        words = [token for row in rows for cell in row for token in cell]
        if _is_table(rows, words) and not any(_goes_beyond(grid, rows, words) for grid in whole):
            found.append(rows)
            taken |= {id(token) for token in words}
    found.extend(rows for rows in map(_trimmed, open_grids(page.lines, taken)) if rows)
    grids = [_grid(page, rows) for rows in found]
    return sorted(grids, key=lambda grid: grid.top)


def _goes_beyond(whole: Rows, rows: Sequence[Sequence[Cell]], words: Sequence[Token]) -> bool:
    """Whether a table is ruled in part alone, such as its header, and goes on without rules."""
    held = {id(token) for row in whole for cell in row for token in cell}
    inside = sum(id(token) in held for token in words)
    return len(whole) > len(rows) + 1 and inside > 0.9 * len(words) and len(held) > _BEYOND * len(words)


def _connected(page: PageLayout) -> list[list[TableCell]]:
    """The cells of each ruled table; parts right under each other, equally wide, are one."""
    found: list[list[TableCell]] = []
    last: RuledTable | None = None
    for table in page.tables:
        if last is not None and found and _continues(page, last, table):
            found[-1].extend(table.cells)
        else:
            found.append(list(table.cells))
        last = table
    return found


def _continues(page: PageLayout, last: RuledTable, table: RuledTable) -> bool:
    gap = (table.box.y0 - last.box.y1) * page.height
    sides = max(abs(table.box.x0 - last.box.x0), abs(table.box.x1 - last.box.x1)) * page.width
    return -_SNAP < gap < _JOIN and sides < _SNAP


def _is_table(rows: Sequence[Sequence[Cell]], words: Sequence[Token]) -> bool:
    filled = sum(bool(cell) for row in rows for cell in row)
    if len(rows) < 2 or len(rows[0]) < 2 or filled < _FEWEST_CELLS:
        return False
    return len(words) <= _MOST_WORDS * filled


def _grid(page: PageLayout, rows: Sequence[Sequence[Cell]]) -> Grid:
    grid = Grid(page.page, tuple(tuple(row) for row in rows), ())
    inside = {id(token) for token in grid.words}
    title: Cell = ()
    for line in page.lines:
        tokens = tuple(t for segment in line.segments for t in segment.tokens)
        if max(t.y1 for t in tokens) > grid.top + 1 or not inside.isdisjoint(map(id, tokens)):
            break
        near = grid.top - max(t.y1 for t in tokens) < _NEAR * line.segments[0].height
        title = tokens if near else ()
    return Grid(grid.page, grid.rows, title)


def _ruled_rows(page: PageLayout, table: Sequence[TableCell]) -> list[list[Cell]]:
    """The words of the drawn cells, each at the first row and column of its cell."""
    tops = _edges(y * page.height for c in table for y in (c.box.y0, c.box.y1))
    lefts = _edges(c.box.x0 * page.width for c in table)
    slots: list[list[list[Token]]] = [[[] for _ in lefts] for _ in tops]
    for number, runs in _held(page, table).items():
        apart = number < 0 or any(abs(a[0].middle - b[0].middle) < 0.5 * a[0].height for a, b in pairwise(runs))
        for run in runs:
            x, y = (run[0].x0 + run[-1].x1) / 2, run[0].middle
            if number >= 0:
                y = table[number].box.y0 * page.height
                x = x if apart else table[number].box.x0 * page.width
            slots[_at(tops, y)][_at(lefts, x)].extend(run)
    rows = [part for row in slots for part in _parted([tuple(cell) for cell in row])]
    return _narrowed(rows, lefts)


def _held(page: PageLayout, table: Sequence[TableCell]) -> dict[int, list[Cell]]:
    """Number of a cell, or -1 where none is drawn → the runs of words in it, line by line."""
    whole = union_box(cell.box for cell in table)
    held: dict[int, list[Cell]] = {}
    for segment in (s for line in page.lines for s in line.segments):
        places = {id(t): Point((t.x0 + t.x1) / 2 / page.width, t.middle / page.height) for t in segment.tokens}
        inside = [t for t in segment.tokens if whole.contains(places[id(t)])]
        for number, run in groupby(inside, key=lambda t: _cell_at(table, places[id(t)])):
            held.setdefault(number, []).append(tuple(run))
    return held


def _cell_at(table: Sequence[TableCell], place: Point) -> int:
    """The number of the smallest cell that holds a place; -1 where none is drawn."""
    around = [n for n, cell in enumerate(table) if cell.box.contains(place)]
    return min(around, key=lambda n: table[n].box.width * table[n].box.height, default=-1)


def _edges(places: Iterable[float]) -> list[float]:
    """Different edges in order, those closer than a few points as one."""
    edges: list[float] = []
    for place in sorted(places):
        if not edges or place - edges[-1] > _SNAP:
            edges.append(place)
    return edges


def _at(edges: Sequence[float], place: float) -> int:
    """The number of the row or column that a place is in."""
    return max(0, bisect_right(edges, place) - 1)


def _parted(row: Sequence[Cell]) -> list[list[Cell]]:
    """A drawn row that holds several printed ones, apart: numbers do not wrap, nor do all cells alike."""
    lines = [_lines(cell) for cell in row]
    numbers = [of for of in lines if len(of) > 1 and sum(map(is_number, of)) >= max(2, 0.7 * len(of))]
    filled = [of for of in lines if of]
    if not numbers and len(filled) >= _ABREAST and {len(of) for of in filled} == {max(_ABREAST, len(filled[0]))}:
        numbers = filled
    if not numbers:
        return [list(row)]
    leader = max(numbers, key=len)
    middles = [line[0].middle for line in leader]
    parts: list[list[list[Token]]] = [[[] for _ in row] for _ in leader]
    for column, of in enumerate(lines):
        for line in of:
            nearest = min(range(len(middles)), key=lambda n: abs(middles[n] - line[0].middle))
            parts[nearest][column].extend(line)
    return [[tuple(cell) for cell in part] for part in parts]


def _lines(cell: Cell) -> list[Cell]:
    """The words of a cell line by line."""
    lines: list[list[Token]] = []
    for token in cell:
        if lines and abs(lines[-1][-1].middle - token.middle) < 0.5 * token.height:
            lines[-1].append(token)
        else:
            lines.append([token])
    return [tuple(line) for line in lines]


def _trimmed(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Without rows and columns that have no words, and without a title in the first row or a note in the last."""
    kept = [row for row in rows if any(row)]
    for end in (0, -1):
        if len(kept) > 2 and len(kept[0]) > 2 and not any(kept[end][1:]) and len(kept[end][0]) >= _TITLE:
            kept.pop(end)
    columns = [n for n in range(len(kept[0]) if kept else 0) if any(row[n] for row in kept)]
    return [[row[n] for n in columns] for row in kept]


def _narrowed(rows: list[list[Cell]], lefts: Sequence[float]) -> list[list[Cell]]:
    """Columns that begin close to each other and share no row, as one: their lines were drawn a little apart."""
    for n in range(len(lefts) - 1, 0, -1):
        if lefts[n] - lefts[n - 1] < _CLOSE and not any(row[n - 1] and row[n] for row in rows):
            rows = [[*row[: n - 1], row[n - 1] or row[n], *row[n + 1 :]] for row in rows]
    return rows


def words_of(cell: Cell) -> str:
    """The text of a cell, lines joined by a blank."""
    return " ".join(token.text for token in cell)
