"""The Celery application and its only task: how a process gets ready for the work of `service.jobs`."""

from __future__ import annotations

import threading
import warnings
from contextlib import suppress

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import (
    setup_logging,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutdown,
    worker_shutting_down,
)

from service.domain.errors import ReadingError
from service.domain.files import StoredFile
from service.domain.jobs import Job
from service.domain.pages import PageText
from service.domain.records import Extraction, Issue
from service.domain.results import RunResult
from service.domain.steps import Priority, QueueName, Step
from service.jobs.control.sweep import Sweeper
from service.jobs.events.send_webhooks import WebhookSender
from service.jobs.services import Services
from service.jobs.steps.run_steps import begin_ring
from service.messaging.queue import Ring, lanes_of
from service.settings import Settings
from service.storage.codec import prepare
from service.wiring.services import build_services, close_services, open_celery
from workers.collecting import collect_seldom
from workers.lifeline import die_with_parent


class WorkerProcess:
    """What one process of a worker holds: built after the fork, at the first need."""

    def __init__(self, settings: Settings, queue: QueueName) -> None:
        self._settings = settings
        self._queue = queue
        self._services: Services | None = None
        self._sweeper: Sweeper | None = None
        self._sender: WebhookSender | None = None
        self._lock = threading.Lock()

    @property
    def services(self) -> Services:
        """This process's services."""
        with self._lock:
            if self._services is None:
                self._services = build_services(self._settings, role=self._queue)
                self._services.keeper.start()
            return self._services

    def open(self) -> None:
        """Get ready before the first message: a process that is listed as alive can work."""
        collect_seldom()
        services = self.services
        self._sweeper = Sweeper(services, every_s=self._settings.sweep_s)
        self._sweeper.start()
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()
        if self._queue is QueueName.IO:
            self._sender = WebhookSender(services)
            self._sender.start()

    def _warm_up(self) -> None:
        with suppress(ReadingError):  # whoever needs it next is told
            self.services.reader.warm_up()

    def let_go_soon(self) -> None:
        """Told to end: what is not done in a moment is given back, for a model call may take minutes."""
        timer = threading.Timer(_GRACE_S, self.services.keeper.let_go)
        timer.daemon = True
        timer.start()

    def close(self) -> None:
        """Leave nothing running; calls under way have a moment, and are then given back."""
        if self._services is not None and not self._services.calls.wait_settled(_GRACE_S):
            self._services.keeper.let_go()
            self._services.calls.wait_settled(_GRACE_S)
        if self._sender is not None:
            self._sender.stop()
        if self._sweeper is not None:
            self._sweeper.stop()
        if self._services is not None:
            close_services(self._services)


def make_worker_app(settings: Settings, queue: QueueName) -> Celery:
    """The application of one worker: threads that wait for `io`, forked processes that compute for `cpu`."""
    app, task = open_celery(settings)
    app.conf.update(worker_proc_alive_timeout=_START_S, broker_connection_max_retries=None)
    if queue is QueueName.IO:
        # A consumer that holds all it may looks for more only once a second; few, so that what is urgent does not wait.
        app.conf.update(worker_disable_prefetch=False, worker_prefetch_multiplier=_AHEAD)
    process = WorkerProcess(settings, queue)

    def run_steps(step_ids: list[str]) -> None:
        begin_ring(process.services, Ring(queue=queue, priority=Priority.NORMAL, step_ids=tuple(step_ids)))

    forks = queue is QueueName.CPU

    def opening(**_signal: object) -> None:
        if forks:
            die_with_parent()
        process.open()

    def closing(**_signal: object) -> None:
        process.close()

    def letting_go(**_signal: object) -> None:
        process.let_go_soon()

    app.task(run_steps, name=task)
    opened = worker_process_init if forks else worker_init
    closed = worker_process_shutdown if forks else worker_shutdown
    opened.connect(opening, weak=False)
    closed.connect(closing, weak=False)
    if not forks:
        worker_shutting_down.connect(letting_go, weak=False)
    setup_logging.connect(_keep_logging, weak=False)
    return app


def _keep_logging(**_signal: object) -> None:
    """The entry point has set logging up; that someone listens keeps Celery from doing it again."""


def run_worker(settings: Settings, queue: QueueName, *, urgent: bool = False) -> None:
    """Work on one queue until told to stop (SIGTERM: steps that compute are finished, model calls given back soon).

    Args:
        settings: of this process.
        queue: on which.
        urgent: with a single process that leaves alone what can wait, so that a batch never keeps all of them busy.
    """
    # In a container there may be no other user, and messages are JSON: nothing in one can run as code.
    warnings.simplefilter("ignore", SecurityWarning)
    app = make_worker_app(settings, queue)
    if queue is QueueName.CPU:
        prepare(Job, Step, StoredFile, PageText, Issue, Extraction, RunResult)
    processes = 1 if urgent else settings.cpu_workers
    pool = ("prefork", processes) if queue is QueueName.CPU else ("threads", settings.io_threads)
    worker = app.Worker(
        pool=pool[0],
        concurrency=pool[1],
        queues=lanes_of(queue, urgent=urgent),
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        loglevel="WARNING",
        max_memory_per_child=_CHILD_MEMORY_KB if queue is QueueName.CPU else None,
        hostname=f"{'urgent' if urgent else queue}@fieldmark",
        quiet=True,
    )
    worker.start()


_AHEAD = 2
"""Messages for each thread of `io` that are taken off the queue before it is free."""
_GRACE_S = 2.0
"""So long model calls may go on after SIGTERM; `serve` waits 5 s for its children, a container 10 s."""
_START_S = 60.0
"""So long a forked process may take to get ready; Celery's four seconds are short on a busy machine."""
_CHILD_MEMORY_KB = 600_000
"""A forked process that grew past this ends after its step, and a fresh one takes its place."""
