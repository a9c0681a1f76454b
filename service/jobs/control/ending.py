"""Cancel a run, delete a job."""

from __future__ import annotations

from dataclasses import replace

from service.domain.errors import ErrorCode, StateError
from service.domain.events import EventType
from service.domain.jobs import Job, JobStatus
from service.jobs.control.retention import refuse_held
from service.jobs.intake.uploads import remove_unused
from service.jobs.queries import lock_job
from service.jobs.services import Services
from service.jobs.settle import cancel_steps, save_status
from service.storage.rows.jobs import Receipt, Tombstone
from service.storage.store import Rows


def cancel_job(services: Services, tenant_id: str, job_id: str) -> Job:
    """End a run now; whoever works on it is stopped within seconds and can store nothing.

    Raises:
        StateError: there is no such job, or its run is over (`wrong_state`).
    """
    with services.store.write(durable=True) as rows:
        job = lock_job(rows, tenant_id, job_id)
        if job.status.is_terminal and job.status is not JobStatus.CANCELLED:
            raise StateError(ErrorCode.WRONG_STATE, f"The job {job_id!r} is already {job.status}.")
        return job if job.status.is_terminal else end_cancelled(rows, job, services.clock())


def end_cancelled(rows: Rows, job: Job, now: float) -> Job:
    """Cancel a locked run and all its open steps."""
    cancel_steps(rows, job, now)
    job = replace(job, status=JobStatus.CANCELLED, finished_at=now, revision=job.revision + 1)
    rows.jobs.forget_password(job.id)
    save_status(rows, job, now)
    return job


def delete_job(services: Services, tenant_id: str, job_id: str, *, reason: str = "requested") -> Receipt:
    """Remove a job and all that was made of it; its file too, unless another job stands on it.

    Raises:
        StateError: there is no such job, or it is on hold (`on_hold`).
    """
    now = services.clock()
    with services.store.write(durable=True) as rows:
        job = lock_job(rows, tenant_id, job_id)
        refuse_held(job)
        file = rows.files.lock(tenant_id, job.file_id)
        if not job.status.is_terminal:
            job = end_cancelled(rows, job, now)
        tombstone = Tombstone(job_id=job.id, file_sha256=file.sha256 if file else "", deleted_at=now, reason=reason)
        rows.events.append(job, EventType.JOB_DELETED, {"reason": reason}, now)
        removed = rows.jobs.remove(job, tombstone)
        removed["file"] = int(file is not None and remove_unused(services, rows, file))
    services.store.forget_deleted()
    return Receipt(tombstone=tombstone, removed=removed)
