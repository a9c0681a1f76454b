"""`fieldmark worker`: one worker of a fleet."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.flag_groups import HomeFlag
from service.cli.session import load_settings, require_queue, start_logging
from service.domain.jobs import QueueName


def worker(
    queue: Annotated[
        QueueName, typer.Option(help="`cpu` reads, merges and runs the embedded model; `io` asks others.")
    ],
    urgent: Annotated[
        bool, typer.Option("--urgent", help="One process that leaves batches to others; beside `--queue cpu` ones.")
    ] = False,
    home: HomeFlag = None,
    parent: Annotated[int | None, typer.Option(hidden=True, help="Process with which this one ends.")] = None,
) -> None:
    """Work on one queue until told to stop; SIGTERM lets it finish what it is doing."""
    from workers.app import run_worker  # Celery is loaded by those who need it
    from workers.lifeline import die_with_parent

    if parent is not None:
        die_with_parent(parent)
    settings = load_settings(home)
    start_logging(settings, queue)
    require_queue(settings)
    run_worker(settings, queue, urgent=urgent)
