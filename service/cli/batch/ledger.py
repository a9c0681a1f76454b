"""What a batch has found and done, in a small SQLite file beside its results, so that running it again goes on.

Two tables: `paths`, a row for every file that was found, and `contents`, a row for the work on each content. What is
written here is true whenever the process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import LiteralString
from urllib.parse import quote

import zstandard

from service.cli.batch.entries import FoundPath, PathState, Work, WorkState
from service.domain.errors import ErrorCode, StateError

FOLDER = "_batch"
"""Inside the folder of results: the ledger, the books and the tables."""
LEDGER = "ledger.db"
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS paths (
    label BLOB PRIMARY KEY,
    path BLOB NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    noted_at REAL NOT NULL,
    run INTEGER NOT NULL,
    state TEXT NOT NULL,
    digest BLOB,
    code TEXT,
    message TEXT,
    moved_to TEXT,
    written TEXT
);
CREATE INDEX IF NOT EXISTS paths_of_digest ON paths (digest);
CREATE INDEX IF NOT EXISTS paths_of_state ON paths (state, label);
CREATE TABLE IF NOT EXISTS contents (
    digest BLOB PRIMARY KEY,
    label BLOB NOT NULL,
    run INTEGER NOT NULL,
    state TEXT NOT NULL,
    made TEXT NOT NULL,
    desk TEXT NOT NULL,
    submit_key TEXT NOT NULL,
    job_id TEXT,
    pages INTEGER NOT NULL DEFAULT 0,
    doubtful INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0,
    cost REAL,
    schema TEXT,
    code TEXT,
    message TEXT,
    at REAL NOT NULL,
    result BLOB
);
CREATE INDEX IF NOT EXISTS contents_of_label ON contents (label);
"""
_FORM = 1
"""Of the tables; one less was without `cost`."""
_PATH = "label, path, size, mtime_ns, noted_at, run, state, digest, code, message, moved_to, written"
_WORK = (
    "digest, label, run, state, made, desk, submit_key, job_id, pages, doubtful, tokens, cost, schema, code, message"
)
_PAGE = 500


class Ledger:
    """Open it with `with`: it is locked, so that two batches never write into one folder."""

    def __init__(self, out: Path) -> None:
        self.folder = out / FOLDER
        self.run = 0
        """Number of this run, from 1."""

    def __enter__(self) -> Ledger:
        """Lock and open.

        Raises:
            StateError: `wrong_state`, another batch is at work there, or a later version was.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise StateError(
                ErrorCode.WRONG_STATE,
                f"Another `fieldmark batch` writes into {str(self.folder.parent)!r}; wait for it.",
            ) from None
        self._sql = sqlite3.connect(self.folder / LEDGER, isolation_level=None)
        self._sql.execute("PRAGMA journal_mode=WAL")
        self._sql.execute("PRAGMA synchronous=NORMAL")
        self._bring_up()
        self.run = int(self._remember("run", "0")) + 1
        self.note("run", str(self.run))
        self.id = self._remember("id", uuid.uuid4().hex)
        return self

    def _bring_up(self) -> None:
        """Make the tables, or bring those of an earlier version to this one."""
        (form,) = self._sql.execute("PRAGMA user_version").fetchone()
        if form > _FORM:
            self.__exit__()
            raise StateError(
                ErrorCode.WRONG_STATE,
                f"A later Fieldmark worked into {str(self.folder.parent)!r}; use that version, or another --out.",
            )
        known = _columns(self._sql)
        if known and "cost" not in known:
            self._sql.execute("ALTER TABLE contents ADD COLUMN cost REAL")
        self._sql.executescript(f"{_TABLES} PRAGMA user_version = {_FORM};")

    def __exit__(self, *_error: object) -> None:
        """Close and unlock."""
        self._sql.close()
        os.close(self._lock)

    def path(self, label: bytes) -> FoundPath | None:
        """What is known under a label."""
        row = self._sql.execute(f"SELECT {_PATH} FROM paths WHERE label = ?", (label,)).fetchone()  # noqa: S608 - our names
        return None if row is None else _found(row)

    def put_path(self, found: FoundPath) -> None:
        """Note where a file stands."""
        self._sql.execute(
            f"INSERT OR REPLACE INTO paths ({_PATH}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our names
            (
                *(found.label, found.path, found.size, found.mtime_ns, found.noted_at, found.run, found.state),
                *(found.digest, found.code, found.message, found.moved_to, found.written),
            ),
        )

    def forget_vanished(self) -> None:
        """Drop the rows of files that this run did not find and no run moved."""
        self._sql.execute("DELETE FROM paths WHERE run <> ? AND moved_to IS NULL", (self.run,))

    def next_waiting(self) -> FoundPath | None:
        """The first file that this run found and did nothing with yet."""
        question = f"SELECT {_PATH} FROM paths WHERE state = ? AND run = ? ORDER BY label LIMIT 1"  # noqa: S608 - our names
        row = self._sql.execute(question, (PathState.WAITING, self.run)).fetchone()
        return None if row is None else _found(row)

    def paths(self, where: LiteralString = "1", *values: object) -> Iterator[FoundPath]:
        """Files in the order of their labels, a few at a time, while rows may be changed.

        Args:
            where: a condition in SQL; the type lets nothing but the program's own text in.
            values: for its question marks.
        """
        question = (
            f"SELECT {_PATH} FROM paths WHERE ({where}) "  # noqa: S608 - our names, and a literal condition
            "AND (? IS NULL OR label > ?) ORDER BY label LIMIT ?"
        )
        after: bytes | None = None
        while True:
            rows = self._sql.execute(question, (*values, after, after, _PAGE)).fetchall()
            yield from map(_found, rows)
            if len(rows) < _PAGE:
                return
            after = rows[-1][0]

    def work(self, digest: bytes) -> Work | None:
        """The work on a content."""
        return _find_work(self._sql, digest)

    def put_work(self, work: Work) -> None:
        """Note where the work on a content stands; its result stays."""
        self._put_work(work, "")

    def end_work(self, work: Work, result: bytes | None) -> None:
        """Note how the work on a content ended, with its result as JSON."""
        self._put_work(work, ", result = excluded.result", None if result is None else zstandard.compress(result))

    def _put_work(self, work: Work, also: str, result: bytes | None = None) -> None:
        names = [*_WORK.split(", ")[1:], "at"]
        changes = ", ".join(f"{name} = excluded.{name}" for name in names)
        self._sql.execute(
            f"INSERT INTO contents ({_WORK}, at, result) VALUES ({'?, ' * 15}?, ?) "  # noqa: S608 - our names
            f"ON CONFLICT (digest) DO UPDATE SET {changes}{also}",
            (
                *(work.digest, work.label, work.run, work.state, work.made, work.desk, work.submit_key, work.job_id),
                *(work.pages, work.doubtful, work.tokens, work.cost, work.schema, work.code, work.message),
                *(time.time(), result),
            ),
        )

    def result(self, digest: bytes) -> bytes | None:
        """The result of a content as JSON, without boxes of words."""
        row = self._sql.execute("SELECT result FROM contents WHERE digest = ?", (digest,)).fetchone()
        return None if row is None or row[0] is None else zstandard.decompress(row[0])

    def ask(self, query: str, *values: object) -> Iterator[tuple[object, ...]]:
        """Rows of a question in SQL, of this program's own making."""
        return iter(self._sql.execute(query, values))

    def noted(self, name: str) -> str | None:
        """What was noted under a name."""
        row = self._sql.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def note(self, name: str, value: str) -> None:
        """Note something that is true of the whole batch."""
        self._sql.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def _remember(self, name: str, otherwise: str) -> str:
        with suppress(sqlite3.IntegrityError):
            self._sql.execute("INSERT INTO meta VALUES (?, ?)", (name, otherwise))
        return self.noted(name) or otherwise


def _found(row: tuple[object, ...]) -> FoundPath:
    label, path, size, mtime_ns, noted_at, run, state, digest, code, message, moved_to, written = row
    return FoundPath(
        label=_bytes(label),
        path=_bytes(path),
        size=_int(size),
        mtime_ns=_int(mtime_ns),
        noted_at=float(str(noted_at)),
        run=_int(run),
        state=PathState(str(state)),
        digest=None if digest is None else _bytes(digest),
        code=_text(code),
        message=_text(message),
        moved_to=_text(moved_to),
        written=_text(written),
    )


def _work(row: tuple[object, ...]) -> Work:
    digest, label, run, state, made, desk, submit_key, job_id, pages, doubtful, *rest = row
    tokens, cost, schema, code, message = rest
    return Work(
        digest=_bytes(digest),
        label=_bytes(label),
        run=_int(run),
        state=WorkState(str(state)),
        made=str(made),
        desk=str(desk),
        submit_key=str(submit_key),
        job_id=_text(job_id),
        pages=_int(pages),
        doubtful=bool(doubtful),
        tokens=_int(tokens),
        cost=None if cost is None else float(str(cost)),
        schema=_text(schema),
        code=_text(code),
        message=_text(message),
    )


def _bytes(value: object) -> bytes:
    assert isinstance(value, bytes)
    return value


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value


def _text(value: object) -> str | None:
    return None if value is None else str(value)


class EarlierWork:
    """The works of a ledger that somebody else may have open; nothing is written."""

    def __init__(self, out: Path) -> None:
        path = out / FOLDER / LEDGER
        self._sql = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True) if path.is_file() else None
        known = [] if self._sql is None else _columns(self._sql)
        self._wanted = _WORK if "cost" in known else _WORK.replace("cost", "NULL")

    def get(self, digest: bytes) -> Work | None:
        """The work on a content."""
        return None if self._sql is None else _find_work(self._sql, digest, self._wanted)

    def close(self) -> None:
        """Let go of it."""
        if self._sql is not None:
            self._sql.close()


def _columns(sql: sqlite3.Connection) -> list[str]:
    """Of the table of works; none: it is not there."""
    return [name for _, name, *_ in sql.execute("PRAGMA table_info(contents)")]


def _find_work(sql: sqlite3.Connection, digest: bytes, wanted: str = _WORK) -> Work | None:
    row = sql.execute(f"SELECT {wanted} FROM contents WHERE digest = ?", (digest,)).fetchone()  # noqa: S608 - our names
    return None if row is None else _work(row)
