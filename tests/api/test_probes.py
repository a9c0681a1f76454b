"""Health, readiness and figures."""

from __future__ import annotations

import sqlite3

import httpx

from tests.api.job_calls import hand_in, letter
from tests.fakes.local_service import LocalService
from tests.fakes.pipeline import wait_until

Idle = tuple[httpx.Client, LocalService]


def test_a_working_service_is_ready(client: httpx.Client) -> None:
    """Every part was heard of."""
    assert client.get("/healthz").json() == {"status": "ok"}
    ready = {"status": "ready", "missing": []}
    wait_until(lambda: client.get("/readyz").json() == ready)  # once the process was heard of


def test_a_service_says_what_is_missing(idle: Idle) -> None:
    """Nobody works on the queue; then nobody is heard of at all."""
    client, service = idle
    wait_until(lambda: client.get("/readyz").json()["missing"] == ["queue"])  # once the process was heard of
    service.services.keeper.stop()
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"status": "not_ready", "missing": ["queue", "cpu_worker", "io_worker"]}
    assert client.get("/healthz").status_code == 200


def test_a_database_that_is_gone_is_missing(idle: Idle) -> None:
    """Readiness answers instead of failing; other calls end in the one form of errors."""
    client, service = idle
    service.services.keeper.stop()
    with sqlite3.connect(service.settings.home / "fieldmark.db") as connection:
        connection.execute("DROP TABLE duties")
        connection.execute("ALTER TABLE jobs RENAME TO other")
    connection.close()
    assert client.get("/readyz").json()["missing"] == ["database"]
    answer = client.get("/api/v1/jobs")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
    assert "jobs" not in answer.json()["error"]["message"]


def test_figures_count_jobs_steps_processes_and_requests(idle: Idle) -> None:
    """Under the route's name, never under an id."""
    client, _ = idle
    job = hand_in(client, letter()).json()["id"]
    client.get(f"/api/v1/jobs/{job}")
    figures = {
        'fieldmark_jobs{status="queued"} 1.0',
        'fieldmark_open_steps{queue="cpu"} 1.0',
        'fieldmark_processes_alive{kind="local"} 1.0',
        'fieldmark_http_requests_total{method="GET",route="/jobs/{job_id}",status="200"} 1.0',
    }
    # a process is heard of once it beat, and a request is counted once its answer is out
    wait_until(lambda: figures <= set(client.get("/metrics").text.splitlines()))
    assert job not in client.get("/metrics").text
