"""Every implementation of a border, so that one suite runs on each."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from service.documents.reader import DocumentReader
from service.storage.engine import Database
from service.storage.store import Store
from tests.contracts.documents_made import LIMITS
from tests.fakes.postgres import PostgresServer, run_postgres


@pytest.fixture
def reader() -> Iterator[DocumentReader]:
    """A reader whose processes have read nothing yet; files of tests that need none of their own keep a warm one."""
    made = DocumentReader(LIMITS)
    yield made
    made.close()


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresServer]:
    """One server for all tests."""
    with run_postgres() as server:
        yield server


@dataclass(frozen=True, slots=True)
class Template:
    """A migrated PostgreSQL database, to be copied."""

    server: PostgresServer
    name: str


@pytest.fixture(scope="session")
def template(postgres: PostgresServer) -> Template:
    """Migrated once."""
    url = postgres.create_database()
    database = Database(url)
    database.migrate()
    database.dispose()
    return Template(postgres, make_url(url).database or "")


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """A database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'fieldmark.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    url = server.create_database()
    yield url
    server.drop_database(url)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Database]:
    """A migrated database."""
    if request.param == "sqlite":
        database = Database(f"sqlite:///{tmp_path / 'fieldmark.db'}")
        database.migrate()
        yield database
        database.dispose()
        return
    template: Template = request.getfixturevalue("template")
    url = template.server.create_database(template.name)
    database = Database(url)
    yield database
    database.dispose()
    template.server.drop_database(url)


@pytest.fixture
def store(database: Database) -> Store:
    """A store over a migrated database."""
    return Store(database)
