"""`fieldmark batch`: a folder of files to a folder of results, resumable."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from service.cli.batch.find import split_pattern
from service.cli.batch.flags import BatchFlags, FolderArgument, OutFlag
from service.cli.batch.plan import BatchPlan
from service.cli.exit_codes import ExitCode
from service.cli.flag_groups import HomeFlag, grouped
from service.cli.session import load_settings, quieter, say, start_logging

if TYPE_CHECKING:
    from service.cli.batch.ledger import Ledger
    from service.settings import Settings


@grouped
def batch(folder: FolderArgument, out: OutFlag, flags: BatchFlags, home: HomeFlag = None) -> None:
    """Turn a folder of files into records; run it again, and it goes on where it was.

    Results lie under the names of their files; the books, the failures and tables over all results under _batch.
    What is done is not done again: not after Ctrl-C, a crash or an upgrade, unless --rerun-if says so.
    """
    settings = load_settings(home, api_key=flags.pace.api_key)
    start_logging(quieter(settings), "batch")
    root, patterns = split_pattern(folder)
    plan = flags.plan(root, patterns, out)
    raise typer.Exit(int((_estimate if flags.pace.dry_run else _run)(plan, settings, flags.pace.server)))


def _estimate(plan: BatchPlan, settings: Settings, server: str | None) -> ExitCode:
    from service.cli.batch.estimate import estimate, print_estimate

    print_estimate(estimate(plan, settings, server))
    return ExitCode.OK


def _run(plan: BatchPlan, settings: Settings, server: str | None) -> ExitCode:
    from service.cli.batch.books import count_books, print_books
    from service.cli.batch.ledger import Ledger

    with Ledger(plan.outputs.out) as ledger:
        made, stopped = _work(plan, settings, server, ledger)
        books = count_books(ledger, made)
        print_books(books, ledger)
    if stopped is not None:
        say(f"  stopped: {stopped}")
        return ExitCode.STOPPED
    return ExitCode.OK if books.is_whole else ExitCode.PARTIAL


def _work(plan: BatchPlan, settings: Settings, server: str | None, ledger: Ledger) -> tuple[str, str | None]:
    """With what results were made, and why it stopped early, if it did."""
    from service.cli.batch.desk import BatchDesk
    from service.cli.batch.keep import ResultFiles
    from service.cli.batch.passwords import PasswordFinder, open_reader, read_passwords
    from service.cli.batch.plan import made_by
    from service.cli.batch.run import BatchRun, Tools
    from service.cli.batch.show import Display
    from service.cli.batch.tally import Tally
    from service.cli.desk.base import with_schema

    words = () if plan.passwords is None else read_passwords(plan.passwords)
    reader = open_reader(settings)
    tally = Tally()
    with Display(tally) as display:
        desk = BatchDesk(settings.home, server, settings.api_key.get_secret_value(), display.pause)
        try:
            order = desk.ask(lambda here: with_schema(here, plan.order))
            made = desk.ask(lambda here: made_by(here, order))
            files = ResultFiles(plan.outputs, order.schema_set())
            passwords = PasswordFinder(words, reader)
            tools = Tools(desk=desk, ledger=ledger, files=files, display=display, passwords=passwords)
            run = BatchRun(replace(plan, order=order), made, tools, tally)
            run.run()
        except KeyboardInterrupt:
            display.note("Interrupted. Run the same command again, and it goes on.")
            raise
        finally:
            reader.close()
            desk.close()
    return made.text(), run.stopped
