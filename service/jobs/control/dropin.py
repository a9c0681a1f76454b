"""The vendor's synchronous path over jobs: a request is a job that is waited for.

The same request, sent again while its job runs, is attached to that job; a job that nobody waits for any more goes on
for a time of grace and is cancelled then. Both are kept in the rows of idempotency keys, under keys that no caller can
send.
"""

from __future__ import annotations

import threading
from contextlib import suppress

from service.domain.errors import ClientError, ErrorCode, StateError
from service.domain.jobs import Job, JobStatus
from service.jobs.control.ending import cancel_job
from service.jobs.intake.submit import Submission, add_job, hold_files, prepare_job
from service.jobs.queries import get_job
from service.jobs.services import Services
from service.jobs.settle import ring

_PREFIX = "·v1/"
"""A caller's own keys are ASCII."""
_MOST = 200
_USELESS = (JobStatus.FAILED, JobStatus.CANCELLED)


def submit_or_attach(services: Services, submission: Submission, digest: str) -> tuple[Job, Attendance, bool]:
    """Make a job, or find the one that the same request made and nobody had the answer of.

    Args:
        services: of this process.
        submission: what is asked for.
        digest: of the whole request, who asks included.

    Returns:
        The job; what whoever waits for it must look through; and whether the job was there already.

    Raises:
        InputError: the schema, an option or the model cannot be taken.
    """
    key, tenant_id = _PREFIX + digest, submission.tenant_id
    new = prepare_job(services, submission)
    now = services.clock()
    with services.store.write(durable=True) as rows:
        found = rows.idempotency.get(tenant_id, key, lock=True)
        running = rows.jobs.find(tenant_id, found[1]) if found and found[1] else None
        if running is not None and running.status not in _USELESS:
            rows.idempotency.touch(tenant_id, key, now)
            return running, Attendance(services, running, key), True
        hold_files(rows, [new])
        add_job(rows, new)
        rows.idempotency.put(tenant_id, key, digest, new.job.id, now)
    ring(services, [new.step])
    return new.job, Attendance(services, new.job, key), False


class Attendance:
    """Someone who waits for a job; being looked through is what keeps the job from being given up."""

    def __init__(self, services: Services, job: Job, key: str) -> None:
        self._services = services
        self._tenant_id = job.tenant_id
        self._job_id = job.id
        self._key = key
        self._lock = threading.Lock()
        self._touched_at = services.clock()

    def look(self) -> Job:
        """The job as it stands."""
        services, now = self._services, self._services.clock()
        with self._lock:
            due = now - self._touched_at > services.limits.grace_s / 4
            if due:
                self._touched_at = now
        if due:
            with services.store.write() as rows:
                rows.idempotency.touch(self._tenant_id, self._key, now)
        return get_job(services, self._tenant_id, self._job_id)

    def leave(self) -> None:
        """The answer is out: from now on the same request makes a new job."""
        with self._services.store.write() as rows:
            rows.idempotency.remove(self._tenant_id, self._key, self._job_id)


def cancel_abandoned(services: Services) -> None:
    """Cancel the jobs that nobody waited for during the time of grace."""
    before = services.clock() - services.limits.grace_s
    with services.store.read() as rows:
        abandoned = rows.idempotency.untouched(_PREFIX, before, _MOST)
    for tenant_id, key, job_id in abandoned:
        with services.store.write() as rows:
            gone = rows.idempotency.remove_untouched(tenant_id, key, before)
        if gone and job_id is not None:
            with suppress(StateError):  # it is over or deleted: nothing is left to cancel
                cancel_job(services, tenant_id, job_id)


def require_result(job: Job) -> None:
    """Let nobody take a job for an answer that has none.

    Raises:
        ServiceError: what the job failed with, or that it was cancelled, or that it is not over.
    """
    if job.status is JobStatus.CANCELLED:
        raise StateError(ErrorCode.WRONG_STATE, f"The job {job.id!r} of this request was cancelled; send it again.")
    if job.status is JobStatus.FAILED:
        fault = job.fault
        code = ErrorCode(fault.code) if fault and fault.code in frozenset(ErrorCode) else ErrorCode.INTERNAL
        message = fault.message if fault else "The job failed."
        raise ClientError(code, message, retryable=bool(fault and fault.retryable))
    if not job.status.is_terminal:
        raise ClientError(
            ErrorCode.MODEL_TIMEOUT,
            f"The job {job.id!r} of this request is still {job.status}; send the same request again to wait on.",
            retryable=True,
            retry_after_s=1.0,
        )
