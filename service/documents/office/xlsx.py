"""XLSX to blocks: every visible sheet with its cells as a spreadsheet shows them. In a sandbox only."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterator

import openpyxl
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.worksheet.worksheet import Worksheet

from service.documents.office.blocks import OfficePage, Paragraph, Table

_MAX_CELLS = 500_000
_COLUMN_WIDTH = 78.0
_MARGINS = 80.0
_MIN_WIDTH, _MAX_WIDTH = 595.0, 4_000.0
_HEIGHT = 842.0
_SYMBOL = re.compile(r"\[\$([^\]-]*)[^\]]*\]|([$€£¥₩])")


def read_xlsx(data: bytes) -> list[OfficePage]:
    """One flow of pages a visible sheet, wide enough for its columns."""
    book = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
    pages: list[OfficePage] = []
    left = _MAX_CELLS
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        rows = _rows(sheet, left)
        left -= sum(len(row) for row in rows)
        columns = max((len(row) for row in rows), default=0)
        width = min(_MAX_WIDTH, max(_MIN_WIDTH, _MARGINS + columns * _COLUMN_WIDTH))
        title = Paragraph(sheet.title, 11.0, bold=True)
        pages.append(OfficePage(width, _HEIGHT, (title, Table(tuple(rows))) if rows else ()))
    return pages or [OfficePage(_MIN_WIDTH, _HEIGHT)]


def _rows(sheet: Worksheet, limit: int) -> list[tuple[str, ...]]:
    """Rows down to the last one with a value, cut to the columns that have one."""
    cells = sheet._cells  # pyright: ignore[reportPrivateUsage] - the cells that exist; the sheet's own bounds count formatted emptiness
    shown = {place: text for place, cell in cells.items() if (text := _shown(cell))}
    if not shown:
        return []
    first_row, last_row = min(r for r, _ in shown), max(r for r, _ in shown)
    first, last = min(c for _, c in shown), max(c for _, c in shown)
    used = sorted({r for r, _ in shown})
    rows = range(first_row, last_row + 1) if last_row - first_row < 3 * len(used) else used
    found: list[tuple[str, ...]] = []
    for row in rows:
        limit -= last - first + 1
        if limit < 0:
            break
        found.append(tuple(shown.get((row, column), "") for column in range(first, last + 1)))
    return found


def _shown(cell: Cell | MergedCell) -> str:
    value, pattern = cell.value, str(cell.number_format or "General")
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return _number(value, pattern)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return _date(value, pattern)
    return str(value).strip()


def _number(value: float, pattern: str) -> str:
    pattern = pattern.split(";")[0]
    if pattern == "General" or pattern == "@":
        return f"{value:.10g}" if isinstance(value, float) else str(value)
    percent = "%" in pattern
    decimals = re.search(r"[0#]\.(0+)", pattern)
    places = len(decimals[1]) if decimals else 0
    text = f"{value * 100 if percent else value:{',' if ',' in pattern else ''}.{places}f}"
    symbol = _SYMBOL.search(pattern)
    if symbol is not None:
        sign = symbol[1] or symbol[2] or ""
        before = symbol.start() < (pattern.find("0") if "0" in pattern else pattern.find("#"))
        text = f"{sign}{text}" if before else f"{text} {sign}"
    return f"{text}%" if percent else text


def _date(value: datetime.datetime | datetime.date | datetime.time, pattern: str) -> str:
    if isinstance(value, datetime.time):
        return value.isoformat(timespec="minutes")
    clean = re.sub(r"\[[^\]]*\]|\\|\"", "", pattern.split(";")[0]).lower()
    if "y" not in clean or "d" not in clean:
        return value.strftime("%Y-%m-%d %H:%M") if isinstance(value, datetime.datetime) else value.isoformat()
    return "".join(_date_part(part, value) for part in _date_tokens(clean)).strip()


def _date_tokens(pattern: str) -> Iterator[str]:
    yield from re.findall(r"y+|m+|d+|h+|s+|am/pm|.", pattern)


def _date_part(token: str, value: datetime.datetime | datetime.date) -> str:
    hours = value.hour if isinstance(value, datetime.datetime) else 0
    seconds = value.second if isinstance(value, datetime.datetime) else 0
    shown = {
        "yyyy": f"{value.year:04}",
        "yy": f"{value.year % 100:02}",
        "mmmm": value.strftime("%B"),
        "mmm": value.strftime("%b"),
        "mm": f"{value.month:02}",
        "m": str(value.month),
        "dddd": value.strftime("%A"),
        "ddd": value.strftime("%a"),
        "dd": f"{value.day:02}",
        "d": str(value.day),
        "hh": f"{hours:02}",
        "h": str(hours),
        "ss": f"{seconds:02}",
        "am/pm": "AM" if hours < 12 else "PM",
    }
    return shown.get(token, token)
