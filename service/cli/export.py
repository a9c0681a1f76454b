"""`fieldmark export`: approved records as files, each handed to a receiver once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Annotated

import typer

from service.cli.export_flags import BomFlag, DecimalCommaFlag, SeparatorFlag, export_options
from service.cli.session import load_settings, open_services, quieter, say, start_logging, write_out
from service.domain.export import Release
from service.exports.formats import ExportFormat

ApprovedFlag = Annotated[
    bool,
    typer.Option("--approved/--passed", help="Approved records alone, or those too that nobody needs to look at."),
]
SinceLastFlag = Annotated[
    bool, typer.Option("--since-last/--all", help="What this receiver was not given yet, or everything.")
]


def export(  # noqa: PLR0913 - a parameter is a flag
    schema: Annotated[str, typer.Option("--schema", help="Name of the schema.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the files.", file_okay=False)],
    kind: Annotated[ExportFormat, typer.Option("--format", help="Format of the files.")] = ExportFormat.CSV,
    table: Annotated[str | None, typer.Option(help="Path of an array, such as `/lines`; else the records.")] = None,
    approved: ApprovedFlag = True,
    since_last: SinceLastFlag = True,
    receiver: Annotated[str, typer.Option("--to", help="Who keeps books of its own.")] = "default",
    separator: SeparatorFlag = None,
    decimal_comma: DecimalCommaFlag = False,
    bom: BomFlag = False,
    home: Annotated[Path | None, typer.Option(help="Folder that holds all state.")] = None,
) -> None:
    """Write records to files; with --since-last each goes to a receiver once, and again only when it was changed."""
    from service.auth.callers import LOCAL_TENANT, LOCAL_USER  # the help text needs none of these
    from service.jobs.collect import ReleasedRecords, collect_export, collect_released
    from service.jobs.hand_over import NewExport, confirm_export, hand_over

    options = export_options(kind, table=table, separator=separator, decimal_comma=decimal_comma, bom=bom)
    settings = load_settings(home)
    start_logging(quieter(settings), "export")
    out.mkdir(parents=True, exist_ok=True)
    release = Release.APPROVED if approved else Release.PASSED
    with open_services(settings) as services:
        if not since_last:
            released = ReleasedRecords(tenant_id=LOCAL_TENANT, schema_name=schema, release=release)
            _write(out / f"{schema}.{kind}", lambda file: collect_released(services, released, file, options))
            return
        new = NewExport(schema_name=schema, release=release, receiver=receiver, created_by=LOCAL_USER)
        while (view := hand_over(services, LOCAL_TENANT, new)) is not None:
            found = view.export
            _write(out / f"{found.id}.{kind}", lambda file, found=found: collect_export(services, found, file, options))
            confirm_export(services, LOCAL_TENANT, found.id)
            say(f"{view.jobs} jobs for {receiver!r}.")
    say("Nothing else is new.")


def _write(path: Path, fill: Callable[[IO[bytes]], None]) -> None:
    """A file that is there whole or not at all: what is confirmed has reached the disk."""
    temporary = path.with_name(f".{path.name}.part")
    with temporary.open("wb") as file:
        fill(file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    write_out(str(path).encode())
