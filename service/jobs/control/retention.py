"""How long jobs are kept: as they, their schema or the installation say; and holds, which keep them all the same."""

from __future__ import annotations

from dataclasses import replace

from service.domain.errors import ErrorCode, StateError
from service.domain.events import EventType
from service.domain.jobs import Hold, Job
from service.jobs.intake.schemas import find_schema
from service.jobs.queries import lock_job
from service.jobs.services import Services
from service.storage.rows.retention import BY_DEFAULT
from service.storage.store import Rows

LONGEST_DAYS = 36_500
DAY_S = 86_400.0


def keep_schema_for(services: Services, tenant_id: str, name: str, days: int | None) -> None:
    """Say how many days the jobs of a schema are kept after their end; it holds for those that are there too.

    Raises:
        StateError: `schema_not_found`.
    """
    find_schema(services, tenant_id, name)
    with services.store.write(durable=True) as rows:
        rows.retention.set_days(tenant_id, name, days)


def schema_days(services: Services, tenant_id: str, name: str) -> int | None:
    """How many days the jobs of a schema are kept; None: as the installation says.

    Raises:
        StateError: `schema_not_found`.
    """
    find_schema(services, tenant_id, name)
    with services.store.read() as rows:
        return rows.retention.days(tenant_id, [name]).get(name)


def hold_job(services: Services, tenant_id: str, job_id: str, by: str, reason: str) -> Job:
    """Keep a job, whatever its retention, from being deleted by anybody.

    Raises:
        StateError: there is no such job.
    """
    now = services.clock()
    return _set_hold(services, tenant_id, job_id, Hold(by=by, at=now, reason=reason), by)


def end_hold(services: Services, tenant_id: str, job_id: str, by: str) -> Job:
    """Let a job go its way again.

    Raises:
        StateError: there is no such job.
    """
    return _set_hold(services, tenant_id, job_id, None, by)


def refuse_held(job: Job) -> None:
    """Let nobody delete a job that is on hold.

    Raises:
        StateError: `on_hold`.
    """
    if job.hold is not None:
        raise StateError(
            ErrorCode.ON_HOLD,
            f"The job {job.id!r} is on hold by {job.hold.by!r}; an admin ends that with DELETE /jobs/{job.id}/hold.",
        )


def note_expiry(services: Services, most: int) -> None:
    """Note of finished jobs when their time is over."""
    with services.store.write() as rows:
        for job in rows.retention.undecided(most):
            rows.retention.note(job.id, _expiry(rows, job))


def _expiry(rows: Rows, job: Job) -> float:
    """The job's own word goes first; of several schemas the one that says least."""
    days = job.options.retention_days
    if days is None:
        days = min(rows.retention.days(job.tenant_id, job.schema_names()).values(), default=None)
    return BY_DEFAULT if days is None else (job.finished_at or job.created_at) + days * DAY_S


def _set_hold(services: Services, tenant_id: str, job_id: str, hold: Hold | None, by: str) -> Job:
    with services.store.write(durable=True) as rows:
        job = lock_job(rows, tenant_id, job_id)
        if (job.hold is None) == (hold is None):
            return job  # a second hold changes neither who was first nor why
        job = replace(job, hold=hold, revision=job.revision + 1)
        rows.jobs.save(job)
        rows.events.append(job, EventType.JOB_HOLD, {"held": hold is not None, "by": by}, services.clock())
    return job
