"""Rows of the event log: durable and ordered, one sequence a tenant and one a job."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, delete, func, insert, select, text, update

from service.domain.events import Event, EventType
from service.domain.jobs import Job
from service.domain.records import JsonObject
from service.storage import tables
from service.storage.codec import from_json
from service.storage.engine import EVENT_LOCK

_NEXT_SEQ = (
    update(tables.jobs)
    .where(tables.jobs.c.id == bindparam("job_id"))
    .values(last_seq=tables.jobs.c.last_seq + 1)
    .returning(tables.jobs.c.last_seq)
)
_ADD = insert(tables.events)


class EventRows:
    """Appends and reads events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def append(self, job: Job, kind: EventType, data: JsonObject, at: float, *, seq: int | None = None) -> None:
        """Add an event of a job that is locked; last in its transaction, for it keeps other writers waiting.

        `seq` is the event's number among the job's own, if the job's row has it already; None: the next one is taken.

        On PostgreSQL row ids are given before the commit, so a reader could see 8 and later 7: the lock makes the
        order of commits the order of positions.
        """
        if self._connection.dialect.name == "postgresql":
            self._connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": EVENT_LOCK})
        if seq is None:
            seq = self._connection.execute(_NEXT_SEQ, {"job_id": job.id}).scalar_one()
        told = data | {"revision": job.revision}
        row = {"tenant_id": job.tenant_id, "job_id": job.id, "seq": seq, "type": kind, "data": told, "at": at}
        self._connection.execute(_ADD, row)

    def after(self, tenant_id: str, position: int, most: int) -> tuple[Event, ...]:
        """Events of a tenant behind a position, oldest first."""
        event = tables.events.c
        query = select(tables.events).where(event.tenant_id == tenant_id, event.position > position)
        rows = self._connection.execute(query.order_by(event.position).limit(most)).mappings()
        return tuple(from_json(Event, row) for row in rows)

    def of_job(self, tenant_id: str, job_id: str, after_seq: int, most: int) -> tuple[Event, ...]:
        """Events of one job behind a sequence number, oldest first."""
        event = tables.events.c
        mine = (event.tenant_id == tenant_id, event.job_id == job_id, event.seq > after_seq)
        rows = self._connection.execute(select(tables.events).where(*mine).order_by(event.seq).limit(most))
        return tuple(from_json(Event, row) for row in rows.mappings())

    def last_position(self, tenant_id: str) -> int:
        """The newest position, 0 when the log is empty."""
        query = select(func.max(tables.events.c.position)).where(tables.events.c.tenant_id == tenant_id)
        return self._connection.execute(query).scalar() or 0

    def remove_before(self, at: float) -> None:
        """Forget old events, of all tenants."""
        self._connection.execute(delete(tables.events).where(tables.events.c.at < at))
