"""`fieldmark export`: approved records as files, each handed to a receiver once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated

import typer

from service.cli.export_flags import CsvFlags, TableFlag
from service.cli.flag_groups import HomeFlag, grouped
from service.cli.session import counted, load_settings, open_services, quieter, say, start_logging, write_out
from service.cli.whole_file import whole_file
from service.domain.export import Release
from service.exports.formats import ExportFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFlags:
    """Which records."""

    schema: Annotated[str, typer.Option("--schema", help="Name of the schema.")]
    approved: Annotated[
        bool,
        typer.Option("--approved/--passed", help="Approved records alone, or those too that nobody needs to look at."),
    ] = True
    since_last: Annotated[
        bool, typer.Option("--since-last/--all", help="What this receiver was not given yet, or everything.")
    ] = True
    receiver: Annotated[str, typer.Option("--to", help="Who keeps books of its own.")] = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFlags:
    """What is written."""

    out: Annotated[Path, typer.Option("--out", help="Folder for the files.", file_okay=False)]
    kind: Annotated[ExportFormat, typer.Option("--format", help="Format of the files.")] = ExportFormat.CSV
    table: TableFlag = None
    csv: CsvFlags


@grouped
def export(records: RecordFlags, files: FileFlags, home: HomeFlag = None) -> None:
    """Write records to files; with --since-last each goes to a receiver once, and again only when it was changed."""
    from service.auth.callers import LOCAL_TENANT, LOCAL_USER  # the help text needs none of these
    from service.jobs.control.collect import ReleasedRecords, collect_export, collect_released
    from service.jobs.results.hand_over import NewExport, confirm_export, hand_over

    options = files.csv.options(files.kind, table=files.table)
    settings = load_settings(home)
    start_logging(quieter(settings), "export")
    files.out.mkdir(parents=True, exist_ok=True)
    schema, receiver = records.schema, records.receiver
    release = Release.APPROVED if records.approved else Release.PASSED
    handed = 0
    with open_services(settings) as services:
        if not records.since_last:
            released = ReleasedRecords(tenant_id=LOCAL_TENANT, schema_name=schema, release=release)
            _write(
                files.out / f"{schema}.{files.kind}", lambda file: collect_released(services, released, file, options)
            )
            return
        new = NewExport(schema_name=schema, release=release, receiver=receiver, created_by=LOCAL_USER)
        while (view := hand_over(services, LOCAL_TENANT, new)) is not None:
            found = view.export
            path = files.out / f"{found.id}.{files.kind}"
            _write(path, lambda file, found=found: collect_export(services, found, file, options))
            confirm_export(services, LOCAL_TENANT, found.id)
            handed += view.jobs
    say(f"Records of {counted(handed, 'job')} for {receiver!r}." if handed else f"Nothing is new for {receiver!r}.")


def _write(path: Path, fill: Callable[[IO[bytes]], None]) -> None:
    """What is confirmed afterwards has reached the disk."""
    with whole_file(path) as file:
        fill(file)
    write_out(str(path).encode())
