"""`fieldmark extract`: one file, one record, now."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from service.cli.exit_codes import ExitCode, exit_code_of
from service.cli.export_flags import CsvFlags, FormatFlag, TableFlag
from service.cli.flag_groups import HomeFlag, grouped
from service.cli.order_flags import OrderFlags
from service.cli.session import load_settings, make_console, quieter, say, start_logging, write_out
from service.cli.whole_file import whole_file
from service.domain.errors import ErrorCode, InputError
from service.exports.formats import ExportFormat, ExportOptions

if TYPE_CHECKING:
    from service.cli.desk.base import Desk, JobView, Order
    from service.domain.records import JsonObject
    from service.exports.schema_set import SchemaSet
    from service.settings import Settings

_LOOK_S = (0.01, 0.02, 0.05, 0.1, 0.2)
_PENDING = "waiting"
_BINARY = (ExportFormat.XLSX, ExportFormat.PARQUET)


_FileArgument = Annotated[
    Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="PDF, picture or office file.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFlags:
    """How the file is worked on."""

    password: Annotated[
        str | None, typer.Option(envvar="FIELDMARK_PASSWORD", help="Opens an encrypted file.", show_default=False)
    ] = None
    pages_per_chunk: Annotated[int | None, typer.Option(min=1, help="Pages of one model request.")] = None
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Most tokens it may use.")] = None
    max_requests: Annotated[int | None, typer.Option(min=1, help="Most model requests it may send.")] = None
    max_cost: Annotated[float | None, typer.Option(min=0.0, help="Most it may cost, by the price table.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFlags:
    """What is written."""

    as_json: Annotated[bool, typer.Option("--json", help="JSON even in a terminal.")] = False
    kind: FormatFlag = None
    table: TableFlag = None
    out: Annotated[Path | None, typer.Option("--out", dir_okay=False, help="File to write to.")] = None
    csv: CsvFlags

    def options(self) -> ExportOptions | None:
        """What is to be written, refused before any work is done if it cannot be; None: no file is asked for.

        Raises:
            InputError: `invalid_option`.
        """
        if self.kind is None and self.table is None and self.out is None and self.csv == CsvFlags():
            return None
        kind = self.kind or self._kind_of_ending()
        if self.out is None and kind in _BINARY and sys.stdout.isatty():
            raise InputError(
                ErrorCode.INVALID_OPTION, f"{kind} is not for a terminal: name a file with --out.", param="out"
            )
        return self.csv.options(kind, table=self.table)

    def _kind_of_ending(self) -> ExportFormat:
        ending = self.out.suffix.removeprefix(".").lower() if self.out else ""
        if ending not in [*ExportFormat]:
            raise InputError(ErrorCode.INVALID_OPTION, "Say in which --format the file is wanted.", param="format")
        return ExportFormat(ending)


@grouped
def extract(
    file: _FileArgument, wanted: OrderFlags, source: SourceFlags, shown: ShownFlags, home: HomeFlag = None
) -> None:
    """Turn one file into a record: a table in a terminal, JSON in a pipe, or a file for other programs.

    Works in this process, without Redis; if `fieldmark serve` owns the home, it does the work.
    """
    options = shown.options()
    settings = load_settings(home)
    start_logging(quieter(settings), "extract")
    from service.domain.budget import Budget  # the help text needs neither
    from service.domain.steps import Priority

    order = replace(
        wanted.order(file),
        pages_per_chunk=source.pages_per_chunk,
        priority=Priority.HIGH,  # a person waits
        budget=Budget(max_tokens=source.max_tokens, max_requests=source.max_requests, max_cost=source.max_cost),
        password=source.password,
    )
    view, result, schemas_used = _work(settings, order, options)
    if options is not None:
        _write_file(result, schemas_used, options, shown.out)
    else:
        _show(result, as_json=shown.as_json or not sys.stdout.isatty())
    _end(view)


def _end(view: JobView) -> NoReturn:
    """Exit with the code of how it went, and a word of what went wrong."""
    code = exit_code_of(view.status, view.fault_code)
    if code not in (ExitCode.OK, ExitCode.PARTIAL):
        say(f"{view.status}: {view.fault_message or 'the job ended without a result'} [{view.fault_code}]")
    raise typer.Exit(int(code))


def _work(settings: Settings, order: Order, wanted: ExportOptions | None) -> tuple[JobView, JsonObject, SchemaSet]:
    """Hand a file in and wait for its result; a table that cannot be is refused before."""
    from service.cli.desk.base import with_schema
    from service.cli.desk.opening import open_desk

    desk = open_desk(settings)
    try:
        order = with_schema(desk, order)
        if wanted is not None and wanted.table is not None:
            from service.exports.files import check_table

            check_table(wanted.table, order.schema_set())
        job_id = desk.submit(order)
        return _follow(desk, job_id), desk.result(job_id), order.schema_set()
    finally:
        desk.close()


def _write_file(result: JsonObject, schemas: SchemaSet, wanted: ExportOptions, out: Path | None) -> None:
    from service.exports.files import export_result  # the help text needs it not

    content = export_result(result, schemas, wanted).content
    if out is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with whole_file(out) as file:
        file.write(content)


def _follow(desk: Desk, job_id: str) -> JobView:
    """Wait for the end of a job, with a line of progress in a terminal; Ctrl-C cancels it."""
    shown = sys.stderr.isatty()
    turn = 0
    try:
        while True:
            view = desk.look(job_id)
            if shown:
                sys.stderr.write(f"\r\x1b[2K{_progress(view)}")
                sys.stderr.flush()
            if view.status.is_terminal:
                return view
            time.sleep(_LOOK_S[min(turn // 4, len(_LOOK_S) - 1)])
            turn += 1
    except KeyboardInterrupt:
        desk.cancel(job_id)
        raise
    finally:
        if shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def _progress(view: JobView) -> str:
    pages = f"page {view.pages_read} of {view.pages_total}" if view.pages_total else _PENDING
    splits = f" · request {view.splits_done} of {view.splits_total}" if view.splits_total > 1 else ""
    return f"{view.status}: {pages}{splits}"


def _show(result: JsonObject, *, as_json: bool) -> None:
    if as_json:
        import orjson  # a table needs it not

        indent = orjson.OPT_INDENT_2 if sys.stdout.isatty() else 0
        write_out(orjson.dumps(result, option=indent))
        return
    from service.cli.result_table import print_result

    print_result(result, make_console())
