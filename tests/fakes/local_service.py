"""A whole Fieldmark in one process: real SQLite, real files, real readers, the embedded model, and an inline queue."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fastapi import FastAPI

from service.app import MOST_WAITING, create_app
from service.domain.steps import QueueName
from service.jobs.control.sweep import Sweeper
from service.jobs.events.send_webhooks import WebhookSender
from service.jobs.services import Services
from service.jobs.steps.run_steps import run_ring
from service.messaging.queue_inline import InlineQueue
from service.settings import Settings
from service.wiring.services import build_services, close_services, prepare

SAMPLES = Path(__file__).parents[2] / "samples"
_SWEEP_S = 0.5
_SEND_S = 0.1
NEVER_S = 3600.0
"""A lease that no machine is too slow for: whoever tests that leases run out sets another one, or the clock."""
THREADS: Mapping[QueueName, int] = {QueueName.CPU: 1, QueueName.IO: 4}


@dataclass(frozen=True, kw_only=True)
class LocalService:
    """What a test holds of it."""

    settings: Settings
    services: Services
    queue: InlineQueue

    def app(self, *, most_waiting: int = MOST_WAITING) -> FastAPI:
        """An app over these services; a second one is as good."""
        return create_app(self.services, self.settings, most_waiting=most_waiting)


@contextmanager
def local_service(
    home: Path, *, working: bool = True, clock: Callable[[], float] = time.time, **settings: object
) -> Generator[LocalService]:
    """Start one over a folder, and leave nothing running.

    Args:
        home: an empty folder, or one that an earlier service left.
        working: whether anybody works on the steps; False: jobs stay queued.
        clock: what the service takes for the time of day.
        settings: what differs from the defaults.
    """
    chosen = Settings.model_validate({"home": home, "model": "embedded", "lease_s": NEVER_S, **settings})
    prepare(chosen)
    queue = InlineQueue(THREADS if working else dict.fromkeys(QueueName, 0))
    services = build_services(chosen, role="local", queue=queue, clock=clock)
    services.keeper.start()
    queue.start(partial(run_ring, services))
    sweeper, sender = Sweeper(services, every_s=_SWEEP_S), WebhookSender(services, every_s=_SEND_S)
    if working:
        sweeper.start()
        sender.start()
    try:
        yield LocalService(settings=chosen, services=services, queue=queue)
    finally:
        if working:
            sender.stop()
            sweeper.stop()
        queue.stop()
        close_services(services)
