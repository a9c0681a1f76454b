"""Migrations make exactly the tables the code works with, however often and by how many they are run."""

from __future__ import annotations

import subprocess
import sys

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

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
    ended = [(process.communicate(timeout=120)[1], process.returncode) for process in started]
    assert ended == [("", 0)] * 3
    database = Database(empty_url)
    with database.read() as connection:
        assert {*metadata.tables, "alembic_version"} == {*inspect(connection).get_table_names()}
    database.dispose()
