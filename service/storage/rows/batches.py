"""Rows of batches, of their books, and of the files that no job could be made of."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, func, insert, select, update

from service.domain.batches import Batch, BatchCounts, RefusedEntry
from service.domain.jobs import JobStatus
from service.storage import tables
from service.storage.codec import from_json, to_columns
from service.storage.rows.paging import Cursor, newest_first
from service.storage.rows.upsert import upsert


class BatchRows:
    """The batches of a tenant."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, batch: Batch) -> None:
        """Insert a new batch."""
        self._connection.execute(insert(tables.batches).values(to_columns(batch)))

    def find(self, tenant_id: str, batch_id: str, *, lock: bool = False) -> Batch | None:
        """A batch of this tenant, or None; with `lock` it is not closed before this transaction ends.

        Those who add a job share the lock, one who closes it waits for them.
        """
        batch = tables.batches.c
        query = select(tables.batches).where(batch.id == batch_id, batch.tenant_id == tenant_id)
        row = self._connection.execute(query.with_for_update(read=True) if lock else query).mappings().one_or_none()
        return from_json(Batch, row) if row else None

    def close(self, batch: Batch, at: float) -> None:
        """Take no more jobs; closing twice keeps the first time."""
        row = tables.batches
        open_one = (row.c.id == batch.id, row.c.closed_at.is_(None))
        self._connection.execute(update(row).where(*open_one).values(closed_at=at))

    def newest(self, tenant_id: str, before: Cursor | None, most: int) -> tuple[Batch, ...]:
        """Newest first, older than the cursor (created_at, id)."""
        mine = select(tables.batches).where(tables.batches.c.tenant_id == tenant_id)
        rows = self._connection.execute(newest_first(mine, tables.batches, before, most))
        return tuple(from_json(Batch, row) for row in rows.mappings())

    def counts(self, batch_id: str) -> BatchCounts:
        """The books as they stand."""
        job = tables.jobs.c
        rows = self._connection.execute(
            select(job.status, job.review, func.count(), func.sum(job.page_count))
            .where(job.batch_id == batch_id)
            .group_by(job.status, job.review)
        ).all()
        statuses: dict[str, int] = {}
        reviews: dict[str, int] = {}
        for status, review, count, _ in rows:
            statuses[status] = statuses.get(status, 0) + count
            if JobStatus(status).is_terminal:
                reviews[review] = reviews.get(review, 0) + count
        return BatchCounts(
            jobs=statuses,
            review=reviews,
            pages=sum(pages or 0 for *_, pages in rows),
            deleted=self._count(tables.tombstones, tables.tombstones.c.batch_id == batch_id),
            refused=self._count(tables.batch_entries, *_refused(batch_id)),
        )

    def schema_names(self, batch_id: str) -> tuple[str, ...]:
        """Names of the schemas that documents of its jobs have or may have."""
        listed = select(tables.jobs.c.schema_names).where(tables.jobs.c.batch_id == batch_id).distinct()
        found = {name for names in self._connection.execute(listed).scalars() for name in names.split("\n") if name}
        return tuple(sorted(found))

    def job_ids(self, batch_id: str, statuses: Collection[JobStatus], *, most: int) -> tuple[str, ...]:
        """Some of its jobs that stand so."""
        job = tables.jobs.c
        query = select(job.id).where(job.batch_id == batch_id, job.status.in_(statuses))
        return tuple(self._connection.execute(query.limit(most)).scalars())

    def add_entry(self, batch: Batch, path: str, content: str, outcome: str | RefusedEntry) -> bool:
        """Note what became of a file of an archive: the id of its job, or why there is none.

        False: the same bytes under the same path were noted before; nothing is changed.
        """
        row = {"tenant_id": batch.tenant_id, "batch_id": batch.id, "path": path, "content": content}
        if isinstance(outcome, RefusedEntry):
            row |= {"code": outcome.code, "message": outcome.message}
        else:
            row |= {"job_id": outcome}
        entry = upsert(self._connection, tables.batch_entries).values(row).on_conflict_do_nothing()
        return self._connection.execute(entry.returning(tables.batch_entries.c.path)).first() is not None

    def refused(self, batch_id: str, *, after: str, most: int) -> tuple[RefusedEntry, ...]:
        """Files that no job could be made of, by path, behind one."""
        entry = tables.batch_entries.c
        query = select(entry.path, entry.code, entry.message).where(*_refused(batch_id), entry.path > after)
        rows = self._connection.execute(query.order_by(entry.path).limit(most)).mappings()
        return tuple(RefusedEntry(**row) for row in rows)

    def remove_empty(self, before: float) -> None:
        """Forget batches that are old and have no job left."""
        batch = tables.batches.c
        left = exists().where(tables.jobs.c.batch_id == batch.id)
        old = select(batch.id).where(batch.created_at < before, ~left)
        self._connection.execute(delete(tables.batch_entries).where(tables.batch_entries.c.batch_id.in_(old)))
        self._connection.execute(delete(tables.batches).where(batch.created_at < before, ~left))

    def _count(self, table: Table, *where: ColumnElement[bool]) -> int:
        return self._connection.execute(select(func.count()).select_from(table).where(*where)).scalar_one()


def _refused(batch_id: str) -> tuple[ColumnElement[bool], ...]:
    entry = tables.batch_entries.c
    return entry.batch_id == batch_id, entry.code.is_not(None)
