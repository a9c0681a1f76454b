"""What is left once the outcome of a file is known: the file is moved, its result copied, the books are written."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from service.cli.batch.entries import FoundPath, PathState, Work, WorkState
from service.cli.batch.keep import ResultFiles, move_away, with_room
from service.cli.batch.ledger import Ledger
from service.cli.batch.plan import BatchPlan
from service.cli.batch.tables import write_books, write_tables

T = TypeVar("T")


class Placing:
    """Puts files and results where the plan wants them, and notes in the ledger that they are there."""

    def __init__(
        self, plan: BatchPlan, ledger: Ledger, files: ResultFiles, pause: Callable[[str | None], None]
    ) -> None:
        self._plan = plan
        self._ledger = ledger
        self._files = files
        self._pause = pause

    def room(self, action: Callable[[], T]) -> T:
        """Do something that writes, once there is room for it."""
        return with_room(action, self._pause)

    def path_of(self, row: FoundPath) -> Path:
        """Where a file was found."""
        return self._plan.folder / os.fsdecode(row.path)

    def settle(self, row: FoundPath, work: Work) -> None:
        """Move the file, if that is asked for; then nothing is left to do for it."""
        outputs = self._plan.outputs
        folder = outputs.done_dir if work.state.has_result else outputs.failed_dir
        moved_to = row.moved_to
        if folder is not None and moved_to is None:
            source = self.path_of(row)
            with suppress(FileNotFoundError):  # somebody else took it away
                moved_to = str(self.room(lambda: move_away(source, folder, row, work)))
        written = self._files.mark(work) if work.state.has_result else row.written
        row = replace(row, state=PathState.SETTLED, moved_to=moved_to, written=written)
        self.room(lambda: self._ledger.put_path(row))

    def close_books(self) -> None:
        """Give duplicates their results, then write what tells about all files."""
        for row in self._ledger.paths("state = 'taken'"):
            work = None if row.digest is None else self._ledger.work(row.digest)
            if work is None or work.state is WorkState.OPEN:
                continue
            if work.state.has_result and not self._files.is_there(row, work):
                self.room(lambda to=row.label, label=work.label: self._files.copy(label, to))
            self.settle(row, work)
        self.room(lambda: write_books(self._ledger))
        self.room(lambda: write_tables(self._ledger, self._plan.outputs, self._plan.order.schema_set()))
