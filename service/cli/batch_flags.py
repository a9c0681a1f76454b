"""The flags of `fieldmark batch`, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from service.cli.batch_find import Selection, read_only_list
from service.cli.batch_limits import Limits, StopRule
from service.cli.batch_plan import BatchPlan, Outputs, RerunIf
from service.cli.desk import Order
from service.cli.export_flags import export_options
from service.domain.budget import Budget
from service.domain.jobs import Priority
from service.exports.formats import ExportFormat, Separator

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
    float | None,
    typer.Option("--budget", min=0.0, help="Stop once so much is spent, by the price table.", show_default=False),
]
MostTokensFlag = Annotated[
    int | None, typer.Option("--max-tokens", min=1, help="Stop once so many tokens are used.", show_default=False)
]
OpinionFlag = Annotated[
    bool | None,
    typer.Option("--second-opinion/--no-second-opinion", help="Ask the embedded model too.", show_default=False),
]
NoCacheFlag = Annotated[bool, typer.Option("--no-cache", help="Ask the model even if the answer is known.")]
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


class CsvFlags(NamedTuple):
    """How CSV is written."""

    separator: Separator | None
    decimal_comma: bool
    bom: bool


class MoveFlags(NamedTuple):
    """Where files go once they are done with."""

    done_dir: Path | None
    failed_dir: Path | None


class Draw(NamedTuple):
    """How many files are drawn, and from which seed."""

    sample: int | None
    seed: int


class RepeatFlags(NamedTuple):
    """What is done again, and how long the batch goes on."""

    is_only: bool
    rerun_if: Sequence[RerunIf] | None
    passwords: Path | None
    watch_s: float | None


def selection_of(include: Sequence[str], exclude: Sequence[str], only: Path | None, draw: Draw) -> Selection:
    """Which files are meant.

    Raises:
        InputError: `invalid_option`, `only` is no such list.
    """
    paths = None if only is None else read_only_list(only)
    return Selection(include=tuple(include), exclude=tuple(exclude), only=paths, sample=draw.sample, seed=draw.seed)


def outputs_of(
    out: Path, kind: ExportFormat | None, tables: Sequence[ExportFormat] | None, csv: CsvFlags, move: MoveFlags
) -> Outputs:
    """What is written, and what becomes of files.

    Raises:
        InputError: `invalid_option`, flags of CSV where none is written, or ones that cannot be together.
    """
    in_tables = tuple(dict.fromkeys(tables or [ExportFormat.CSV]))
    written = export_options(
        kind or ExportFormat.JSON,
        separator=csv.separator,
        decimal_comma=csv.decimal_comma,
        bom=csv.bom,
        also_csv=ExportFormat.CSV in in_tables,
    )
    return Outputs(
        out=out,
        written=written,
        tables=in_tables,
        dialect=written.dialect,
        done_dir=move.done_dir,
        failed_dir=move.failed_dir,
    )


def limits_of(stop_after_failures: str | None, budget: float | None, max_tokens: int | None) -> Limits:
    """When the batch stops by itself.

    Raises:
        InputError: `invalid_option`, the first is neither a share nor a number.
    """
    failures = StopRule() if stop_after_failures is None else StopRule.parse(stop_after_failures)
    return Limits(failures=failures, cost=budget, tokens=max_tokens)


def plan_of(
    order: Order, selection: Selection, outputs: Outputs, limits: Limits, *, jobs: int, repeat: RepeatFlags
) -> BatchPlan:
    """All of it; what `--only` names is done again."""
    rerun = frozenset(repeat.rerun_if or ()) | (frozenset({RerunIf.FAILED}) if repeat.is_only else frozenset())
    return BatchPlan(
        folder=order.path,
        selection=selection,
        # No file may cost more than all may: so a model without a price is refused at the first one.
        order=replace(order, priority=Priority.BULK, budget=Budget(max_cost=limits.cost, max_tokens=limits.tokens)),
        outputs=outputs,
        jobs=jobs,
        rerun=rerun,
        limits=limits,
        passwords=repeat.passwords,
        watch_s=repeat.watch_s,
    )
