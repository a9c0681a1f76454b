"""kill -9 of the service while corrections are written: each one that was answered is there afterwards."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import httpx
import pytest

from tests.fakes.serve_process import KILLED, SAMPLES, ServeProcess, status_of, submit, values_of

pytestmark = pytest.mark.processes
DONE_S = 300
WRITTEN = 20
SCHEMA = '{"type": "object", "properties": {"note": {"type": "string", "description": "A note"}}}'


def test_each_answered_correction_outlives_the_service(tmp_path: Path) -> None:
    """A writer sends one after the other until the service is gone; one more than was answered may be there."""
    answered: list[int] = []
    with ServeProcess(tmp_path / "home", **KILLED) as service, service.client() as client:
        job_id = submit(client, SAMPLES / "form" / "document.pdf", SCHEMA)
        service.wait_until(lambda: status_of(client, job_id) == "succeeded", DONE_S)
        writer = threading.Thread(target=_write, args=(client, job_id, answered))
        writer.start()
        service.wait_until(lambda: len(answered) >= WRITTEN, DONE_S)
        service.end(signal.SIGKILL)
        writer.join()
    assert answered
    with ServeProcess(tmp_path / "home", **KILLED) as service, service.client() as client:
        history = client.get(f"/jobs/{job_id}/history").json()["events"]
        kept = [event["new"] for event in history if event["op"] == "set"]
        assert kept[: len(answered)] == [f"note {number}" for number in answered]
        assert len(kept) <= len(answered) + 1
        assert values_of(client, job_id)["note"] == kept[-1]


def _write(client: httpx.Client, job_id: str, answered: list[int]) -> None:
    """Set the note to one number after the other, as long as anybody answers."""
    old = values_of(client, job_id)["note"]
    for number in range(100_000):
        value = f"note {number}"
        operation = {"op": "set", "id": f"n{number}", "path": "/note", "old": old, "value": value}
        try:
            answer = client.post(f"/jobs/{job_id}/corrections", json={"operations": [operation]})
        except httpx.TransportError:
            return
        assert answer.status_code == 200, answer.text
        answered.append(number)
        old = value
