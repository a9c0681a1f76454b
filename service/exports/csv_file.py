"""Tables as CSV (RFC 4180): numbers in one plain form, dates as ISO 8601, text that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

import regex

from service.domain.errors import ErrorCode, InputError
from service.domain.records import Scalar
from service.exports.tables import Table

_LIVE = regex.compile(r"'*\s*[=+\-@＝＋－＠\t\r\n]")
"""Beginnings that a spreadsheet takes for a formula, also behind apostrophes, so that taking one away is exact.

Source: https://owasp.org/www-community/attacks/CSV_Injection, read 2026-11-30.
"""
_MOST_PLAIN = 1e21
"""Numbers from here on are written with an exponent."""


class Separator(StrEnum):
    """What stands between cells, by its name in options."""

    COMMA = "comma"
    SEMICOLON = "semicolon"
    TAB = "tab"
    PIPE = "pipe"

    @property
    def character(self) -> str:
        """The separator itself."""
        return {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}[self.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvDialect:
    """How a CSV is written.

    Raises:
        InputError: `invalid_option`, decimal commas between commas.
    """

    separator: Separator = Separator.COMMA
    decimal_comma: bool = False
    bom: bool = False
    """Whether it begins with a byte order mark, by which Excel knows UTF-8."""

    def __post_init__(self) -> None:
        if self.decimal_comma and self.separator is Separator.COMMA:
            raise InputError(
                ErrorCode.INVALID_OPTION,
                "Decimal commas need another separator than the comma: semicolon, tab or pipe.",
                param="separator",
            )


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
