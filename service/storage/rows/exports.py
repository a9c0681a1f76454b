"""Rows of exports: what went where, and what was not there yet."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, bindparam, delete, exists, func, insert, select, update

from service.domain.export import Export, Release
from service.domain.jobs import Job, JobStatus
from service.storage import tables
from service.storage.codec import from_json, to_columns
from service.storage.rows.jobs import JobRows, names_schema
from service.storage.rows.paging import Cursor, newest_first
from service.storage.rows.upsert import upsert

_OF_JOB = (
    select(tables.exports, tables.export_items.c.revision)
    .join(tables.export_items, tables.export_items.c.export_id == tables.exports.c.id)
    .where(tables.export_items.c.job_id == bindparam("of_job"))
    .order_by(tables.exports.c.created_at)
)
"""Made once: whoever looks at a job asks it."""
_DONE = tuple(status for status in JobStatus if status.has_result)


class ExportRows:
    """The exports of a tenant."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, export: Export) -> bool:
        """Insert an export; False if one to this receiver is not confirmed yet."""
        row = upsert(self._connection, tables.exports).values(to_columns(export)).on_conflict_do_nothing()
        return self._connection.execute(row.returning(tables.exports.c.id)).first() is not None

    def find(self, tenant_id: str, export_id: str) -> Export | None:
        """An export of this tenant, or None."""
        export = tables.exports.c
        return self._one(export.tenant_id == tenant_id, export.id == export_id)

    def unconfirmed(self, tenant_id: str, receiver: str, schema_name: str) -> Export | None:
        """What a receiver was given and did not confirm."""
        export = tables.exports.c
        mine = (export.tenant_id == tenant_id, export.receiver == receiver, export.schema_name == schema_name)
        return self._one(*mine, export.confirmed_at.is_(None))

    def newest(self, tenant_id: str, before: Cursor | None, most: int) -> tuple[Export, ...]:
        """Newest first, older than the cursor (created_at, id)."""
        mine = select(tables.exports).where(tables.exports.c.tenant_id == tenant_id)
        rows = self._connection.execute(newest_first(mine, tables.exports, before, most))
        return tuple(from_json(Export, row) for row in rows.mappings())

    def confirm(self, export: Export, at: float) -> None:
        """The receiver has it; confirming twice keeps the first time."""
        row = tables.exports
        open_one = (row.c.id == export.id, row.c.confirmed_at.is_(None))
        self._connection.execute(update(row).where(*open_one).values(confirmed_at=at))

    def fresh(self, tenant_id: str, receiver: str, schema_name: str, release: Release, most: int) -> tuple[Job, ...]:
        """Jobs that may leave and that the receiver was not given as they stand now, oldest first."""
        job, item = tables.jobs.c, tables.export_items.c
        given = exists().where(item.job_id == job.id, item.receiver == receiver, item.revision == job.revision)
        query = select(job.id).where(
            job.tenant_id == tenant_id,
            names_schema(schema_name),
            job.review.in_(release.states),
            job.status.in_(_DONE),
            ~given,
        )
        ids = tuple(self._connection.execute(query.order_by(job.created_at, job.id).limit(most)).scalars())
        found = JobRows(self._connection).find_all(tenant_id, ids)
        return tuple(found[job_id] for job_id in ids if job_id in found)

    def add_items(self, export: Export, items: Sequence[tuple[Job, bytes]]) -> None:
        """Keep the results of an export, in its order."""
        common = {"tenant_id": export.tenant_id, "export_id": export.id, "receiver": export.receiver}
        rows = [
            common | {"job_id": job.id, "revision": job.revision, "ordinal": number, "body": body}
            for number, (job, body) in enumerate(items)
        ]
        self._connection.execute(insert(tables.export_items), rows)

    def bodies(self, export_id: str, *, after: int, most: int) -> tuple[tuple[int, bytes], ...]:
        """Results of an export with their numbers, behind one; those of deleted jobs are gone."""
        item = tables.export_items.c
        query = select(item.ordinal, item.body).where(item.export_id == export_id, item.ordinal > after)
        rows = self._connection.execute(query.order_by(item.ordinal).limit(most))
        return tuple((row[0], row[1]) for row in rows)

    def count(self, export_id: str) -> int:
        """How many jobs an export holds."""
        query = select(func.count()).where(tables.export_items.c.export_id == export_id)
        return self._connection.execute(query).scalar_one()

    def of_job(self, job_id: str) -> tuple[tuple[Export, int], ...]:
        """Exports that held a job, and in which revision, oldest first."""
        rows = self._connection.execute(_OF_JOB, {"of_job": job_id}).mappings()
        return tuple((from_json(Export, row), row["revision"]) for row in rows)

    def remove_empty(self, before: float) -> None:
        """Forget exports that are old and of whose jobs none is left."""
        export = tables.exports.c
        left = exists().where(tables.export_items.c.export_id == export.id)
        self._connection.execute(delete(tables.exports).where(export.created_at < before, ~left))

    def _one(self, *where: ColumnElement[bool]) -> Export | None:
        row = self._connection.execute(select(tables.exports).where(*where)).mappings().first()
        return from_json(Export, row) if row else None
