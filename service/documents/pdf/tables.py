"""Cells of tables drawn with lines: pdfplumber's geometry over the rules that PDFium sees. Pure, but slow to import.

pdfplumber's own reading of a page costs a tenth of a second and megabytes; only its way from lines to cells is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pdfplumber.table import cells_to_tables, edges_to_intersections, intersections_to_cells, merge_edges

from service.domain.errors import ErrorCode, ReadingError
from service.domain.geometry import Box, union_box
from service.domain.pages import RuledTable, TableCell

_SNAP = 3.0
"""Points: lines nearer than this are one, and lines that miss each other by less than this meet."""
_MAX_RULES = 4_000
_MAX_CROSSINGS = 2_500
"""The way from crossings to cells costs their square; a drawing has more of them than a table."""


@dataclass(frozen=True, slots=True)
class PageExtent:
    """Width and height of the page in points."""

    width: float
    height: float


def find_tables(rules: Sequence[Box], extent: PageExtent) -> tuple[RuledTable, ...]:
    """Tables of at least two cells, without texts, from the top of the page.

    Args:
        rules: horizontal and vertical lines, boxes without height or width, fractions of the page.

    Raises:
        ReadingError: `page_timeout`; there are more lines than any table has.
    """
    if len(rules) > _MAX_RULES:
        raise _too_many()
    edges = merge_edges([_edge(rule, extent) for rule in rules], _SNAP, _SNAP, _SNAP, _SNAP)
    crossings = edges_to_intersections(edges, _SNAP, _SNAP)
    if len(crossings) > _MAX_CROSSINGS:
        raise _too_many()
    found: list[RuledTable] = []
    for cells in cells_to_tables(intersections_to_cells(crossings)):
        boxes = [
            Box(x0 / extent.width, y0 / extent.height, x1 / extent.width, y1 / extent.height)
            for x0, y0, x1, y1 in cells
        ]
        if len(boxes) > 1:
            found.append(_numbered(boxes))
    return tuple(sorted(found, key=lambda table: (table.box.y0, table.box.x0)))


def _edge(rule: Box, extent: PageExtent) -> dict[str, str | float]:
    x0, x1, top, bottom = (
        rule.x0 * extent.width,
        rule.x1 * extent.width,
        rule.y0 * extent.height,
        rule.y1 * extent.height,
    )
    return {
        "orientation": "h" if rule.width > 0 else "v",
        "x0": x0,
        "x1": x1,
        "top": top,
        "bottom": bottom,
        "doctop": top,
        "width": x1 - x0,
        "height": bottom - top,
    }


def _numbered(boxes: Sequence[Box]) -> RuledTable:
    """Cells with the row and the column of their top-left corner, row by row."""
    tops = {top: number for number, top in enumerate(sorted({box.y0 for box in boxes}))}
    lefts = {left: number for number, left in enumerate(sorted({box.x0 for box in boxes}))}
    cells = [TableCell(tops[box.y0], lefts[box.x0], box, "") for box in boxes]
    cells.sort(key=lambda cell: (cell.row, cell.column))
    return RuledTable(union_box(boxes), tuple(cells))


def _too_many() -> ReadingError:
    return ReadingError(
        ErrorCode.PAGE_TIMEOUT, "The page has more lines than any table; its tables were not looked for."
    )
