"""The formats of exports and their options; loads none of the libraries that write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from service.domain.errors import ErrorCode, InputError


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


class ExportFormat(StrEnum):
    """Formats; the name is also the ending of the file."""

    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    XLSX = "xlsx"
    PARQUET = "parquet"

    @property
    def media_type(self) -> str:
        """For Content-Type."""
        return MEDIA_TYPES[self]

    @property
    def one_table(self) -> bool:
        """Whether a file of it holds one table alone."""
        return self in (ExportFormat.CSV, ExportFormat.PARQUET)


MEDIA_TYPES: Mapping[ExportFormat, str] = {
    ExportFormat.JSON: "application/json",
    ExportFormat.JSONL: "application/jsonl",
    ExportFormat.CSV: "text/csv; charset=utf-8; header=present",
    ExportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ExportFormat.PARQUET: "application/vnd.apache.parquet",
}
_DIALECT = CsvDialect()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What is wanted."""

    format: ExportFormat = ExportFormat.JSON
    table: str | None = None
    """Path of a table, `/lines`; empty: of the records. None: all that the format holds."""
    dialect: CsvDialect = _DIALECT
    review_url: str | None = None
    """Address of the job in the review screen, to which a workbook leads; None: it has no links."""
