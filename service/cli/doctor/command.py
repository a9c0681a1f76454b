"""`fieldmark doctor`: is everything here, and what became of a job."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from service.cli.exit_codes import ExitCode
from service.cli.flag_groups import HomeFlag
from service.cli.session import load_settings, make_console, quieter, start_logging

_STYLES = {"ok": "green", "missing": "yellow", "wrong": "bold red"}


def doctor(
    explain: Annotated[
        str | None, typer.Option(metavar="JOB", help="Tell step by step what became of a job.", show_default=False)
    ] = None,
    home: HomeFlag = None,
) -> None:
    """Say what is installed, what is missing, and how to get it."""
    settings = load_settings(home)
    start_logging(quieter(settings), "doctor")
    if explain is not None:
        from service.cli.doctor.explain import explain_job  # the help text needs none of these

        explain_job(settings, explain, time.time())
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from service.cli.doctor.machine_checks import State, check_machine

    findings = check_machine(settings)
    table = Table("", "", "", box=box.SIMPLE, show_header=False, show_edge=False, pad_edge=False)
    for finding in findings:
        detail = Text(finding.detail)
        if finding.remedy:
            detail.append(f"\n{finding.remedy}", style="dim")
        table.add_row(finding.subject, Text(finding.state, style=_STYLES[finding.state]), detail)
    make_console().print(table)
    if any(finding.state is State.WRONG for finding in findings):
        raise typer.Exit(int(ExitCode.USAGE))
