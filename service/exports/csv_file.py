"""Tables as CSV (RFC 4180): numbers in one plain form, dates as ISO 8601, text that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import IO

import regex

from service.domain.records import Scalar
from service.exports.formats import CsvDialect
from service.exports.tables import Table

_LIVE = regex.compile(r"'*\s*[=+\-@＝＋－＠\t\r\n]")
"""Beginnings that a spreadsheet takes for a formula, also behind apostrophes, so that taking one away is exact.

Source: https://owasp.org/www-community/attacks/CSV_Injection, read 2026-11-30.
"""
_MOST_PLAIN = 1e21
"""Numbers from here on are written with an exponent."""


class CsvFile:
    """A CSV that grows by rows of one table; UTF-8, its header line first."""

    def __init__(self, out: IO[bytes], dialect: CsvDialect) -> None:
        self._out = out
        self._dialect = dialect
        self._begun = False

    def add(self, table: Table) -> None:
        """Append the rows of a table that has the columns of those before it."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self._dialect.separator.character, lineterminator="\r\n")
        if not self._begun:
            writer.writerow([inert_text(column.name) for column in table.columns])
        for row in table.rows:
            writer.writerow([_text(cell.value, self._dialect) for cell in row])
        encoding = "utf-8-sig" if self._dialect.bom and not self._begun else "utf-8"
        self._begun = True
        self._out.write(text.getvalue().encode(encoding))


def write_csv(table: Table, dialect: CsvDialect) -> bytes:
    """A table as one file."""
    out = io.BytesIO()
    CsvFile(out, dialect).add(table)
    return out.getvalue()


def inert_text(text: str) -> str:
    """Text that would run as a formula with an apostrophe before it; any other as it is."""
    return f"'{text}" if _LIVE.match(text) else text


def _text(value: Scalar, dialect: CsvDialect) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return inert_text(value)
    plain = _number(value)
    return plain.replace(".", ",") if dialect.decimal_comma else plain


def _number(value: int | float) -> str:
    if isinstance(value, int) or abs(value) >= _MOST_PLAIN:
        return repr(value)
    return format(Decimal(repr(value)), "f")
