"""`fieldmark evaluate`: how right a model is on documents whose truth is known."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service import __version__
from service.cli.exit_codes import ExitCode
from service.cli.flag_groups import HomeFlag, ModelFlag, grouped
from service.cli.session import load_settings, quieter, say, start_logging, write_out
from service.cli.whole_file import whole_file
from service.domain.errors import ErrorCode, InputError

if TYPE_CHECKING:
    from service.cli.desk.base import Desk
    from service.evaluation.difference import EarlierRun
    from service.evaluation.run import Run, SetReport
    from service.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFlags:
    """What comes of it."""

    json_file: Annotated[Path | None, typer.Option("--json", dir_okay=False, help="File for the run as JSON.")] = None
    html_file: Annotated[
        Path | None, typer.Option("--html", dir_okay=False, help="File for the run as a page, with the curve.")
    ] = None
    against: Annotated[
        Path | None,
        typer.Option("--against", exists=True, dir_okay=False, help="JSON of an earlier run: show what changed."),
    ] = None
    fail_below: Annotated[
        float | None,
        typer.Option("--fail-below", min=0.0, max=1.0, help="Exit code 11 if the F1 of a set is below."),
    ] = None


_SetsArgument = Annotated[
    list[Path] | None,
    typer.Argument(exists=True, file_okay=False, metavar="SET…", help="Folders, each with a truth.jsonl."),
]
_ReviewedFlag = Annotated[
    Path | None,
    typer.Option(file_okay=False, help="Folder for the documents that people approved: a set like the others."),
]
_JobsFlag = Annotated[int, typer.Option(min=1, max=1000, help="Files in work at once.")]


@grouped
def evaluate(
    report: ReportFlags,
    sets: _SetsArgument = None,
    reviewed: _ReviewedFlag = None,
    model: ModelFlag = None,
    jobs: _JobsFlag = 4,
    home: HomeFlag = None,
) -> None:
    """Measure a model on documents whose truth is known: per field, what was found, what was right, what to trust.

    Files go the way of `extract`; works with any model.
    """
    settings = load_settings(home)
    start_logging(quieter(settings), "evaluate")
    from service.cli.desk.opening import open_desk
    from service.cli.evaluate.reviewed import write_reviewed  # the help text needs none of these
    from service.evaluation.difference import read_run

    before = read_run(report.against) if report.against else None
    with ExitStack() as held:
        desk = open_desk(settings, workers=settings.cpu_workers)
        held.callback(desk.close)
        held.callback(_clear_line)
        given = list(sets or [])
        if reviewed is not None:
            write_reviewed(desk, reviewed)
            given.append(reviewed)
            desk = held.enter_context(_forgetful(settings))
        run = _run(_names(given), desk, model, jobs)
    _report(run, before, report)
    raise typer.Exit(int(_exit_code(run, report.fail_below)))


def _report(run: Run, before: EarlierRun | None, flags: ReportFlags) -> None:
    """Print the tables, and write the files that were asked for."""
    import orjson

    from service.evaluation.difference import changes_text, compare_runs
    from service.evaluation.page import run_html
    from service.evaluation.tables import run_text

    write_out(run_text(run).encode())
    if before is not None:
        write_out(b"\n" + changes_text(before, compare_runs(before, run)).encode())
    if flags.json_file is not None:
        _write(flags.json_file, orjson.dumps(run.to_json(), option=orjson.OPT_INDENT_2))
    if flags.html_file is not None:
        _write(flags.html_file, run_html(run).encode())


@contextmanager
def _forgetful(settings: Settings) -> Generator[Desk]:
    """A desk that remembers nothing of the documents it is measured on, in a home that is thrown away."""
    from service.cli.desk.local import LocalDesk

    with tempfile.TemporaryDirectory(prefix="fieldmark-") as home:
        fresh = settings.model_copy(update={"home": Path(home), "database_url": "", "blobs_url": ""})
        desk = LocalDesk(fresh, workers=settings.cpu_workers)
        try:
            yield desk
        finally:
            desk.close()


def _names(sets: Sequence[Path]) -> dict[str, Path]:
    """The sets by the name of their folder.

    Raises:
        InputError: `invalid_option`, there are none, or two have the same name.
    """
    if not sets:
        raise InputError(ErrorCode.INVALID_OPTION, "Name a folder with a truth.jsonl, or use --reviewed FOLDER.")
    names = {path.resolve().name: path for path in sets}
    if len(names) < len(sets):
        raise InputError(ErrorCode.INVALID_OPTION, "Two sets have the same name: each folder needs one of its own.")
    return names


def _run(sets: dict[str, Path], desk: Desk, model: str | None, jobs: int) -> Run:
    from service.cli.evaluate.run import answer_cases
    from service.evaluation.cases import load_cases
    from service.evaluation.run import Run, measure_set

    loaded = {name: load_cases(path) for name, path in sets.items()}  # a broken set is told before any work
    told = model or ""
    reports: list[SetReport] = []
    for name, cases in loaded.items():

        def report(ended: int, name: str = name, total: int = len(cases)) -> None:
            if sys.stderr.isatty():
                sys.stderr.write(f"\r\x1b[2K{name}: {ended} of {total}")
                sys.stderr.flush()

        started = time.perf_counter()
        answers = answer_cases(cases, desk, model=model, jobs=jobs, report=report)
        reports.append(measure_set(name, cases, answers, seconds=time.perf_counter() - started))
        told = next((a.extraction.model for a in answers if a.extraction and a.extraction.model), told)
    return Run(
        model=told,
        engine=__version__,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        sets=tuple(reports),
    )


def _clear_line() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)


def _exit_code(run: Run, fail_below: float | None) -> ExitCode:
    """Below what was asked for goes before documents without an answer."""
    if fail_below is not None:
        low = [(s.name, s.whole.total.f1) for s in run.sets if (s.whole.total.f1 or 0.0) < fail_below]
        for name, f1 in low:
            say(f"{name}: F1 {0.0 if f1 is None else f1:.3f} is below {fail_below:g}")
        if low:
            return ExitCode.BELOW
    return ExitCode.PARTIAL if any(s.whole.failed for s in run.sets) else ExitCode.OK
