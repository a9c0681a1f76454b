"""PDFs with tables whose cells are known: with rules and without, under a header that spans columns, two on a page."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

GRIDS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tables": {
            "type": "array",
            "description": "Every table of the document, in reading order",
            "items": {
                "type": "object",
                "properties": {
                    "page": {"type": "integer", "description": "Page number, from 1"},
                    "rows": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
                },
            },
        },
    },
}
RULED = [
    ["", "Harvest", ""],
    ["Orchard", "spring", "autumn"],
    ["North slope", "12", "40"],
    ["South slope by the old mill", "7", "31"],
]
OPEN = [
    ["Vessel", "Cargo", "Tonnes", "Days"],
    ["Marigold", "timber", "1,200", "14"],
    ["Tern", "", "310", "6"],
    ["Old Bess", "slate", "95", "3"],
    ["Windrush", "wool", "44", "9"],
]
OPEN_SPANNING = [
    ["Mill", "Flour sold", ""],
    ["", "white", "brown"],
    ["Upper", "120", "75"],
    ["Lower", "98", "61"],
    ["River", "143", "80"],
]
_SIZE = 10
_STEP = 16
_WIDTHS = (150, 90, 90, 90)
_LEFT = 70


def draw_tables() -> bytes:
    """Page 1: the ruled table and an open one; page 2: text and an open one under a header that spans columns."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    canvas.setFont("Helvetica", _SIZE)
    canvas.drawString(_LEFT, 790, "Yearbook of the valley, kept by the parish clerk for all who ask")
    _draw_ruled(canvas, 740)
    canvas.drawString(_LEFT, 600, "The harbour was open on all days but two, and these came in:")
    _draw_open(canvas, 560, OPEN)
    canvas.showPage()
    canvas.setFont("Helvetica", _SIZE)
    canvas.drawString(_LEFT, 790, "No flood was seen this year, and the mills ran until the first frost of the winter.")
    canvas.drawCentredString(_LEFT + 150 + 60, 740 + _STEP, "Flour sold")
    _draw_open(canvas, 740, [["Mill", *OPEN_SPANNING[1][1:]], *OPEN_SPANNING[2:]])
    canvas.save()
    return buffer.getvalue()


def _draw_ruled(canvas: Canvas, top: float) -> None:
    """`RULED`: the first header cell spans two columns, and the last row's label wraps."""
    x = [_LEFT, _LEFT + 90, _LEFT + 160, _LEFT + 230]
    y = [top, top - 16, top - 32, top - 48, top - 78]
    for number, line in enumerate(y):
        canvas.line(x[0], line, x[3], line)
        if number < len(y) - 1:
            for place in (x[0], x[1], x[3]) if number == 0 else x:
                canvas.line(place, line, place, y[number + 1])
    for r, row in enumerate(RULED):
        for c, text in enumerate(row):
            words = text.split()
            lines = [text] if len(words) < 4 else [" ".join(words[:3]), " ".join(words[3:])]
            for n, line in enumerate(lines):
                canvas.drawString(x[c] + 3, y[r] - 12 - 12 * n, line)


def _draw_open(canvas: Canvas, top: float, rows: Sequence[Sequence[str]]) -> None:
    for r, row in enumerate(rows):
        x = _LEFT
        for c, text in enumerate(row):
            canvas.drawString(x, top - r * _STEP, text)
            x += _WIDTHS[c]
