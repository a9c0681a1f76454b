"""Ring again for what went quiet, end what cannot go on, and delete what is past its time.

Any process may sweep; a duty in the database lets one do it at a time.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from service.domain.errors import InternalError, ServiceError, StateError
from service.domain.steps import Step, StepState
from service.jobs import lifecycle
from service.jobs.control.dropin import cancel_abandoned
from service.jobs.control.ending import delete_job
from service.jobs.control.retention import note_expiry
from service.jobs.control.strays import remove_strays
from service.jobs.intake.idempotency import KEPT_S
from service.jobs.intake.uploads import forget_upload
from service.jobs.services import Services
from service.jobs.settle import go_on, lock_run, ring
from service.messaging.queue import Ring

_log = logging.getLogger(__name__)
DUTY = "sweep"
PATIENCE_S = 6.0
"""Waiting time after which a message counts as lost; doubled with each ring of a step."""
_MOST = 500
_UNFINISHED_S = 86_400.0
"""Time without a byte after which an upload counts as left behind."""
_FORGET_PROCESS_S = 3600.0
_STOP_S = 60.0
"""Twice what a round may wait for a database: whoever goes on without it closes the store under it."""


def sweep(services: Services) -> None:
    """One round."""
    now = services.clock()
    with services.store.write() as rows:
        if not rows.upkeep.take_duty(DUTY, services.process_id, now, now + services.rule.lease_s):
            return
        rows.upkeep.bury(now - _FORGET_PROCESS_S)
        rows.idempotency.remove_before(now - KEPT_S)
        rows.groups.remove_before(now - 2 * services.limits.retention_s)
        rows.answers.remove_before(now - services.rules.cache_s)
        rows.events.remove_before(now - 2 * services.limits.retention_s)
        rows.deliveries.remove_before(now - 2 * services.limits.retention_s)
        rows.batches.remove_empty(now - 2 * services.limits.retention_s)
        rows.exports.remove_empty(now - 2 * services.limits.retention_s)
        silent = rows.steps.silent(now, _MOST)
    for step in silent:
        with _apart(f"step {step.id}"):
            ring(services, _expire(services, step, now))
    _ring_unheard(services, now)
    cancel_abandoned(services)
    _delete_expired(services, now)
    services.blobs.clean_up(_UNFINISHED_S)
    services.store.forget_deleted()  # a password that was used still stands in the side file of the database
    remove_strays(services)


def _expire(services: Services, step: Step, now: float) -> tuple[Step, ...]:
    with services.store.write() as rows:
        job = lock_run(rows, step)
        found = rows.steps.get([step.id])
        changed = lifecycle.expire(found[0], now=now, rule=services.rule) if found else None
        if job is None or changed is None:
            return ()
        if changed.state is StepState.QUEUED:
            changed = replace(changed, rung_at=now)
        if not rows.steps.swap(found[0], changed):
            return ()
        return (changed,) if changed.state is StepState.QUEUED else go_on(services, rows, job, job)


def _ring_unheard(services: Services, now: float) -> None:
    """What could not be sent counts as not rung, so that the next round sends it."""
    with services.store.read() as rows:
        unheard = rows.steps.unheard(now, PATIENCE_S, _MOST)
    rings = [Ring(queue=s.queue, priority=s.priority, step_ids=(s.id,)) for s in unheard]
    if rings and services.queue.send(rings):
        with services.store.write() as rows:
            rows.steps.note_rung([step.id for step in unheard], now)


def _delete_expired(services: Services, now: float) -> None:
    before = now - services.limits.retention_s
    note_expiry(services, _MOST)
    with services.store.read() as rows:
        jobs = rows.retention.expired(now, before, _MOST)
        files = rows.files.idle(before, _MOST)
    for job in jobs:
        with _apart(f"job {job.id}"):
            delete_job(services, job.tenant_id, job.id, reason="retention")
    for file in files:
        with _apart(f"file {file.id}"):
            forget_upload(services, file)


@contextmanager
def _apart(what: str) -> Generator[None]:
    """Keep the trouble with one row from those behind it; that of the database or the disk is everybody's."""
    try:
        yield
    except StateError:  # somebody else did it meanwhile
        return
    except InternalError:
        raise
    except Exception:  # one that fails in each round must not end each round
        _log.exception("the sweep passed over %s", what)


class Sweeper:
    """Sweeps in a thread of its own until it is stopped."""

    def __init__(self, services: Services, *, every_s: float) -> None:
        self._services = services
        self._every_s = every_s
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the round that is under way."""
        self._stopped.set()
        self._thread.join(timeout=_STOP_S)

    def _run(self) -> None:
        while not self._stopped.wait(self._every_s):
            try:
                sweep(self._services)
            except ServiceError as error:
                _log.warning("a sweep ended early: %s", error.message)
            except Exception:  # the database may be away for a while; the next round does it
                _log.exception("a sweep failed")
