"""The flags of `fieldmark batch`, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from service.cli.batch.find import Selection, read_only_list
from service.cli.batch.limits import Limits, StopRule
from service.cli.batch.plan import BatchPlan, Outputs, RerunIf
from service.cli.export_flags import CsvFlags, FormatFlag
from service.cli.order_flags import OrderFlags
from service.domain.budget import Budget
from service.domain.steps import Priority
from service.exports.formats import ExportFormat

FolderArgument = Annotated[
    str, typer.Argument(metavar="FOLDER", help="Folder, searched to its depth; or a pattern such as 'in/**/*.pdf'.")
]
OutFlag = Annotated[Path, typer.Option("--out", file_okay=False, help="Folder for the results.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFlags:
    """Which files."""

    include: Annotated[
        list[str] | None,
        typer.Option("--include", help="Only files that fit: '*.pdf', '2026/**'. May be given again."),
    ] = None
    exclude: Annotated[list[str] | None, typer.Option("--exclude", help="Leave out files that fit.")] = None
    only: Annotated[
        Path | None,
        typer.Option("--only", exists=True, dir_okay=False, help="Only the files of a failures.csv, again."),
    ] = None
    sample: Annotated[int | None, typer.Option("--sample", min=1, help="Only so many files, drawn by --seed.")] = None
    seed: Annotated[int, typer.Option("--seed", help="Of --sample and --dry-run.")] = 0
    passwords: Annotated[
        Path | None,
        typer.Option("--passwords", exists=True, dir_okay=False, help="File of passwords, one a line."),
    ] = None

    def selection(self, patterns: Sequence[str]) -> Selection:
        """Which files are meant.

        Raises:
            InputError: `invalid_option`, `--only` is no such list.
        """
        return Selection(
            include=(*patterns, *(self.include or ())),
            exclude=tuple(self.exclude or ()),
            only=None if self.only is None else read_only_list(self.only),
            sample=self.sample,
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceFlags:
    """How it runs."""

    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what there is to do, how long it takes and what it costs.")
    ] = False
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=1000, help="Files in work at once.")] = 8
    rerun_if: Annotated[
        list[RerunIf] | None,
        typer.Option("--rerun-if", help="Do finished work again where this is so. May be given again."),
    ] = None
    watch: Annotated[bool, typer.Option("--watch", help="Go on looking for new files until Ctrl-C.")] = False
    every: Annotated[float, typer.Option("--every", min=0.1, help="Seconds between two looks of --watch.")] = 2.0
    server: Annotated[str | None, typer.Option("--server", help="URL of a service that does the work.")] = None
    api_key: Annotated[
        str | None, typer.Option("--api-key", help="Key for that service.", show_default="FIELDMARK_API_KEY")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitFlags:
    """When it stops by itself."""

    stop_after_failures: Annotated[
        str | None, typer.Option("--stop-after-failures", help="Stop once more fail: 5% or 20.")
    ] = None
    budget: Annotated[
        float | None, typer.Option("--budget", min=0.0, help="Stop once so much is spent, by the price table.")
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Stop once so many tokens are used.")
    ] = None

    def limits(self) -> Limits:
        """What they say.

        Raises:
            InputError: `invalid_option`, the first is neither a share nor a number.
        """
        failures = StopRule() if self.stop_after_failures is None else StopRule.parse(self.stop_after_failures)
        return Limits(failures=failures, cost=self.budget, tokens=self.max_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFlags:
    """What is written."""

    kind: FormatFlag = None
    tables: Annotated[
        list[ExportFormat] | None,
        typer.Option("--tables", help="Format of the tables over all results; may be given again.", show_default="csv"),
    ] = None
    done_dir: Annotated[
        Path | None, typer.Option("--done-dir", file_okay=False, help="Move files there once done.")
    ] = None
    failed_dir: Annotated[
        Path | None, typer.Option("--failed-dir", file_okay=False, help="Move failed files there, the reason beside.")
    ] = None
    csv: CsvFlags

    def outputs(self, out: Path) -> Outputs:
        """What is written, and what becomes of files.

        Raises:
            InputError: `invalid_option`, flags of CSV where none is written, or ones that cannot be together.
        """
        in_tables = tuple(dict.fromkeys(self.tables or [ExportFormat.CSV]))
        written = self.csv.options(self.kind or ExportFormat.JSON, also_csv=ExportFormat.CSV in in_tables)
        return Outputs(
            out=out,
            written=written,
            tables=in_tables,
            dialect=written.dialect,
            done_dir=self.done_dir,
            failed_dir=self.failed_dir,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFlags:
    """All of them."""

    wanted: OrderFlags
    files: FileFlags
    pace: PaceFlags
    limits: LimitFlags
    output: OutputFlags

    def plan(self, folder: Path, patterns: Sequence[str], out: Path) -> BatchPlan:
        """What the batch is told; what `--only` names is done again.

        Raises:
            InputError: `invalid_option` or `invalid_schema`, as each of the groups says.
        """
        limits = self.limits.limits()
        again = {RerunIf.FAILED} if self.files.only is not None else set[RerunIf]()
        # No file may cost more than all may: so a model without a price is refused at the first one.
        budget = Budget(max_cost=limits.cost, max_tokens=limits.tokens)
        return BatchPlan(
            folder=folder,
            order=replace(self.wanted.order(folder), priority=Priority.BULK, budget=budget),
            selection=self.files.selection(patterns),
            outputs=self.output.outputs(out),
            jobs=self.pace.jobs,
            rerun=frozenset({*(self.pace.rerun_if or ()), *again}),
            limits=limits,
            passwords=self.files.passwords,
            watch_s=self.pace.every if self.pace.watch else None,
        )
