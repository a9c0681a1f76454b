"""Several files of one schema, handed in together and asked for together: the vendor's asynchronous jobs."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from service.domain.errors import ErrorCode, StateError
from service.domain.jobs import Job, JobGroup
from service.domain.records import JsonObject
from service.jobs.intake.submit import Submission, add_job, hold_files, prepare_job
from service.jobs.services import Services
from service.jobs.settle import ring

MOST_SHOWN = 50
"""Groups in a list."""


@dataclass(frozen=True, slots=True)
class GroupView:
    """A group with its jobs as they stand; None for one that was deleted."""

    group: JobGroup
    jobs: tuple[Job | None, ...]


def submit_group(services: Services, submissions: Sequence[Submission], *, model: str, asked: JsonObject) -> JobGroup:
    """Make a job of each file, all or none.

    Args:
        services: of this process.
        submissions: at least one, in the order of the files.
        model: as the caller is told.
        asked: what the answers tell beside the values.

    Raises:
        InputError: the schema, an option or the model cannot be taken.
    """
    made = [prepare_job(services, submission) for submission in submissions]
    group = JobGroup(
        id=str(uuid.uuid4()),
        tenant_id=submissions[0].tenant_id,
        model=model,
        asked=asked,
        job_ids=tuple(new.job.id for new in made),
        file_names=tuple(submission.file.name for submission in submissions),
        created_at=services.clock(),
    )
    with services.store.write(durable=True) as rows:
        hold_files(rows, made)
        for new in made:
            add_job(rows, new)
        rows.groups.add(group)
    ring(services, [new.step for new in made])
    return group


def get_group(services: Services, tenant_id: str, group_id: str) -> GroupView:
    """A group of this tenant.

    Raises:
        StateError: `job_not_found`, or `expired` when none of its jobs is left.
    """
    with services.store.read() as rows:
        group = rows.groups.find(tenant_id, group_id)
        jobs = rows.jobs.find_all(tenant_id, group.job_ids) if group else {}
    if group is None:
        raise StateError(ErrorCode.JOB_NOT_FOUND, f"There is no job {group_id[:100]!r}.")
    if not jobs:
        raise StateError(ErrorCode.EXPIRED, f"The job {group_id!r} was deleted; its results are gone.")
    return _view(group, jobs)


def list_groups(services: Services, tenant_id: str) -> tuple[GroupView, ...]:
    """The newest groups of this tenant that still have a job, newest first."""
    with services.store.read() as rows:
        groups = rows.groups.newest(tenant_id, MOST_SHOWN)
        jobs = rows.jobs.find_all(tenant_id, [job_id for group in groups for job_id in group.job_ids])
    views = [_view(group, jobs) for group in groups]
    return tuple(view for view in views if any(view.jobs))


def _view(group: JobGroup, jobs: Mapping[str, Job]) -> GroupView:
    return GroupView(group, tuple(jobs.get(job_id) for job_id in group.job_ids))


def is_done(job: Job | None) -> bool:
    """Whether a file of a group has its answer."""
    return job is not None and job.status.has_result
