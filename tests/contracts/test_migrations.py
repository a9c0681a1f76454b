"""Migrations make exactly the tables the code works with, however often and by how many they are run."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import JSON, Connection, MetaData, String, insert, inspect, text

from service.storage.engine import Database
from service.storage.tables import metadata

_MIGRATE = """
import sys
from service.storage.engine import Database

database = Database(sys.argv[1])
database.migrate()
database.dispose()
"""


def test_migrations_give_the_tables_of_the_code(database: Database) -> None:
    """Nothing is left for a further migration to do."""
    with database.write() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []


def test_migrating_again_changes_nothing(database: Database) -> None:
    """As each start does."""
    database.migrate()
    database.migrate()
    with database.read() as connection:
        assert {*metadata.tables, "alembic_version"} == {*inspect(connection).get_table_names()}


def test_processes_that_start_together_migrate_once(empty_url: str) -> None:
    """The first does it, the others wait for it."""
    command = [sys.executable, "-W", "error", "-c", _MIGRATE, empty_url]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    ended = [(process.communicate(timeout=300)[1], process.returncode) for process in started]
    assert ended == [("", 0)] * 3
    database = Database(empty_url)
    with database.read() as connection:
        assert {*metadata.tables, "alembic_version"} == {*inspect(connection).get_table_names()}
    database.dispose()


@pytest.mark.parametrize("version", ["0006", "0012", "0013"])
def test_what_an_earlier_version_kept_is_there_after_a_migration(empty_url: str, version: str) -> None:
    """Tables that are made anew lose no row, and none of those that refer to them."""
    config = Config()
    config.set_main_option("script_location", str(resources.files("service.storage") / "migrations"))
    database = Database(empty_url)
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
    rows: dict[str, dict[str, object]] = {
        "blobs": {"key": "acme/1"},
        "files": {"id": "file_1", "blob_key": "acme/1"},
        "jobs": {"id": "job_1", "file_id": "file_1"},
        "steps": {"id": "step_1", "job_id": "job_1"},
        "review_events": {"job_id": "job_1"},
    }
    with database.write() as connection:
        known = MetaData()
        known.reflect(connection)
        for table, row in rows.items():
            _add(connection, known, table, row)
    database.migrate()
    with database.write() as connection:
        kept = {table: connection.execute(text(f"SELECT count(*) FROM {table}")).scalar() for table in rows}
        assert kept == dict.fromkeys(rows, 1)
        if connection.dialect.name == "sqlite":
            assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
            assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
    database.dispose()


def _add(connection: Connection, known: MetaData, table: str, given: dict[str, object]) -> None:
    """A row with these values, and something wherever there must be anything."""
    row: dict[str, object] = {}
    for column in known.tables[table].columns:
        if column.name in given:
            row[column.name] = given[column.name]
        elif not column.nullable and column.autoincrement is not True:
            kind = column.type
            row[column.name] = (
                {} if isinstance(kind, JSON) else "x" if isinstance(kind, String) else kind.python_type(1)
            )
    connection.execute(insert(known.tables[table]).values(row))
