"""Rings by Celery: over Redis, on a fleet as on a laptop."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from celery import Celery
from kombu.exceptions import OperationalError

from service.messaging.queue import Ring, lane_of

TASK = "fieldmark.run_steps"
_log = logging.getLogger(__name__)
_PROBE_S = 2.0


def make_celery(broker_url: str) -> Celery:
    """The application that senders and workers share.

    Early ack and no result backend: the database knows what became of a step, and a lost one comes back by its lease.
    """
    app = Celery("fieldmark", broker=broker_url)
    options: dict[str, object] = {
        "ack_emulation": False,  # Redis need not remember who has a message: the database does
        "socket_keepalive": not broker_url.startswith("redis+socket"),
        "socket_timeout": 30,
        "health_check_interval": 25,
        "priority_steps": [0, 3, 6, 9],
        "queue_order_strategy": "priority",
        "sep": ":",
    }
    app.conf.update(
        task_default_queue="cpu",
        task_ignore_result=True,
        task_serializer="json",
        accept_content=["json"],
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options=options,
        task_publish_retry=True,
        task_publish_retry_policy={"max_retries": 2, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.2},
        enable_utc=True,
    )
    return app


class CeleryQueue:
    """A `TaskQueue` that sends over Celery's broker."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def send(self, rings: Sequence[Ring]) -> bool:
        """See `TaskQueue.send`; what is not sent now, the sweeper sends later."""
        try:
            for ring in rings:
                self._app.send_task(TASK, args=[list(ring.step_ids)], queue=lane_of(ring), priority=int(ring.priority))
        except (OperationalError, OSError) as error:
            _log.warning("the queue cannot be reached (%s); the sweeper will ring again", type(error).__name__)
            return False
        return True

    def is_reachable(self) -> bool:
        """See `TaskQueue.is_reachable`."""
        try:
            with self._app.connection_for_write(connect_timeout=_PROBE_S) as connection:
                connection.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=_PROBE_S)
            return True
        except (OperationalError, OSError):
            return False

    def close(self) -> None:
        """See `TaskQueue.close`; nothing waits here."""
