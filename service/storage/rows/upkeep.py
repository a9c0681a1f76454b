"""Rows that keep the fleet in order: which processes are alive, and who has which duty."""

from __future__ import annotations

from sqlalchemy import Connection, delete, or_, select

from service.storage import tables
from service.storage.rows.upsert import put_rows, upsert


class UpkeepRows:
    """Heartbeats and duties."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def beat(self, process_id: str, kind: str, now: float) -> None:
        """Say that a process is alive."""
        row = {"id": process_id, "kind": kind, "seen_at": now}
        put_rows(self._connection, tables.processes, [row], keys=("id",))

    def leave(self, process_id: str) -> None:
        """Say that a process ends; its duties are free."""
        self._connection.execute(delete(tables.processes).where(tables.processes.c.id == process_id))
        self._connection.execute(delete(tables.duties).where(tables.duties.c.owner == process_id))

    def alive(self, since: float) -> dict[str, int]:
        """How many processes of each kind were heard of since then."""
        query = select(tables.processes.c.kind).where(tables.processes.c.seen_at >= since)
        counts: dict[str, int] = {}
        for kind in self._connection.execute(query).scalars():
            counts[kind] = counts.get(kind, 0) + 1
        return counts

    def bury(self, before: float) -> None:
        """Forget processes that were not heard of for long."""
        self._connection.execute(delete(tables.processes).where(tables.processes.c.seen_at < before))

    def mark(self, name: str) -> float | None:
        """How far a work has come that goes on from round to round; None: it was never begun."""
        query = select(tables.duties.c.until).where(tables.duties.c.name == name)
        return self._connection.execute(query).scalar_one_or_none()

    def set_mark(self, name: str, at: float) -> None:
        """Note how far it has come."""
        put_rows(self._connection, tables.duties, [{"name": name, "owner": "", "until": at}], keys=("name",))

    def take_duty(self, name: str, owner: str, now: float, until: float) -> bool:
        """Take or keep a duty that one process has at a time; whether it is this one's now."""
        duty = tables.duties.c
        query = upsert(self._connection, tables.duties).values(name=name, owner=owner, until=until)
        taken = query.on_conflict_do_update(
            index_elements=["name"],
            set_={"owner": owner, "until": until},
            where=or_(duty.owner == owner, duty.until < now),
        )
        return self._connection.execute(taken.returning(duty.name)).one_or_none() is not None
