"""How a job's next run begins, whoever asks for it."""

from __future__ import annotations

from dataclasses import replace

from service.domain.jobs import Job, JobStatus, ReviewState
from service.domain.records import NO_USAGE
from service.domain.steps import Step
from service.jobs.planning import first_step
from service.jobs.settle import save_status
from service.storage.store import Rows


def next_run(job: Job, now: float) -> Job:
    """The job in its next run, of which nothing is done; a review begins anew."""
    return replace(
        job,
        run=job.run + 1,
        status=JobStatus.QUEUED,
        started_at=now,
        finished_at=None,
        planned=False,
        fault=None,
        usage=NO_USAGE,
        review=ReviewState.NOT_NEEDED,
        review_reasons=(),
        claimed_by=None,
        claimed_until=0.0,
        decided_by=None,
        decided_at=None,
        revision=job.revision + 1,
    )


def restart(rows: Rows, new: Job, now: float) -> tuple[Job, Step]:
    """Start a run from its first step; pages that were read are not read again."""
    job = next_run(new, now)
    step = first_step(job, now)
    rows.steps.add([step])
    save_status(rows, job, now)
    return job, step
