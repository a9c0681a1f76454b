"""Columns whose headers say nothing that is asked for: by their order, which is that of the schema, and their kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.page.layout import Line, Segment
from service.embedded.page.overlap import shared_width
from service.embedded.page.spans import Kind
from service.embedded.tables.table_cells import NUMERIC, Column
from service.embedded.words.normalise import is_day

_MOSTLY = 0.7
"""Share of a column's cells that are of one kind, from which the column is."""
_LEAST_COLUMNS = 3
"""Columns from which a table is known by their kinds alone."""
_LEAST_ROWS = 2
_MOST_ROWS = 10
"""Rows that are looked at."""
_EDGE = 0.7
"""Text heights by which cells at one left edge may start apart."""


def in_order(evidence: Evidence, asks: Sequence[Ask], columns: tuple[Column, ...], body: int) -> tuple[Column, ...]:
    """The columns, where those without a path take the fields that are left between the same neighbours.

    As many as there are fields take them in order; else those of one kind do, if they are as many as its fields.
    """
    places = {column.path: at for at, column in enumerate(columns) if column.path}
    known = [places[ask.path] for ask in asks if ask.path in places]
    if known != sorted(known):
        return columns
    rows = list(_rows(evidence, body, len(columns)))
    kinds = [_kind(evidence, column, rows) for column in columns]
    given: dict[int, str] = {}
    for free, left in _runs(asks, places, len(columns)):
        given |= _paired(left, [(at, kinds[at]) for at in free])
    return tuple(replace(c, path=given[at]) if at in given else c for at, c in enumerate(columns))


def all_in_order(evidence: Evidence, asks: Sequence[Ask], line: Line, body: int) -> tuple[Column, ...]:
    """A line's cells as columns, if they are as many as the fields and rows of the fields' kinds stand under them.

    Args:
        body: 0-based index of the first line under the header.
    """
    if not _LEAST_COLUMNS <= len(asks) == len(line.segments):
        return ()
    columns = tuple(Column("", s.x0, s.x1) for s in line.segments)
    rows = list(_rows(evidence, body, len(asks)))
    if len(rows) < _LEAST_ROWS or any(len(row.segments) != len(asks) for row in rows[:_LEAST_ROWS]):
        return ()
    kinds = [_kind(evidence, column, rows) for column in columns]
    plain = all(kind in ("", "text") for kind in kinds) and not _at_one_edge(line, rows)
    loose = sum(_holds_figures(a, k) for a, k in zip(asks, kinds, strict=True))
    fitting = all(_suits(a, k) or _holds_figures(a, k) for a, k in zip(asks, kinds, strict=True))
    if plain or not fitting or loose > _MOST_LOOSE * len(asks):
        return ()
    return tuple(replace(c, path=a.path) for c, a in zip(columns, asks, strict=True))


def _at_one_edge(line: Line, rows: Sequence[Line]) -> bool:
    """Whether the cells of the first rows start where the header's do."""
    reach = _EDGE * line.segments[0].height
    return all(
        abs(cell.x0 - head.x0) < reach
        for row in rows[:_LEAST_ROWS]
        for cell, head in zip(row.segments, line.segments, strict=True)
    )


def _runs(asks: Sequence[Ask], places: Mapping[str, int], columns: int) -> Iterator[tuple[list[int], list[Ask]]]:
    """Between each two columns that are known: the others, and the fields that are asked for between theirs."""
    start, left = 0, list[Ask]()
    for ask in asks:
        at = places.get(ask.path)
        if at is None:
            left.append(ask)
            continue
        yield list(range(start, at)), left
        start, left = at + 1, []
    yield list(range(start, columns)), left


def _paired(asks: Sequence[Ask], free: Sequence[tuple[int, str]]) -> dict[int, str]:
    """Column → path."""
    if len(asks) == len(free) and all(_suits(a, kind) for a, (_, kind) in zip(asks, free, strict=True)):
        return {at: ask.path for ask, (at, _) in zip(asks, free, strict=True)}
    given: dict[int, str] = {}
    for wanted in ("date", "number", "text"):
        of_kind = [ask for ask in asks if _asked_kind(ask) == wanted]
        places = [at for at, kind in free if kind == wanted]
        if len(of_kind) == len(places):
            given |= {at: ask.path for ask, at in zip(of_kind, places, strict=True)}
    return given


def _asked_kind(ask: Ask) -> str:
    if ask.kind in NUMERIC:
        return "number"
    return "date" if ask.kind == "date" and ask.field.format is not None else "text"


def _suits(ask: Ask, kind: str) -> bool:
    if kind == "measure":
        return _asked_kind(ask) != "date"
    return kind == _asked_kind(ask) or (_asked_kind(ask) == "text" and (kind == "" or ask.kind == kind))


def _holds_figures(ask: Ask, kind: str) -> bool:
    """Whether a column of figures may be that of a text, such as a number of something: `10.2`, `0400`."""
    return kind == "number" and _asked_kind(ask) == "text" and ask.kind in ("text", "code")


_MOST_LOOSE = 0.34
"""Share of a table's columns that may be such."""


def _rows(evidence: Evidence, body: int, columns: int) -> Iterator[Line]:
    """The first lines under a header that have about as many cells."""
    lines = evidence.layout.lines
    for line in lines[body : body + _MOST_ROWS]:
        if line.page != lines[body - 1].page or 2 * len(line.segments) < columns:
            return
        yield line


def _kind(evidence: Evidence, column: Column, rows: Sequence[Line]) -> str:
    """What most cells of a column are: `date`, `number`, `measure` or `text`; nothing where they differ."""
    cells = (s for row in rows for s in row.segments if shared_width(s, column) > 0)
    found = [_cell_kind(evidence, cell) for cell in cells]
    return next((k for k in set(found) if found.count(k) >= _MOSTLY * len(found)), "")


def _cell_kind(evidence: Evidence, cell: Segment) -> str:
    if is_day(cell.text):
        return "date"
    for kind in (Kind.DATE, Kind.NUMBER):
        spans = evidence.spans.inside(cell, kind)
        if len(spans) == 1 and spans[0].end - spans[0].start == len(cell.tokens):
            return "date" if kind is Kind.DATE else "number"
        if kind is Kind.NUMBER and len(spans) == 1 and spans[0].start == 0 and spans[0].end == len(cell.tokens) - 1:
            return "measure"
    return "text"
