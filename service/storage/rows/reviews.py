"""Rows of the history of reviews, and the hand-out of jobs to reviewers."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, or_, select

from service.domain.corrections import ReviewEvent
from service.domain.jobs import Job, JobStatus, ReviewState
from service.domain.review import CLAIM_S
from service.storage import tables
from service.storage.codec import from_json, to_columns
from service.storage.rows.jobs import JobRows

# Made once: building a statement takes longer than running it, and each run's end needs it.
_OF_JOB = (
    select(tables.review_events)
    .where(tables.review_events.c.job_id == bindparam("of_job"))
    .order_by(tables.review_events.c.position)
)


class ReviewRows:
    """Events of reviews: appended, read, and removed with their job alone."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def append(self, events: Sequence[ReviewEvent]) -> None:
        """Add events of a job that is locked."""
        rows = [{k: v for k, v in to_columns(event).items() if k != "position"} for event in events]
        if rows:
            self._connection.execute(insert(tables.review_events), rows)

    def of_job(self, job_id: str) -> tuple[ReviewEvent, ...]:
        """The whole history, oldest first."""
        rows = self._connection.execute(_OF_JOB, {"of_job": job_id})
        return tuple(from_json(ReviewEvent, row) for row in rows.mappings())

    def lock_next(self, tenant_id: str, who: str, now: float, *, skip: Sequence[str]) -> Job | None:
        """The oldest job that waits for a reviewer, locked; one that another transaction holds is passed over.

        What a colleague asked this reviewer about goes first.
        """
        job = tables.jobs.c
        asked = job.claimed_by == who, job.claimed_until > now + CLAIM_S
        for waiting in ((*_undecided(tenant_id), *asked), _waiting(tenant_id, now)):
            query = select(job.id).where(*waiting, job.id.notin_(list(skip)))
            query = query.order_by(job.created_at, job.id).limit(1).with_for_update(skip_locked=True)
            found = self._connection.execute(query).scalar()
            if found is not None:
                return JobRows(self._connection).get(found)
        return None

    def count_waiting(self, tenant_id: str, now: float) -> int:
        """How many jobs wait for a reviewer."""
        query = select(func.count()).select_from(tables.jobs).where(*_waiting(tenant_id, now))
        return self._connection.execute(query).scalar_one()


def _undecided(tenant_id: str) -> tuple[ColumnElement[bool], ...]:
    job = tables.jobs.c
    return (
        job.tenant_id == tenant_id,
        job.review.in_([ReviewState.NEEDED, ReviewState.IN_REVIEW]),
        job.status.in_([s for s in JobStatus if s.is_terminal]),
    )


def _waiting(tenant_id: str, now: float) -> tuple[ColumnElement[bool], ...]:
    job = tables.jobs.c
    return (*_undecided(tenant_id), or_(job.claimed_by.is_(None), job.claimed_until <= now))
