"""Tables as an Excel workbook: a sheet a table, cells with types, values not to be trusted unseen on yellow."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO
from urllib.parse import quote

import regex
from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from service.exports.table_plan import RECORD_COLUMN, Column, ColumnKind
from service.exports.tables import Cell, Table, as_day, fits_double

MOST_ROWS = 1_048_575
"""Rows of a sheet, its header not counted; a longer table goes on in a further sheet."""
MOST_TEXT = 32_767
"""UTF-16 units of a cell. Source: Excel specifications and limits, support.microsoft.com, read 2026-11-30."""
_FIRST_DAY = dt.date(1900, 3, 1)
"""Excel counts a 29 February 1900 that never was: earlier days would be read as others."""
_LONGEST_SHEET_NAME = 31
_NOT_IN_SHEET_NAMES = regex.compile(r"[\[\]:*?/\\\p{C}]")
_YELLOW = "#FFF2CC"
_WIDEST = 40
_MOST_LINKS = 65_000
"""Of a sheet; Excel opens no more than 65,530."""
_LONGEST_POINTER = 500
_WIDTHS = {
    ColumnKind.TEXT: 28,
    ColumnKind.NUMBER: 14,
    ColumnKind.INTEGER: 12,
    ColumnKind.BOOLEAN: 10,
    ColumnKind.DATE: 12,
}


class XlsxFile:
    """A workbook that grows by the rows of its tables.

    Args:
        out: where it is written at its end.
        most_rows: of a sheet, its header not counted.
        small: whether it is small enough to be held in memory until then.
    """

    def __init__(self, out: IO[bytes], *, most_rows: int = MOST_ROWS, small: bool = False) -> None:
        plain = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
        self._book = Workbook(out, plain | ({"in_memory": True} if small else {"constant_memory": True}))
        self._styles = _Styles.of(self._book)
        self._most_rows = most_rows
        self._names: set[str] = set()
        self._sheets: dict[str, _Sheet] = {}

    def add(self, tables: Sequence[Table], *, review_url: str | None = None) -> None:
        """Append rows, each table's to its own sheet.

        Args:
            tables: those of one job, the same ones each time.
            review_url: of the job in the review screen: records and values that are low lead there. None: no links.
        """
        for table in tables:
            self._sheet_of(table)
            for row in table.rows:
                if self._sheets[table.path].rows == self._most_rows:
                    self._go_on(table)
                self._add_row(self._sheets[table.path], table.columns, row, review_url)

    def finish(self) -> None:
        """Write the file."""
        for sheet in self._sheets.values():
            sheet.end()
        self._book.close()

    def _sheet_of(self, table: Table) -> None:
        if table.path not in self._sheets:
            self._begin(table, part=0)

    def _go_on(self, table: Table) -> None:
        full = self._sheets[table.path]
        full.end()
        self._begin(table, part=full.part + 1)

    def _begin(self, table: Table, *, part: int) -> None:
        sheet = self._book.add_worksheet(_sheet_name(table.name, part, self._names))
        for number, column in enumerate(table.columns):
            sheet.set_column(number, number, max(_WIDTHS[column.kind], min(len(column.name) + 2, _WIDEST)))
        for number, column in enumerate(table.columns):
            sheet.write_string(0, number, _cut(column.name), self._styles.header)
        sheet.freeze_panes(1, 0)
        self._sheets[table.path] = _Sheet(sheet, len(table.columns), part)

    def _add_row(self, sheet: _Sheet, columns: Sequence[Column], row: Sequence[Cell], review_url: str | None) -> None:
        sheet.rows += 1
        for number, (column, cell) in enumerate(zip(columns, row, strict=True)):
            place = (sheet.rows, number)
            if review_url is not None and sheet.links < _MOST_LINKS and (cell.is_low or column.name == RECORD_COLUMN):
                sheet.links += 1
                sheet.sheet.write_url(*place, _link(review_url, cell), string="-")  # the value is written over it
            _write(sheet.sheet, place, column, cell, self._styles)


@dataclass(slots=True)
class _Sheet:
    """A sheet that is being filled."""

    sheet: Worksheet
    columns: int
    part: int
    """0-based number among the sheets of its table."""
    rows: int = 0
    links: int = 0

    def end(self) -> None:
        """Once it has its last row."""
        self.sheet.autofilter(0, 0, self.rows, self.columns - 1)


def write_xlsx(tables: Sequence[Table], *, review_url: str | None = None, most_rows: int = MOST_ROWS) -> bytes:
    """A workbook with every table of a job, as `XlsxFile` takes them."""
    out = io.BytesIO()
    file = XlsxFile(out, most_rows=most_rows, small=True)
    file.add(tables, review_url=review_url)
    file.finish()
    return out.getvalue()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Styles:
    """Formats by whether the value is low."""

    header: Format
    text: dict[bool, Format]
    """Marked as text, so that what looks like a formula stays text when somebody edits the cell."""
    day: dict[bool, Format]
    plain: dict[bool, Format]

    @classmethod
    def of(cls, book: Workbook) -> _Styles:
        def both(properties: dict[str, str | bool]) -> dict[bool, Format]:
            marked: dict[str, str | bool] = {**properties, "bg_color": _YELLOW}
            return {False: book.add_format(properties), True: book.add_format(marked)}

        return cls(
            header=book.add_format({"bold": True, "bottom": 1, "quote_prefix": True}),
            text=both({"quote_prefix": True}),
            day=both({"num_format": "yyyy-mm-dd"}),
            plain=both({}),
        )


def _link(review_url: str, cell: Cell) -> str:
    """Where a value stands in the review screen, or the record itself."""
    return review_url if not cell.pointer else f"{review_url}#{quote(cell.pointer[:_LONGEST_POINTER], safe='/~')}"


def _write(sheet: Worksheet, place: tuple[int, int], column: Column, cell: Cell, styles: _Styles) -> None:
    value = cell.value
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(*place, value, styles.plain[cell.is_low])
    elif isinstance(value, (int, float)) and fits_double(value):
        sheet.write_number(*place, value, styles.plain[cell.is_low])
    elif column.kind is ColumnKind.DATE and (day := as_day(str(value))) is not None and day >= _FIRST_DAY:
        sheet.write_datetime(*place, dt.datetime.combine(day, dt.time()), styles.day[cell.is_low])
    else:  # text, and integers with more digits than a cell can hold
        sheet.write_string(*place, _cut(str(value)), styles.text[cell.is_low])


def _cut(text: str) -> str:
    """Text as long as a cell takes; one that is cut says so."""
    if _length(text) <= MOST_TEXT:
        return text
    note = f"… [cut: {len(text)} characters in all]"
    return text[: (MOST_TEXT - len(note)) // 2] + note


def _length(text: str) -> int:
    """In UTF-16 units, as Excel counts."""
    return len(text.encode("utf-16-le")) // 2


def _sheet_name(name: str, part: int, taken: set[str]) -> str:
    """A name that Excel takes, no two alike whatever their case; further parts are numbered."""
    plain = _NOT_IN_SHEET_NAMES.sub("_", name).strip("' ") or "table"
    if plain.casefold() == "history":  # reserved by Excel
        plain += "_"
    number = part + 1
    while True:
        tail = f" ({number})" if number > 1 else ""
        candidate = plain
        while _length(candidate + tail) > _LONGEST_SHEET_NAME:
            candidate = candidate[:-1]
        chosen = candidate.rstrip("' ") + tail
        if chosen.casefold() not in taken:
            taken.add(chosen.casefold())
            return chosen
        number += 1
