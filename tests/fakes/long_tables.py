"""Tables over many pages, drawn by chance, with their truth: true duplicates, rows cut by the page, sums carried on."""

from __future__ import annotations

import datetime as dt
import io
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

Json = Any
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "entries": {
            "type": "array",
            "description": "Every booked entry, in printed order; sums carried from page to page are no entries",
            "items": {
                "type": "object",
                "properties": {
                    "date": {"type": "string", "format": "date", "description": "Day of the entry"},
                    "description": {"type": "string", "description": "What was booked"},
                    "amount": {"type": "number", "description": "Booked amount"},
                },
            },
        },
    },
}
_GOODS = [
    "Coffee",
    "Tea",
    "Paper",
    "Ink",
    "Thread",
    "Wool",
    "Linen",
    "Timber",
    "Slate",
    "Lime",
    "Copper",
    "Rope",
    "Canvas",
    "Wax",
    "Cork",
    "Brush",
]
_MAKERS = ["Harbour", "Orchard", "Lantern", "Meadow", "Quarry", "Ferry", "Hollow", "Beacon", "Juniper", "Willow"]
_EXTRA = "delivered by cart to the northern gate against a signed note"
_LEFT, _DESCRIPTION, _RIGHT, _TOP, _STEP = 60, 150, 520, 760, 13
_TEXT_WIDTH = 260
_FONT = ("Helvetica", 10)
_LINES_A_PAGE = 50


@dataclass(frozen=True, kw_only=True)
class LongTable:
    """What is drawn."""

    rows: int
    repeated_headers: bool = True
    carried: bool = True
    """Whether each page ends with a sum that the next one begins with."""
    amount_behind: bool = False
    """Whether the amount of a row of two lines stands on its second line."""
    seed: int = 0


@dataclass(frozen=True)
class _Line:
    cells: tuple[str, str, str]
    """Day, text, amount."""


def truth_of(table: LongTable) -> list[dict[str, Json]]:
    """The rows, in order; about one in twelve is the same as the one before, and one in nine has two lines."""
    chance = random.Random(table.seed)
    day = dt.date(2026, 1, 1)
    rows: list[dict[str, Json]] = []
    for _ in range(table.rows):
        if rows and chance.random() < 1 / 12:
            rows.append(rows[-1])
            continue
        day += dt.timedelta(days=chance.random() < 0.15)
        name = f"{chance.choice(_GOODS)} {chance.choice(_MAKERS)} {chance.randrange(100, 999)}"
        if chance.random() < 1 / 9:
            name += f" {_EXTRA}"
        rows.append({"date": day.isoformat(), "description": name, "amount": chance.randrange(100, 99_999) / 100})
    return rows


def draw_table(table: LongTable) -> bytes:
    """The pages as a PDF."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1)
    lines = [line for row in truth_of(table) for line in _lines_of(row, table)]
    room = _LINES_A_PAGE - 2 * table.carried - 2
    for page, start in enumerate(range(0, len(lines), room)):
        _draw_page(canvas, table, page, lines[start : start + room], last=start + room >= len(lines))
    canvas.save()
    return buffer.getvalue()


def _lines_of(row: dict[str, Json], table: LongTable) -> Iterator[_Line]:
    amount = f"{row['amount']:,.2f}"
    words = row["description"].split()
    fits = max(n for n in range(1, len(words) + 1) if stringWidth(" ".join(words[:n]), *_FONT) <= _TEXT_WIDTH)
    if fits == len(words):
        yield _Line((row["date"], row["description"], amount))
        return
    yield _Line((row["date"], " ".join(words[:fits]), "" if table.amount_behind else amount))
    yield _Line(("", " ".join(words[fits:]), amount if table.amount_behind else ""))


def _draw_page(canvas: Canvas, table: LongTable, page: int, lines: list[_Line], *, last: bool) -> None:
    canvas.setFont(*_FONT)
    above: list[_Line] = []
    if page == 0:
        canvas.drawString(_LEFT, _TOP + 2 * _STEP, "Statement of account")
    if page == 0 or table.repeated_headers:
        above.append(_Line(("Date", "Description", "Amount")))
    if table.carried and page:
        above.append(_Line(("", "Brought forward", f"{1000 + page:,}.00")))
    below = [_Line(("", "Carried forward", f"{1001 + page:,}.00"))] if table.carried and not last else []
    for number, line in enumerate([*above, *lines, *below]):
        y = _TOP - number * _STEP
        canvas.drawString(_LEFT, y, line.cells[0])
        canvas.drawString(_DESCRIPTION, y, line.cells[1])
        canvas.drawRightString(_RIGHT, y, line.cells[2])
    canvas.showPage()
