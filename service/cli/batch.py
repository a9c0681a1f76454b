"""`fieldmark batch`: a folder of files to a folder of results, resumable."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.exit_codes import ExitCode
from service.cli.export_flags import BomFlag, DecimalCommaFlag, FormatFlag, SeparatorFlag, export_options
from service.cli.session import SchemaFlag, SchemasFlag, load_settings, order_of_flags, quieter, say, start_logging
from service.exports.formats import ExportFormat

if TYPE_CHECKING:
    from service.cli.batch_run import Tally

_MOST_CAUSES = 20


_SplitFlag = Annotated[
    bool, typer.Option("--split-documents", help="Files may hold several documents: a record for each.")
]


def batch(  # noqa: PLR0913 - a parameter is a flag
    folder: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="Folder with files, searched to its depth.")
    ],
    out: Annotated[Path, typer.Option(file_okay=False, help="Folder for the results.")],
    schema: SchemaFlag = None,
    schemas: SchemasFlag = None,
    model: Annotated[str | None, typer.Option(help="`provider` or `provider:model`.")] = None,
    split_documents: _SplitFlag = False,
    jobs: Annotated[int, typer.Option(min=1, max=1000, help="Files in work at once.")] = 4,
    kind: FormatFlag = None,
    separator: SeparatorFlag = None,
    decimal_comma: DecimalCommaFlag = False,
    bom: BomFlag = False,
    home: Annotated[Path | None, typer.Option(help="Folder that holds all state.")] = None,
) -> None:
    """Turn a folder of files into records; run it again, and it goes on where it was.

    Results lie under the names of their files. What is done is not done again, until file, schema or options change;
    what failed is tried again.
    """
    written = export_options(kind or ExportFormat.JSON, separator=separator, decimal_comma=decimal_comma, bom=bom)
    settings = load_settings(home)
    start_logging(quieter(settings), "batch")
    from service.cli.batch_ledger import Ledger  # the help text needs none of these
    from service.cli.batch_run import BatchPlan, run_batch
    from service.cli.desk import with_schema
    from service.cli.open_desk import open_desk
    from service.domain.jobs import Priority

    order = replace(
        order_of_flags(folder, schema, schemas),
        model=model,
        split_documents=split_documents,
        priority=Priority.LOW,
    )
    with Ledger(out) as ledger:
        desk = open_desk(settings, workers=settings.cpu_workers)
        try:
            order = with_schema(desk, order)
            plan = BatchPlan(folder=folder, out=out, home=settings.home, order=order, jobs=jobs, written=written)
            tally = run_batch(plan, desk, ledger, _report)
        finally:
            _clear_line()
            desk.close()
    _print_summary(tally)
    raise typer.Exit(int(ExitCode.PARTIAL if tally.failed or tally.partial else ExitCode.OK))


def _report(tally: Tally) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[2K{tally.ended} of {tally.found} files, {tally.failed} failed")
        sys.stderr.flush()


def _clear_line() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


def _print_summary(tally: Tally) -> None:
    say(
        f"{tally.found} files found = {tally.succeeded} succeeded + {tally.partial} partial + {tally.failed} failed "
        f"+ {tally.duplicate} duplicate + {tally.ignored} ignored ({tally.earlier} of them done earlier)"
    )
    for cause, count in tally.causes.most_common(_MOST_CAUSES):
        say(f"  {count} × {cause[0]}: {cause[1]} (such as {tally.examples[cause]})")
    if len(tally.causes) > _MOST_CAUSES:
        say(f"  and {len(tally.causes) - _MOST_CAUSES} further causes")
