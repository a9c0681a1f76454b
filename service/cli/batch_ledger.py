"""What a batch has done, in a small SQLite file beside its results, so that running it again goes on."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from service.domain.errors import ErrorCode, StateError

FOLDER = ".fieldmark-batch"
_TABLE = """
CREATE TABLE IF NOT EXISTS entries (
    key TEXT NOT NULL,
    desk TEXT NOT NULL,
    state TEXT NOT NULL,
    job_id TEXT,
    path TEXT NOT NULL,
    code TEXT,
    message TEXT,
    at REAL NOT NULL,
    PRIMARY KEY (key)
)
"""


class EntryState(StrEnum):
    """Where the work for one content stands."""

    OPEN = "open"
    """Handed in; its job may still run, or wait for the next start."""
    SUCCEEDED = "succeeded"
    PARTIAL = "partial"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The work for one content under one schema and set of options."""

    key: str
    desk: str
    """Who has the job: the home of the installation."""
    state: EntryState
    job_id: str | None
    path: str
    """Of the first file that had this content; its result lies under this name."""
    code: str | None = None
    message: str | None = None


class Ledger:
    """Open it with `with`: it is locked, so that two batches never write into one folder."""

    def __init__(self, out: Path) -> None:
        self._folder = out / FOLDER

    def __enter__(self) -> Ledger:
        """Lock and open.

        Raises:
            StateError: `wrong_state`, another batch is at work there.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise StateError(
                ErrorCode.WRONG_STATE,
                f"Another `fieldmark batch` writes into {str(self._folder.parent)!r}; wait for it.",
            ) from None
        self._connection = sqlite3.connect(self._folder / "ledger.db", isolation_level=None)
        self._connection.execute(_TABLE)
        return self

    def __exit__(self, *_error: object) -> None:
        """Close and unlock."""
        self._connection.close()
        os.close(self._lock)

    def get(self, key: str) -> Entry | None:
        """What is known of a content."""
        query = "SELECT key, desk, state, job_id, path, code, message FROM entries WHERE key = ?"
        row = self._connection.execute(query, (key,)).fetchone()
        if row is None:
            return None
        key, desk, state, job_id, path, code, message = row
        return Entry(key=key, desk=desk, state=EntryState(state), job_id=job_id, path=path, code=code, message=message)

    def put(self, entry: Entry) -> None:
        """Note where the work for a content stands."""
        values = (entry.key, entry.desk, entry.state, entry.job_id, entry.path, entry.code, entry.message, time.time())
        self._connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
