"""The process that sends webhooks is killed while a receiver has not answered yet."""

from __future__ import annotations

import signal
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.fakes.receiver import Receiver, receiver
from tests.fakes.serve_process import KILLED, SAMPLES, ServeProcess, submit

pytestmark = pytest.mark.processes
SCHEMA = (SAMPLES / "receipt" / "schema.json").read_text()
SETTINGS = {**KILLED, "FIELDMARK_WEBHOOK_HOSTS": "127.0.0.1", "FIELDMARK_WEBHOOK_TIMEOUT_S": "5"}


@pytest.fixture
def target() -> Generator[Receiver]:
    """Somebody who receives."""
    with receiver() as running:
        yield running


def test_a_delivery_outlives_its_sender_with_the_same_id(tmp_path: Path, target: Receiver) -> None:
    """SIGKILL in mid-delivery: whoever comes next sends it again; the receiver can tell that it is the same."""
    target.hang_s = 120.0
    with ServeProcess(tmp_path / "home", **SETTINGS) as service, service.client() as client:
        hook = client.post("/webhooks", json={"url": target.base_url}).json()
        job_id = submit(client, SAMPLES / "receipt" / "document.jpg", SCHEMA)
        first = target.wait_for(1)[0]
        sender = service.find("io")
        assert sender is not None
        sender.send_signal(signal.SIGKILL)
        target.hang_s = 0.0
        second = target.wait_for(2)[1]
        assert (second.event_id, second.body) == (first.event_id, first.body)
        assert second.event["data"]["job_id"] == job_id

        def delivered() -> bool:
            (one,) = client.get(f"/webhooks/{hook['id']}/deliveries").json()["deliveries"]
            return one["state"] == "delivered" and one["attempts"] >= 2

        service.wait_until(delivered, 200)
