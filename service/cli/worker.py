"""`fieldmark worker`: one worker of a fleet."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from service.cli.flag_groups import HomeFlag
from service.cli.serving.worker_process import command_of, environment_of
from service.cli.session import load_settings, require_queue
from service.domain.steps import QueueName


def worker(
    queue: Annotated[
        QueueName, typer.Option(help="`cpu` reads, merges and runs the embedded model; `io` asks others.")
    ],
    urgent: Annotated[
        bool, typer.Option("--urgent", help="One process that leaves batches to others; beside `--queue cpu` ones.")
    ] = False,
    home: HomeFlag = None,
) -> None:
    """Work on one queue until told to stop; SIGTERM lets it finish what it is doing."""
    require_queue(load_settings(home))
    command = command_of(queue, urgent=urgent, home=home)
    # In place of this process: a worker keeps no library of the command line in memory.
    os.execve(command[0], command, environment_of(queue, os.environ))  # noqa: S606 - our own interpreter and module
