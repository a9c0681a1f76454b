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
from tests.fakes.rows import a_file, a_job


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    """One warm reader for all tests of a file."""
    made = DocumentReader(LIMITS)
    yield made
    made.close()


@pytest.fixture
def fresh_reader() -> Iterator[DocumentReader]:
    """A reader whose processes have read nothing yet."""
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


@pytest.fixture
def with_file(store: Store) -> Store:
    """The store with one file."""
    with store.write() as rows:
        rows.files.add(a_file())
    return store


@pytest.fixture
def with_job(with_file: Store) -> Store:
    """The store with one file and a job of it, without steps."""
    with with_file.write() as rows:
        rows.jobs.add(a_job(), None)
    return with_file
