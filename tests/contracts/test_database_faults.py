"""A database that cannot answer says so in the words of the service, on real databases."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from service.domain.errors import ErrorCode, InputError, InternalError
from service.storage.engine import Database
from service.storage.store import Store
from tests.fakes.postgres import PostgresServer
from tests.fakes.rows import TENANT


@pytest.fixture
def database(tmp_path: Path):
    """An SQLite database with its tables."""
    found = Database(f"sqlite:///{tmp_path / 'a.db'}")
    found.migrate()
    yield found
    found.dispose()


def test_a_full_database_is_storage_full(database: Database) -> None:
    """As a disk without space answers."""
    database.dispose()
    event.listen(database.engine, "connect", _leave_no_room)
    with pytest.raises(InternalError) as raised:
        _fill(Store(database))
    assert raised.value.code is ErrorCode.STORAGE_FULL


def test_a_locked_database_is_overloaded(database: Database, tmp_path: Path) -> None:
    """When the lock does not come in time."""
    database.dispose()
    event.listen(database.engine, "connect", _have_no_patience)
    holder = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(InternalError) as raised, Store(database).write() as rows:
        rows.upkeep.leave("anyone")
    holder.close()
    assert raised.value.code is ErrorCode.OVERLOADED
    assert raised.value.retry_after_s is not None


def test_a_wrong_statement_stays_what_it_is(tmp_path: Path) -> None:
    """A fault of ours is not told as one of the weather."""
    empty = Database(f"sqlite:///{tmp_path / 'empty.db'}")
    with pytest.raises(OperationalError), Store(empty).read() as rows:
        rows.upkeep.alive(0.0)
    empty.dispose()


def test_a_server_that_is_not_there_is_not_ready() -> None:
    """Nothing listens on that port."""
    nowhere = Database("postgresql+psycopg://user:pass@127.0.0.1:1/none?connect_timeout=2")
    with pytest.raises(InternalError) as raised, Store(nowhere).read() as rows:
        rows.upkeep.alive(0.0)
    nowhere.dispose()
    assert raised.value.code is ErrorCode.NOT_READY
    assert "pass" not in raised.value.message


def test_a_text_that_postgresql_cannot_hold_is_a_fault_of_who_sent_it(postgres: PostgresServer) -> None:
    """400 and not 500; SQLite finds nothing under it."""
    url = postgres.create_database()
    database = Database(url)
    with pytest.raises(InputError, match="NUL") as raised, Store(database).read() as rows:
        rows.schemas.get(TENANT, "letter\0", None)
    database.dispose()
    postgres.drop_database(url)
    assert raised.value.code is ErrorCode.INVALID_REQUEST


def _fill(store: Store) -> None:
    with store.write() as rows:
        for number in range(10_000):
            rows.upkeep.beat(f"process-{number:060}", "api", 0.0)


def _leave_no_room(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA max_page_count = 1")  # SQLite takes the size it has


def _have_no_patience(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA busy_timeout = 0")
