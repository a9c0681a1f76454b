"""The flags of `fieldmark batch`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.batch_plan import RerunIf
from service.exports.formats import ExportFormat

FolderArgument = Annotated[
    str, typer.Argument(metavar="FOLDER", help="Folder, searched to its depth; or a pattern such as 'in/**/*.pdf'.")
]
OutFlag = Annotated[Path, typer.Option(file_okay=False, help="Folder for the results.")]
ModelFlag = Annotated[str | None, typer.Option(help="`provider` or `provider:model`.")]
SplitFlag = Annotated[
    bool, typer.Option("--split-documents", help="Files may hold several documents: a record for each.")
]
JobsFlag = Annotated[int, typer.Option(min=1, max=1000, help="Files in work at once.")]
TablesFlag = Annotated[
    list[ExportFormat] | None,
    typer.Option("--tables", help="Format of the tables over all results; may be given again.", show_default="csv"),
]
IncludeFlag = Annotated[
    list[str] | None,
    typer.Option("--include", help="Only files that fit: '*.pdf', '2026/**'. May be given again.", show_default=False),
]
ExcludeFlag = Annotated[
    list[str] | None, typer.Option("--exclude", help="Leave out files that fit.", show_default=False)
]
OnlyFlag = Annotated[
    Path | None,
    typer.Option(
        "--only", exists=True, dir_okay=False, help="Only the files of a failures.csv, again.", show_default=False
    ),
]
SampleFlag = Annotated[int | None, typer.Option("--sample", min=1, help="Only so many files, drawn by --seed.")]
SeedFlag = Annotated[int, typer.Option("--seed", help="Of --sample and --dry-run.")]
DryRunFlag = Annotated[
    bool, typer.Option("--dry-run", help="Only say what there is to do, how long it takes and what it costs.")
]
RerunFlag = Annotated[
    list[RerunIf] | None,
    typer.Option("--rerun-if", help="Do finished work again where this is so. May be given again.", show_default=False),
]
StopFlag = Annotated[
    str | None, typer.Option("--stop-after-failures", help="Stop once more fail: 5% or 20.", show_default=False)
]
BudgetFlag = Annotated[
    int | None, typer.Option("--budget", min=1, help="Stop once so many tokens are used.", show_default=False)
]
PasswordsFlag = Annotated[
    Path | None,
    typer.Option("--passwords", exists=True, dir_okay=False, help="File of passwords, one a line.", show_default=False),
]
WatchFlag = Annotated[bool, typer.Option("--watch", help="Go on looking for new files until Ctrl-C.")]
EveryFlag = Annotated[float, typer.Option("--every", min=0.1, help="Seconds between two looks of --watch.")]
DoneDirFlag = Annotated[
    Path | None, typer.Option("--done-dir", file_okay=False, help="Move files there once done.", show_default=False)
]
FailedDirFlag = Annotated[
    Path | None,
    typer.Option(
        "--failed-dir", file_okay=False, help="Move failed files there, the reason beside.", show_default=False
    ),
]
ServerFlag = Annotated[
    str | None, typer.Option("--server", help="URL of a service that does the work.", show_default=False)
]
ApiKeyFlag = Annotated[
    str | None,
    typer.Option("--api-key", help="Key for that service. [default: FIELDMARK_API_KEY]", show_default=False),
]
HomeFlag = Annotated[Path | None, typer.Option(help="Folder that holds all state.")]
