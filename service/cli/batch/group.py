"""The batch at the service under which the jobs of a run are shown, counted and fetched together."""

from __future__ import annotations

import os
from pathlib import Path

from service.cli.batch.desk import BatchDesk
from service.cli.batch.entries import shown
from service.cli.batch.ledger import Ledger

_MOST_LETTERS = 200


class ServiceBatch:
    """Opened with the first file; what an interrupted run left open is gone on with.

    Args:
        desk: who has it.
        ledger: remembers it.
        folder: whose name it has.
    """

    def __init__(self, desk: BatchDesk, ledger: Ledger, folder: Path) -> None:
        self._desk = desk
        self._ledger = ledger
        self._name = "".join(filter(str.isprintable, shown(os.fsencode(folder.absolute().name))))[:_MOST_LETTERS]
        self._note = f"batch at {desk.name}"
        self._id = ""

    def open_id(self) -> str:
        """Its id; it takes jobs."""
        if not self._id:
            known = self._ledger.noted(self._note) or ""
            is_open = bool(known) and self._desk.ask(lambda desk: desk.is_open_batch(known))
            self._id = known if is_open else self._desk.ask(lambda desk: desk.open_batch(self._name))
            self._ledger.note(self._note, self._id)
        return self._id

    def close(self) -> None:
        """It takes no more jobs: the next run opens another."""
        known, self._id = self._ledger.noted(self._note), ""
        if known:
            self._desk.ask(lambda desk: desk.close_batch(known))
            self._ledger.note(self._note, "")
