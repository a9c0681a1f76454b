"""Batches: opened, filled with jobs one by one, closed, counted, ended and tried again together."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from service.domain.batches import Batch, BatchCounts, BatchState, RefusedEntry
from service.domain.errors import StateError
from service.domain.jobs import Job, JobStatus
from service.domain.records import JsonObject
from service.jobs.control.ending import cancel_job
from service.jobs.control.retry import retry_job
from service.jobs.intake.batch_books import batch_of
from service.jobs.paging import read_page
from service.jobs.services import Services

_AT_ONCE = 200
_OPEN = tuple(status for status in JobStatus if not status.is_terminal)
_TO_RETRY = (JobStatus.FAILED, JobStatus.PARTIALLY_SUCCEEDED, JobStatus.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBatch:
    """What a caller says of a batch."""

    name: str = ""
    external_id: str | None = None
    metadata: JsonObject
    defaults: JsonObject
    """Options of a job that hold for each one that says nothing else."""
    created_by: str = ""


@dataclass(frozen=True, slots=True)
class BatchView:
    """A batch with its books."""

    batch: Batch
    counts: BatchCounts

    @property
    def state(self) -> BatchState:
        """Where it stands."""
        if self.batch.closed_at is None:
            return BatchState.OPEN
        is_over = not any(self.counts.jobs.get(status) for status in _OPEN)
        return BatchState.FINISHED if is_over else BatchState.CLOSED


def open_batch(services: Services, tenant_id: str, new: NewBatch) -> BatchView:
    """Make a batch that jobs can name."""
    batch = Batch(
        id=f"batch_{uuid.uuid4().hex}",
        tenant_id=tenant_id,
        name=new.name,
        external_id=new.external_id,
        metadata=new.metadata,
        defaults=new.defaults,
        created_at=services.clock(),
        created_by=new.created_by,
    )
    with services.store.write(durable=True) as rows:
        rows.batches.add(batch)
    return BatchView(batch, BatchCounts())


def find_batch(services: Services, tenant_id: str, batch_id: str) -> Batch:
    """A batch of this tenant, without its books.

    Raises:
        StateError: `batch_not_found`.
    """
    with services.store.read() as rows:
        return batch_of(rows, tenant_id, batch_id)


def get_batch(services: Services, tenant_id: str, batch_id: str) -> BatchView:
    """A batch of this tenant with its books.

    Raises:
        StateError: `batch_not_found`.
    """
    with services.store.read() as rows:
        return BatchView(batch_of(rows, tenant_id, batch_id), rows.batches.counts(batch_id))


def list_batches(
    services: Services, tenant_id: str, *, cursor: str | None, most: int
) -> tuple[tuple[BatchView, ...], str | None]:
    """The newest batches, and the cursor of the next page if there is one.

    Raises:
        InputError: `invalid_option`, the cursor is not one of ours.
    """
    with services.store.read() as rows:
        page, following = read_page(partial(rows.batches.newest, tenant_id), cursor, most)
        return tuple(BatchView(batch, rows.batches.counts(batch.id)) for batch in page), following


def list_refused(
    services: Services, tenant_id: str, batch_id: str, *, after: str, most: int
) -> tuple[RefusedEntry, ...]:
    """Files of the batch's archives that no job could be made of, by path.

    Raises:
        StateError: `batch_not_found`.
    """
    with services.store.read() as rows:
        return rows.batches.refused(batch_of(rows, tenant_id, batch_id).id, after=after, most=most)


def close_batch(services: Services, tenant_id: str, batch_id: str) -> BatchView:
    """Take no more jobs into it; closing twice is fine.

    Raises:
        StateError: `batch_not_found`.
    """
    with services.store.write(durable=True) as rows:
        rows.batches.close(batch_of(rows, tenant_id, batch_id), services.clock())
    return get_batch(services, tenant_id, batch_id)


def cancel_batch(services: Services, tenant_id: str, batch_id: str) -> BatchView:
    """Close it and end every run of it that is not over; asking twice is fine.

    Raises:
        StateError: `batch_not_found`.
    """
    close_batch(services, tenant_id, batch_id)
    _each_job(services, batch_id, _OPEN, lambda job_id: cancel_job(services, tenant_id, job_id))
    return get_batch(services, tenant_id, batch_id)


def retry_batch(services: Services, tenant_id: str, batch_id: str) -> BatchView:
    """Try again what failed of every job whose run is over and was no full success.

    Raises:
        StateError: `batch_not_found`.
    """
    find_batch(services, tenant_id, batch_id)
    _each_job(services, batch_id, _TO_RETRY, lambda job_id: retry_job(services, tenant_id, job_id))
    return get_batch(services, tenant_id, batch_id)


def _each_job(services: Services, batch_id: str, statuses: tuple[JobStatus, ...], act: Callable[[str], Job]) -> None:
    """Do something to each job that stands so, handful by handful; one that moved on meanwhile is passed over."""
    done: set[str] = set()
    while True:
        with services.store.read() as rows:
            found = rows.batches.job_ids(batch_id, statuses, most=len(done) + _AT_ONCE)
        left = [job_id for job_id in found if job_id not in done]
        if not left:
            return
        for job_id in left:
            with suppress(StateError):
                act(job_id)
        done.update(left)
