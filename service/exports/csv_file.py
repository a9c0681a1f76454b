"""Tables as CSV (RFC 4180): numbers in one plain form, dates as ISO 8601, text that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

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


def write_csv(table: Table, dialect: CsvDialect) -> bytes:
    """A table with its header line, as UTF-8."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=dialect.separator.character, lineterminator="\r\n")
    writer.writerow([inert_text(column.name) for column in table.columns])
    for row in table.rows:
        writer.writerow([_text(cell.value, dialect) for cell in row])
    return text.getvalue().encode("utf-8-sig" if dialect.bom else "utf-8")


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
