"""Rows of values that no two documents may share, as digests; first come, first kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select, tuple_

from service.domain.jobs import Job
from service.storage import tables
from service.storage.rows.upsert import upsert


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueRow:
    """A record's digest under a rule."""

    record: int
    """0-based index of the record in its job."""
    rule: str
    digest: str


class UniqueRows:
    """Digests of all tenants; one tenant's never meet another's."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, job: Job, keys: Sequence[UniqueRow]) -> None:
        """Have these stand for a locked job and no others; those that stood there keep their place in the order.

        Nobody else puts the same digest before this transaction ends, so of two at once one comes first and the other
        sees it (SQLite's writers are alone as it is).
        """
        if self._connection.dialect.name == "postgresql":
            for digest in sorted({key.digest for key in keys}):  # one order for all, so that no two wait for each other
                name = func.hashtextextended(f"{job.tenant_id}/{digest}", 0)
                self._connection.execute(select(func.pg_advisory_xact_lock(name)))
        row = tables.unique_keys
        kept = [(key.record, key.digest) for key in keys]
        old = delete(row).where(row.c.job_id == job.id, tuple_(row.c.record, row.c.digest).not_in(kept))
        self._connection.execute(old)
        new = [
            {"tenant_id": job.tenant_id, "job_id": job.id, "record": k.record, "rule": k.rule, "digest": k.digest}
            for k in keys
        ]
        if new:
            self._connection.execute(upsert(self._connection, row).on_conflict_do_nothing(), new)

    def earlier(self, job: Job) -> Mapping[tuple[int, str], str]:
        """The job that had the same first, by record and digest; what nobody had before is left out."""
        mine, other = tables.unique_keys.alias("mine"), tables.unique_keys.alias("other")
        same = (other.c.tenant_id == mine.c.tenant_id) & (other.c.digest == mine.c.digest)
        query = (
            select(mine.c.record, mine.c.digest, other.c.job_id)
            .join(other, same & (other.c.position < mine.c.position))
            .where(mine.c.job_id == job.id)
            .order_by(other.c.position.desc())
        )
        return {(record, digest): job_id for record, digest, job_id in self._connection.execute(query)}
