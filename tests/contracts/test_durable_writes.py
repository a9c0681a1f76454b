"""What was promised is in the database's log when the promise is made, however many promise at once."""

from __future__ import annotations

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sqlalchemy import text

from service.storage.engine import Database

WRITERS, ROUNDS = 6, 8


def test_a_durable_write_is_there_without_the_process_that_made_it(tmp_path: Path) -> None:
    """Every copy of the files, taken when a write has returned, holds what it wrote, also while others write."""
    home = tmp_path / "home"
    database = Database(f"sqlite:///{home / 'fieldmark.db'}")
    with database.write(durable=True) as connection:
        connection.execute(text("create table notes (number integer primary key)"))

    def write_and_look(writer: int) -> None:
        for number in range(writer * ROUNDS, (writer + 1) * ROUNDS):
            with database.write(durable=True) as connection:
                connection.execute(text("insert into notes values (:number)"), {"number": number})
            copy = tmp_path / f"copy-{number}"
            copy.mkdir()
            for suffix in ("", "-wal"):
                shutil.copy(home / f"fieldmark.db{suffix}", copy / f"fieldmark.db{suffix}")
            with sqlite3.connect(copy / "fieldmark.db") as found:
                assert found.execute("select count(*) from notes where number = ?", [number]).fetchone() == (1,)
            found.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        for _ in pool.map(write_and_look, range(WRITERS)):
            pass
    with database.read() as connection:
        assert connection.execute(text("select count(*) from notes")).scalar() == WRITERS * ROUNDS
    database.dispose()
