"""Until when jobs are kept: what schemas say of it, and which jobs are past their time and under no hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import ColumnElement, Connection, delete, select, update

from service.domain.jobs import Job, JobStatus
from service.storage import tables
from service.storage.codec import from_json
from service.storage.rows.jobs import JOB_COLUMNS, names_schema
from service.storage.rows.upsert import put_rows

BY_DEFAULT = -1.0
"""Stands for the time of a job that is kept as the installation says, whatever it comes to say."""


class RetentionRows:
    """Of each finished job it is noted when its time is over; a change of what counts has it noted anew."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def set_days(self, tenant_id: str, schema_name: str, days: int | None) -> None:
        """Say how many days jobs of a schema are kept after their end; None: as the installation says."""
        row = tables.schema_retention
        if days is None:
            mine = row.c.tenant_id == tenant_id, row.c.schema_name == schema_name
            self._connection.execute(delete(row).where(*mine))
        else:
            said = {"tenant_id": tenant_id, "schema_name": schema_name, "days": days}
            put_rows(self._connection, row, [said], keys=("tenant_id", "schema_name"))
        job = tables.jobs
        anew = update(job).where(job.c.tenant_id == tenant_id, names_schema(schema_name))
        self._connection.execute(anew.values(expires_at=None))

    def days(self, tenant_id: str, schema_names: Collection[str]) -> Mapping[str, int]:
        """What those of the schemas say that say anything."""
        row = tables.schema_retention.c
        query = select(row.schema_name, row.days)
        found = self._connection.execute(query.where(row.tenant_id == tenant_id, row.schema_name.in_(schema_names)))
        return {name: days for name, days in found}

    def undecided(self, most: int) -> tuple[Job, ...]:
        """Finished jobs, locked, of which it is not noted when their time is over."""
        job = tables.jobs.c
        query = select(*JOB_COLUMNS).where(job.expires_at.is_(None), _over()).order_by(job.id).limit(most)
        rows = self._connection.execute(query.with_for_update(skip_locked=True)).mappings()
        return tuple(from_json(Job, row) for row in rows)

    def note(self, job_id: str, expires_at: float) -> None:
        """Note when a job's time is over: a time, or `BY_DEFAULT`."""
        self._connection.execute(update(tables.jobs).where(tables.jobs.c.id == job_id).values(expires_at=expires_at))

    def expired(self, now: float, finished_before: float, most: int) -> tuple[Job, ...]:
        """Jobs past their time, unless they are on hold.

        Args:
            now: for jobs with a time of their own.
            finished_before: for those that are kept as the installation says.
            most: how many.
        """
        job = tables.jobs.c
        free = job.hold.is_(None), _over()
        own = select(*JOB_COLUMNS).where(job.expires_at > 0, job.expires_at < now, *free)
        usual = select(*JOB_COLUMNS).where(job.expires_at == BY_DEFAULT, job.finished_at < finished_before, *free)
        found: list[Job] = []
        for query in (own, usual):
            rows = self._connection.execute(query.limit(most - len(found))).mappings()
            found += [from_json(Job, row) for row in rows]
        return tuple(found)


def _over() -> ColumnElement[bool]:
    return tables.jobs.c.status.in_([status for status in JobStatus if status.is_terminal])
