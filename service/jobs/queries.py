"""Questions about jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.export import Export
from service.domain.jobs import Job
from service.domain.records import JsonObject
from service.domain.steps import StepKind, StepTally
from service.domain.traffic import Waiting
from service.domain.webhooks import JOBS_WEBHOOK, Delivery
from service.jobs.paging import read_page
from service.jobs.services import Services
from service.storage.rows.jobs import JobFilter
from service.storage.store import Rows

_NONE = StepTally()


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    pages_total: int | None
    """None until the file was opened."""
    pages_read: int
    splits_total: int
    """Splits that were planned so far."""
    splits_done: int
    splits_failed: int
    waiting: Waiting | None = None
    """Why a step of it was put back; the one that goes on first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDetails:
    """What is told of one job and not in lists."""

    progress: Progress
    deliveries: Sequence[Delivery]
    """What was sent to the address that came with it, oldest first."""
    exports: Sequence[tuple[Export, int]]
    """Those that held it, and in which revision, oldest first."""


JUST_MADE = JobDetails(
    progress=Progress(pages_total=None, pages_read=0, splits_total=0, splits_done=0, splits_failed=0),
    deliveries=(),
    exports=(),
)


def get_job(services: Services, tenant_id: str, job_id: str) -> Job:
    """A job of this tenant.

    Raises:
        StateError: `job_not_found`, or `expired` if there was one.
    """
    with services.store.read() as rows:
        return _found(rows, tenant_id, job_id)


def lock_job(rows: Rows, tenant_id: str, job_id: str) -> Job:
    """A job of this tenant that nobody else changes before this transaction ends.

    Raises:
        StateError: `job_not_found`, or `expired` if there was one.
    """
    return _found(rows, tenant_id, job_id, lock=True)


def _found(rows: Rows, tenant_id: str, job_id: str, *, lock: bool = False) -> Job:
    job = rows.jobs.find(tenant_id, job_id, lock=lock)
    if job is not None:
        return job
    grave = rows.jobs.tombstone(tenant_id, job_id)
    if grave is not None:
        raise StateError(ErrorCode.EXPIRED, f"The job {job_id!r} was deleted ({grave.reason}); its result is gone.")
    raise StateError(ErrorCode.JOB_NOT_FOUND, f"There is no job {job_id!r}.")


def source_of(job: Job, document: int | None) -> JsonObject:
    """The schema of a document (0-based) as it was when the job came; None: the job's only one.

    Raises:
        InputError: `invalid_option`, no document is named and each may have another schema.
        StateError: `schema_not_found`, the document is not there, or was given none.
    """
    if document is None:
        if job.is_routed:
            raise InputError(
                ErrorCode.INVALID_OPTION,
                f"The documents of the job {job.id!r} have schemas of their own: name one by `document`.",
                param="document",
            )
        return job.schemas[0].source
    known = job.is_laid_out and document < len(job.page_ranges())
    schema = job.schema_of(document) if known else None
    if schema is None:
        raise StateError(
            ErrorCode.SCHEMA_NOT_FOUND,
            f"The document {document} of the job {job.id!r} has no schema, or none yet.",
            param="document",
        )
    return schema.source


def list_jobs(
    services: Services, tenant_id: str, wanted: JobFilter, *, cursor: str | None, most: int, from_oldest: bool = False
) -> tuple[tuple[Job, ...], str | None]:
    """The newest or the oldest jobs that fit, and the cursor of the next page if there is one.

    Raises:
        InputError: `invalid_option`, the cursor is not one of ours.
    """
    with services.store.read() as rows:
        listed = rows.jobs.oldest if from_oldest else rows.jobs.newest
        return read_page(partial(listed, tenant_id, wanted), cursor, most)


def file_names(services: Services, tenant_id: str, jobs: Sequence[Job]) -> Mapping[str, str]:
    """What the files of jobs are called, by the jobs' ids."""
    with services.store.read() as rows:
        names = rows.files.names(tenant_id, {job.file_id for job in jobs})
    return {job.id: names.get(job.file_id, "") for job in jobs}  # none: it was deleted a moment ago


def get_details(services: Services, job: Job) -> JobDetails:
    """How far a job is, and where its results went."""
    with services.store.read() as rows:
        told = job.options.webhook_url is not None
        return JobDetails(
            progress=_progress(rows, job),
            deliveries=rows.deliveries.of_job(job.id, JOBS_WEBHOOK) if told else (),
            exports=rows.exports.of_job(job.id),
        )


def get_progress(services: Services, job: Job) -> Progress:
    """How far the current run is."""
    with services.store.read() as rows:
        return _progress(rows, job)


def _progress(rows: Rows, job: Job) -> Progress:
    extracts = rows.steps.tallies(job).get(StepKind.EXTRACT, _NONE)
    return Progress(
        pages_total=job.page_count,
        pages_read=rows.pages.count(job.source_key) if job.source_key else 0,
        splits_total=extracts.total,
        splits_done=extracts.done,
        splits_failed=extracts.failed,
        waiting=None if job.status.is_terminal else rows.steps.first_put_back(job),
    )
