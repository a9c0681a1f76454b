"""Rows of jobs that were handed in together on the vendor's asynchronous path."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from service.domain.jobs import JobGroup
from service.storage import tables
from service.storage.codec import from_json, to_columns


class GroupRows:
    """Groups of a tenant's jobs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, group: JobGroup) -> None:
        """Insert a new group; its jobs are there."""
        self._connection.execute(insert(tables.job_groups).values(to_columns(group)))

    def find(self, tenant_id: str, group_id: str) -> JobGroup | None:
        """A group of this tenant, or None."""
        group = tables.job_groups.c
        query = select(tables.job_groups).where(group.id == group_id, group.tenant_id == tenant_id)
        row = self._connection.execute(query).mappings().one_or_none()
        return from_json(JobGroup, row) if row else None

    def newest(self, tenant_id: str, most: int) -> tuple[JobGroup, ...]:
        """The newest groups, newest first."""
        group = tables.job_groups.c
        query = select(tables.job_groups).where(group.tenant_id == tenant_id)
        rows = self._connection.execute(query.order_by(group.created_at.desc(), group.id.desc()).limit(most))
        return tuple(from_json(JobGroup, row) for row in rows.mappings())

    def remove_before(self, at: float) -> None:
        """Forget groups whose jobs are long gone."""
        self._connection.execute(delete(tables.job_groups).where(tables.job_groups.c.created_at < at))
