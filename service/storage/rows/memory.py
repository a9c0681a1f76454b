"""Rows of what approved documents taught, and of what their reviews say about the model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import Connection, bindparam, delete, insert, select

from service.domain.judgements import Judgement
from service.domain.memory import Memory
from service.storage import tables
from service.storage.codec import from_json, pack, to_columns, unpack

_MEMORY = tables.memories.c
# Made once: building a statement takes longer than running it, and each call needs it.
_NEWEST = (
    select(_MEMORY.body)
    .where(_MEMORY.tenant_id == bindparam("of_tenant"))
    .order_by(_MEMORY.created_at.desc(), _MEMORY.id)
    .limit(bindparam("most"))
)
_NEWEST_OF_SCHEMA = _NEWEST.where(_MEMORY.schema_name == bindparam("of_schema"))
_JUDGED = (
    select(tables.judgements)
    .where(tables.judgements.c.tenant_id == bindparam("of_tenant"), tables.judgements.c.at >= bindparam("since"))
    .order_by(tables.judgements.c.at.desc(), tables.judgements.c.job_id)
    .limit(bindparam("most"))
)
_JUDGED_OF_SCHEMA = _JUDGED.where(tables.judgements.c.schema_name == bindparam("of_schema"))


class MemoryRows:
    """Memories of layouts: of their tenant alone, and gone with the document that they are of."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, memories: Sequence[Memory]) -> None:
        """Keep what a document taught."""
        rows = [{name: getattr(memory, name) for name in _PLAIN} | {"body": pack(memory)} for memory in memories]
        if rows:
            self._connection.execute(insert(tables.memories), rows)

    def newest(self, tenant_id: str, schema_name: str | None, most: int) -> tuple[Memory, ...]:
        """The newest of a schema, or of all; newest first."""
        query = _NEWEST if schema_name is None else _NEWEST_OF_SCHEMA
        asked = {"of_tenant": tenant_id, "of_schema": schema_name, "most": most}
        rows = self._connection.execute(query, asked)
        return tuple(_unpacked(body) for (body,) in rows)

    def find(self, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Those that are there, in the order of the ids."""
        memory = tables.memories.c
        rows = self._connection.execute(select(memory.id, memory.body).where(memory.id.in_(list(memory_ids))))
        found = {memory_id: _unpacked(body) for memory_id, body in rows}
        return tuple(found[memory_id] for memory_id in memory_ids if memory_id in found)

    def remove(self, tenant_id: str, memory_id: str) -> bool:
        """Forget one; whether it was there."""
        memory = tables.memories
        found = memory.c.id == memory_id, memory.c.tenant_id == tenant_id
        return self._connection.execute(delete(memory).where(*found)).rowcount > 0

    def forget(self, job_id: str) -> None:
        """Forget all that a document taught."""
        self._connection.execute(delete(tables.memories).where(tables.memories.c.job_id == job_id))


class JudgementRows:
    """Approved documents and whether the model was right; gone with their document."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, judgements: Sequence[Judgement]) -> None:
        """Keep what a review said."""
        if judgements:
            self._connection.execute(insert(tables.judgements), [to_columns(j) for j in judgements])

    def newest(
        self, tenant_id: str, *, schema_name: str | None = None, since: float = 0.0, most: int
    ) -> tuple[Judgement, ...]:
        """The newest, newest first."""
        query = _JUDGED if schema_name is None else _JUDGED_OF_SCHEMA
        asked = {"of_tenant": tenant_id, "of_schema": schema_name, "since": since, "most": most}
        found = self._connection.execute(query, asked).mappings()
        return tuple(from_json(Judgement, line) for line in found)

    def forget(self, job_id: str) -> None:
        """As if it had never been approved."""
        self._connection.execute(delete(tables.judgements).where(tables.judgements.c.job_id == job_id))


_PLAIN = ("id", "tenant_id", "schema_name", "job_id", "created_at")


@lru_cache(maxsize=512)
def _unpacked(body: bytes) -> Memory:
    """Each extraction looks at the memories of its schema; they never change."""
    return unpack(Memory, body)
