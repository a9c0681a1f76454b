"""`fieldmark extract`: one file, one record, now."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.exit_codes import ExitCode, exit_code_of
from service.cli.session import load_settings, make_console, quieter, read_schema, say, start_logging, write_out

if TYPE_CHECKING:
    from service.cli.desk import Desk, JobView
    from service.domain.records import JsonObject

_LOOK_S = (0.01, 0.02, 0.05, 0.1, 0.2)
_PENDING = "waiting"


def extract(  # noqa: PLR0913 - a parameter is a flag
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="PDF, picture or office file.")
    ],
    schema: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="JSON Schema of what is wanted.")],
    model: Annotated[str | None, typer.Option(help="`provider` or `provider:model`.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON even in a terminal.")] = False,
    split_documents: Annotated[
        bool, typer.Option("--split-documents", help="The file may hold several documents: a record for each.")
    ] = False,
    password: Annotated[
        str | None, typer.Option(envvar="FIELDMARK_PASSWORD", help="Opens an encrypted file.", show_default=False)
    ] = None,
    pages_per_chunk: Annotated[int | None, typer.Option(min=1, help="Pages of one model request.")] = None,
    home: Annotated[Path | None, typer.Option(help="Folder that holds all state.")] = None,
) -> None:
    """Turn one file into a record: a table in a terminal, JSON in a pipe.

    Works in this process, without Redis; if `fieldmark serve` owns the home, it does the work.
    """
    settings = load_settings(home)
    start_logging(quieter(settings), "extract")
    from service.cli.desk import Order  # the help text needs neither
    from service.cli.open_desk import open_desk
    from service.domain.jobs import Priority

    order = Order(
        path=file,
        schema=read_schema(schema),
        model=model,
        split_documents=split_documents,
        pages_per_chunk=pages_per_chunk,
        priority=Priority.HIGH,  # a person waits
        password=password,
    )
    desk = open_desk(settings)
    try:
        job_id = desk.submit(order)
        view = _follow(desk, job_id)
        result = desk.result(job_id)
    finally:
        desk.close()
    _show(result, as_json=as_json or not sys.stdout.isatty())
    code = exit_code_of(view.status, view.fault_code)
    if code not in (ExitCode.OK, ExitCode.PARTIAL):
        say(f"{view.status}: {view.fault_message or 'the job ended without a result'} [{view.fault_code}]")
    raise typer.Exit(int(code))


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
