"""After a job is deleted, nothing of its document is found: in no table, no file, and no byte of SQLite's."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.fakes.http_server import http_server
from tests.fakes.leftovers import PLANTED, files_with, live_through_all, tables_with, traces_of
from tests.fakes.local_service import local_service
from tests.fakes.pipeline import wait_until
from tests.fakes.postgres import PostgresServer
from tests.fakes.receiver import Receiver, receiver


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> Generator[str]:
    """Where rows are kept; empty: in the home."""
    if request.param == "sqlite":
        yield ""
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    url = server.create_database()
    yield url
    server.drop_database(url)


@pytest.fixture
def target() -> Generator[Receiver]:
    """Somebody who is told of jobs."""
    with receiver() as running:
        yield running


def test_nothing_of_a_deleted_document_is_found(tmp_path: Path, database_url: str, target: Receiver) -> None:
    """It was read, extracted, corrected, approved, drawn, told to others, run anew; a tombstone of hashes is left."""
    home = tmp_path / "home"
    settings = {"database_url": database_url, "webhook_hosts": "127.0.0.1"}
    url = database_url or f"sqlite:///{home / 'fieldmark.db'}"
    with (
        local_service(home, **settings) as service,
        http_server(service.app()) as base_url,
        httpx.Client(base_url=f"{base_url}/api/v1", timeout=120) as client,
    ):
        job_id = live_through_all(client, target)
        assert {"jobs", "files", "pages", "results", "review_events", "webhook_deliveries"} <= tables_with(url, PLANTED)
        traces = traces_of(url)
        assert files_with(home, traces)
        receipt = client.delete(f"jobs/{job_id}").json()
        wait_until(lambda: (tables_with(url, PLANTED), files_with(home, traces)) == (set(), []))
        assert receipt["file_sha256"]
        assert (
            receipt["removed"] | {"file": 1, "results": 2, "corrections": 2, "idempotency_keys": 1}
            == receipt["removed"]
        )
        assert receipt["removed"]["deliveries"] >= 4
        assert client.get(f"jobs/{job_id}").status_code == 410
    # What senders and sweepers still had in hand is settled now.
    assert tables_with(url, PLANTED) == set()
    assert files_with(home, traces) == []
