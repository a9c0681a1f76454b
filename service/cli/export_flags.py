"""The flags that say in which format results are written, the same for every command that writes some."""

from __future__ import annotations

from typing import Annotated

import typer

from service.domain.errors import ErrorCode, InputError
from service.exports.formats import CsvDialect, ExportFormat, ExportOptions, Separator

FormatFlag = Annotated[
    ExportFormat | None, typer.Option("--format", help="Format of results; docs/exports.md.", show_default=False)
]
SeparatorFlag = Annotated[
    Separator | None, typer.Option("--separator", help="Between cells of CSV.", show_default=False)
]
DecimalCommaFlag = Annotated[bool, typer.Option("--decimal-comma", help="Decimal commas in CSV.")]
BomFlag = Annotated[bool, typer.Option("--bom", help="Begin CSV with a byte order mark, for Excel.")]


def export_options(
    kind: ExportFormat,
    *,
    table: str | None = None,
    separator: Separator | None,
    decimal_comma: bool,
    bom: bool,
    also_csv: bool = False,
) -> ExportOptions:
    """What the flags say.

    Args:
        kind: the format of results.
        table: its one table.
        separator: between cells of CSV.
        decimal_comma: in CSV.
        bom: of CSV.
        also_csv: whether CSV is written beside that format.

    Raises:
        InputError: `invalid_option`, flags of CSV for another format, or ones that cannot be together.
    """
    if kind is not ExportFormat.CSV and not also_csv and (separator is not None or decimal_comma or bom):
        raise InputError(
            ErrorCode.INVALID_OPTION,
            "--separator, --decimal-comma and --bom are for --format csv alone.",
            param="format",
        )
    usual = Separator.SEMICOLON if decimal_comma else Separator.COMMA
    dialect = CsvDialect(separator=separator or usual, decimal_comma=decimal_comma, bom=bom)
    return ExportOptions(format=kind, table=table, dialect=dialect)
