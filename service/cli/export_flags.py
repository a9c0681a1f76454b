"""The flags that say in which format results are written, the same for every command that writes some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from service.domain.errors import ErrorCode, InputError
from service.exports.formats import CsvDialect, ExportFormat, ExportOptions, Separator

FormatFlag = Annotated[
    ExportFormat | None, typer.Option("--format", help="Format of results; docs/exports.md.", show_default=False)
]
TableFlag = Annotated[
    str | None,
    typer.Option("--table", help="Path of an array, such as /lines; without it the records.", show_default=False),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvFlags:
    """How CSV is written."""

    separator: Annotated[
        Separator | None, typer.Option("--separator", help="Between cells of CSV.", show_default=False)
    ] = None
    decimal_comma: Annotated[bool, typer.Option("--decimal-comma", help="Decimal commas in CSV.")] = False
    bom: Annotated[bool, typer.Option("--bom", help="Begin CSV with a byte order mark, for Excel.")] = False

    def options(self, kind: ExportFormat, *, table: str | None = None, also_csv: bool = False) -> ExportOptions:
        """What the flags say.

        Args:
            kind: the format of results.
            table: its one table.
            also_csv: whether CSV is written beside that format.

        Raises:
            InputError: `invalid_option`, flags of CSV for another format, or ones that cannot be together.
        """
        if kind is not ExportFormat.CSV and not also_csv and self != _NO_FLAGS:
            raise InputError(
                ErrorCode.INVALID_OPTION,
                "--separator, --decimal-comma and --bom are for --format csv alone.",
                param="format",
            )
        usual = Separator.SEMICOLON if self.decimal_comma else Separator.COMMA
        dialect = CsvDialect(separator=self.separator or usual, decimal_comma=self.decimal_comma, bom=self.bom)
        return ExportOptions(format=kind, table=table, dialect=dialect)


_NO_FLAGS = CsvFlags()
