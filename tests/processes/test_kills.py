"""kill -9 of every process that belongs to a service: it comes back, and no job is lost."""

from __future__ import annotations

import signal
from collections.abc import Generator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.fakes.model_stub import ModelStub
from tests.fakes.serve_process import KILLED, SAMPLES, ServeProcess, long_invoice, status_of, submit, values_of

pytestmark = pytest.mark.processes
PAGES = 60
KINDS = ("api", "cpu", "cpu child", "sandbox", "io", "redis")
BACK_S = 200
DONE_S = 300


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[ServeProcess]:
    """One service for all kills; at the end nothing of it may be left."""
    with ServeProcess(tmp_path_factory.mktemp("kills") / "home", **KILLED) as service:
        yield service


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_process_comes_back_and_the_job_succeeds(served: ServeProcess, tmp_path: Path, kind: str):
    """In the middle of a job."""
    path, number = tmp_path / "long.pdf", f"LONG-47{KINDS.index(kind):02d}"
    schema = long_invoice(path, PAGES, number)
    with served.client() as client:
        job_id = submit(client, path, schema)
        served.wait_until(lambda: _has_begun(client, job_id), DONE_S)
        victim, below = served.wait_until(lambda: _killed(served, kind), BACK_S)
        assert psutil.wait_procs(below, timeout=BACK_S)[1] == []
        if kind != "sandbox":  # that one is started when it is needed
            served.wait_until(lambda: _is_another(served.find(kind), victim), BACK_S)
        served.wait_until(lambda: status_of(client, job_id) == "succeeded", DONE_S)
        assert values_of(client, job_id) == {"invoice_number": number}
        coverage = client.get(f"/jobs/{job_id}/result").json()["coverage"]
        after = submit(client, SAMPLES / "form" / "document.pdf", schema)
        served.wait_until(lambda: status_of(client, after) == "succeeded", DONE_S)
    assert [row["page"] for row in coverage] == list(range(1, PAGES + 1))
    assert {row["state"] for row in coverage} == {"extracted"}
    assert served.process.poll() is None


def test_after_a_killed_supervisor_nothing_is_left_and_the_next_start_finishes_the_job(tmp_path: Path):
    """The home is free at once."""
    path = tmp_path / "long.pdf"
    schema = long_invoice(path, PAGES)
    with ServeProcess(tmp_path / "home", **KILLED) as service:
        with service.client() as client:
            job_id = submit(client, path, schema)
            service.wait_until(lambda: _has_begun(client, job_id), DONE_S)
        service.wait_until(lambda: service.find("sandbox"), BACK_S)
        assert service.end(signal.SIGKILL) == -signal.SIGKILL
        service.check_nothing_is_left()
    with ServeProcess(tmp_path / "home", **KILLED) as service, service.client() as client:
        service.wait_until(lambda: status_of(client, job_id) == "succeeded", DONE_S)
        assert values_of(client, job_id) == {"invoice_number": "LONG-4711"}


@pytest.mark.parametrize("whole", [False, True], ids=["the io worker", "the service"])
def test_who_is_told_to_end_gives_its_model_calls_back(tmp_path: Path, whole: bool):
    """The lease is ten minutes: only a step that was given back is done at once by the next process."""
    path = tmp_path / "long.pdf"
    schema = long_invoice(path, 1)
    with ModelStub() as stub:
        stub.script({"fault": "hang"})
        told = {
            "FIELDMARK_UPSTAGE_BASE_URL": stub.base_url,
            "FIELDMARK_UPSTAGE_API_KEY": "up_test",
            "FIELDMARK_LEASE_S": "600",
        }
        with ServeProcess(tmp_path / "home", **told) as service, service.client() as client:
            job_id = submit(client, path, schema, model="upstage")
            stub.wait_for(timeout_s=DONE_S, in_flight=1)
            if not whole:
                service.wait_until(lambda: service.find("io"), BACK_S).terminate()
                service.wait_until(lambda: status_of(client, job_id) == "succeeded", DONE_S)
        if whole:
            with ServeProcess(tmp_path / "home", **told) as service, service.client() as client:
                service.wait_until(lambda: status_of(client, job_id) == "succeeded", DONE_S)
        assert stub.stats()["requests"] == 2


def _has_begun(client: httpx.Client, job_id: str) -> bool:
    """Or is over, on a machine that looks late: the rest must hold all the same."""
    return status_of(client, job_id) not in ("unknown", "queued")


def _killed(service: ServeProcess, kind: str) -> tuple[psutil.Process, list[psutil.Process]] | None:
    """A process of a kind that was there to be killed, and those below it."""
    victim = service.find(kind)
    try:
        below = victim.children(recursive=True) if victim is not None else []
        if victim is not None:
            victim.kill()
    except psutil.NoSuchProcess:  # it ended by itself, and another one comes
        return None
    return (victim, below) if victim is not None else None


def _is_another(process: psutil.Process | None, victim: psutil.Process) -> bool:
    return process is not None and process != victim
