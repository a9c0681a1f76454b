"""The process of a worker: what `fieldmark worker` becomes and `fieldmark serve` starts, without the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from service.cli.edge import run_to_end
from service.cli.session import load_settings, require_queue, start_logging
from service.domain.steps import QueueName

_SPARING = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""glibc else keeps memory apart for each thread, and what was freed for itself."""


def environment_of(queue: QueueName, given: Mapping[str, str]) -> dict[str, str]:
    """The environment of such a process: what is given, and what spares memory where there are many threads."""
    return {**(_SPARING if queue is QueueName.IO else {}), **given}


def command_of(queue: QueueName, *, urgent: bool, home: Path | None, parent: int | None = None) -> list[str]:
    """The command of such a process; our own modules, whatever folder it is started in.

    Args:
        queue: on which it works.
        urgent: see `workers.app.run_worker`.
        home: folder that holds all state; None: as the settings say.
        parent: process with which it ends; None: it ends by itself.
    """
    flags = ["--queue", str(queue), *(["--urgent"] if urgent else [])]
    flags += [] if home is None else ["--home", str(home)]
    flags += [] if parent is None else ["--parent", str(parent)]
    return [sys.executable, "-P", "-m", "service.cli.serving.worker_process", *flags]


def main(arguments: Sequence[str] | None = None) -> None:
    """Work until told to stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queue", type=QueueName, choices=list(QueueName), required=True)
    parser.add_argument("--urgent", action="store_true")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--parent", type=int)
    given = parser.parse_args(arguments)
    run_to_end(lambda: _work(given.queue, urgent=given.urgent, home=given.home, parent=given.parent))


def _work(queue: QueueName, *, urgent: bool, home: Path | None, parent: int | None) -> None:
    from workers.app import run_worker  # what is wrong with the flags is said without it
    from workers.lifeline import die_with_parent

    if parent is not None:
        die_with_parent(parent)
    settings = load_settings(home)
    start_logging(settings, queue)
    require_queue(settings)
    run_worker(settings, queue, urgent=urgent)


if __name__ == "__main__":
    main()
