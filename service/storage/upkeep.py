"""Rows that keep the fleet in order: which processes are alive, and who has which duty."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from service.storage import tables


class UpkeepRows:
    """Heartbeats and duties."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def beat(self, process_id: str, kind: str, now: float) -> None:
        """Say that a process is alive."""
        mine = update(tables.processes).where(tables.processes.c.id == process_id)
        if self._connection.execute(mine.values(seen_at=now)).rowcount == 0:
            self._connection.execute(insert(tables.processes).values(id=process_id, kind=kind, seen_at=now))

    def leave(self, process_id: str) -> None:
        """Say that a process ends."""
        self._connection.execute(delete(tables.processes).where(tables.processes.c.id == process_id))

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

    def take_duty(self, name: str, owner: str, now: float, until: float) -> bool:
        """Take or keep a duty that one process has at a time; whether it is this one's now."""
        duty = tables.duties
        free = or_(duty.c.owner == owner, duty.c.until < now)
        query = update(duty).where(duty.c.name == name, free).values(owner=owner, until=until)
        if self._connection.execute(query).rowcount:
            return True
        if self._connection.execute(select(duty.c.name).where(duty.c.name == name)).one_or_none():
            return False
        with self._connection.begin_nested() as attempt:
            try:
                self._connection.execute(insert(duty).values(name=name, owner=owner, until=until))
            except IntegrityError:
                attempt.rollback()  # another process was first
                return False
        return True
