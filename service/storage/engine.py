"""The database: one engine a process, short transactions, the same behaviour on SQLite and PostgreSQL."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from functools import partial
from importlib import resources
from pathlib import Path
from typing import cast

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from service.domain.errors import ErrorCode, InternalError
from service.storage.codec import dump_column, load_column
from service.storage.faults import busy

_BUSY_S = 30
_TURN_S = 0.001
"""Between looks for a turn to write. SQLite's own waits grow to a tenth of a second: whoever writes one transaction
after the other (200 uploads) keeps the other processes out until it has done."""
_MOST_TRIES, _AGAIN_S = 250, 0.02
"""Of emptying the log: tries and not seconds, which a machine that stands still would spend without one."""
_MET_ANOTHER = -1
"""Pages in the log, as a checkpoint tells them that another one did not let begin."""
_PATIENT, _IMPATIENT = f"busy_timeout={1000 * _BUSY_S}", "busy_timeout=0"
_BRIEF = "busy_timeout=500"
_PRAGMAS = (
    _PATIENT,  # first: the next one takes a lock for a moment
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "secure_delete=ON",  # deleted rows are overwritten: a delete leaves nothing of a document behind
    "cache_size=-8000",
    "temp_store=MEMORY",
    "journal_size_limit=67108864",
)
EVENT_LOCK = 0x6669656C646D6172
"""PostgreSQL's advisory lock of the event log; "fieldmar" in ASCII, to stay clear of other programs' locks."""


class Database:
    """Gives short transactions; safe to share between threads, made anew after a fork."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pid = 0
        self._engine: Engine | None = None
        self._writing = threading.Lock()
        """Held by this process's writer. SQLite has one at a time anyway, and lets the others wait by sleeping."""
        self._log = _WriteAheadLog(url)

    @property
    def url(self) -> str:
        """The SQLAlchemy URL, with its password."""
        return self._url

    @property
    def engine(self) -> Engine:
        """This process's engine."""
        if self._engine is None or self._pid != os.getpid():
            self._engine, self._pid = _make_engine(self._url), os.getpid()
            self._writing, self._log = threading.Lock(), _WriteAheadLog(self._url)
        return self._engine

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A consistent view: all questions see the same moment; nothing is written."""
        with self.engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            yield connection

    @contextmanager
    def write(self, *, durable: bool = False, rebuilds: bool = False) -> Generator[Connection]:
        """One transaction: committed at the end, rolled back on any error.

        Args:
            durable: whether the commit must outlive a power cut (the promise behind a 202).
            rebuilds: whether whole tables are put in the place of others, as migrations do under SQLite.

        Raises:
            InternalError: `overloaded`; others did not let it in. `not_ready`; it is committed, but not known to be on
                the disk.
        """
        sqlite = self.engine.dialect.name == "sqlite"
        with _in_line(self._writing) if sqlite else nullcontext(), self.engine.connect() as connection:
            if sqlite:
                connection.execution_options(fieldmark_write=True)
            with _loose(connection) if sqlite and rebuilds else nullcontext(), connection.begin():
                if not sqlite and not durable:
                    connection.execute(text("SET LOCAL synchronous_commit TO off"))
                yield connection
        if sqlite and durable:
            self._log.flush()

    def migrate(self) -> None:
        """Bring the tables to this version; several processes may do so at once."""
        from alembic import command  # late: ten megabytes that only whoever migrates needs
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(resources.files("service.storage") / "migrations"))
        with self.write(durable=True, rebuilds=True) as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": EVENT_LOCK - 1})
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def forget_deleted(self) -> None:
        """Empty SQLite's write-ahead log, which still holds what was deleted.

        One that meets another checkpoint is refused at once, whatever the busy timeout: it is asked again for a while.
        One that waited in vain for somebody who reads is left to the next sweep, for it keeps all writers waiting: half
        a second, no longer.
        """
        if self.engine.dialect.name != "sqlite":
            return
        with self.engine.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA {_BRIEF}")
            try:
                _empty_log(connection)
            finally:
                connection.exec_driver_sql(f"PRAGMA {_PATIENT}")

    def dispose(self) -> None:
        """Close this process's connections."""
        if self._engine is not None and self._pid == os.getpid():
            self._engine.dispose()
        self._engine = None


def _empty_log(connection: Connection) -> None:
    for _ in range(_MOST_TRIES):
        refused, pages, _ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        if not refused or pages != _MET_ANOTHER:
            return
        time.sleep(_AGAIN_S)


@contextmanager
def _in_line(writing: threading.Lock) -> Generator[None]:
    """Wait for this process's other writers, as long as SQLite waits for those of other processes."""
    if not writing.acquire(timeout=_BUSY_S):
        raise busy()
    try:
        yield
    finally:
        writing.release()


@contextmanager
def _loose(connection: Connection) -> Generator[None]:
    """Let SQLite drop a table to which others refer, and leave their rows alone: its successor has the same ones.

    To be set before the transaction begins; inside one SQLite does not heed it. Source: "Making Other Kinds Of Table
    Schema Changes" in SQLite's documentation of ALTER TABLE.
    """
    cursor = connection.connection.cursor()
    cursor.execute("PRAGMA foreign_keys=OFF")
    try:
        yield
    finally:
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()


class _WriteAheadLog:
    """Brings what SQLite has committed onto the disk, several writers at once, while the database is free for others.

    SQLite's own way, `synchronous=FULL`, waits for the disk with the database locked. What a checkpoint took out of the
    log before it was flushed here is on the disk too: a checkpoint waits for both files.
    """

    def __init__(self, url: str) -> None:
        self._path = Path(f"{make_url(url).database}-wal")
        self._counting, self._flushing = threading.Lock(), threading.Lock()
        self._asked = 0
        self._flushed = 0
        """How many of those who asked have what they committed on the disk."""

    def flush(self) -> None:
        """Wait until what this thread has committed is on the disk.

        Raises:
            InternalError: `not_ready`.
        """
        with self._counting:
            self._asked += 1
            mine = self._asked
        with self._flushing:
            if self._flushed >= mine:  # by one who began after this thread had asked
                return
            with self._counting:
                upto = self._asked
            self._to_disk()
            self._flushed = upto

    def _to_disk(self) -> None:
        try:
            log = os.open(self._path, os.O_RDWR)
        except FileNotFoundError:
            return  # the last to leave the database has put it away
        except OSError as error:
            raise _not_flushed() from error
        try:
            os.fsync(log)
        except OSError as error:
            raise _not_flushed() from error
        finally:
            os.close(log)


def _not_flushed() -> InternalError:
    return InternalError(
        ErrorCode.NOT_READY, "The disk did not take what the database has written; look at the disk.", retry_after_s=2.0
    )


def _make_engine(url: str) -> Engine:
    parsed = make_url(url)
    new_engine = partial(create_engine, json_serializer=dump_column, json_deserializer=load_column)
    if parsed.get_backend_name() != "sqlite":
        return new_engine(parsed, pool_size=10, max_overflow=30, pool_pre_ping=True)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = new_engine(parsed, pool_size=10, max_overflow=200)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # SQLAlchemy's own BEGIN below decides, not the driver
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """Writers queue at the start: a read that turns into a write fails at once in SQLite."""
    writes = connection.get_execution_options().get("fieldmark_write", False)
    driver = cast(sqlite3.Connection, connection.connection.dbapi_connection)
    try:  # by itself: SQLAlchemy's way takes ten times as long, and each step begins five times
        if writes:
            _begin_writing(driver)
        else:
            driver.execute("BEGIN")
    except sqlite3.Error as error:
        raise OperationalError("BEGIN", None, error) from error


def _begin_writing(driver: sqlite3.Connection) -> None:
    """Wait for the writers of other processes, and take the first turn that is free."""
    end = time.monotonic() + _BUSY_S
    driver.execute(f"PRAGMA {_IMPATIENT}")
    try:
        while not _has_begun(driver, is_last=time.monotonic() >= end):
            time.sleep(_TURN_S)
    finally:
        driver.execute(f"PRAGMA {_PATIENT}")


def _has_begun(driver: sqlite3.Connection, *, is_last: bool) -> bool:
    try:
        driver.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if is_last or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:  # the rest says why it is busy
            raise
        return False
    return True
