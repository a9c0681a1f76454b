"""Rows of models' answers that may serve again: of a tenant, gone with the job that asked and with the file."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from service.storage import tables
from service.storage.upsert import upsert


class AnswerRows:
    """Answers by the key of their request."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, tenant_id: str, key: str, *, since: float) -> bytes | None:
        """An answer that is no older."""
        row = tables.answers.c
        query = select(row.body).where(row.tenant_id == tenant_id, row.key == key, row.created_at >= since)
        return self._connection.execute(query).scalar()

    def put(self, tenant_id: str, key: str, *, source_key: str, job_id: str, body: bytes, at: float) -> None:
        """Keep an answer; the newest one counts."""
        values = {"source_key": source_key, "job_id": job_id, "body": body, "created_at": at}
        query = upsert(self._connection, tables.answers).values(tenant_id=tenant_id, key=key, **values)
        self._connection.execute(query.on_conflict_do_update(index_elements=["tenant_id", "key"], set_=values))

    def forget_job(self, job_id: str) -> None:
        """Remove what a job's requests gave."""
        self._connection.execute(delete(tables.answers).where(tables.answers.c.job_id == job_id))

    def forget_source(self, source_key: str) -> None:
        """Remove what was said of a content whose pages are shown or read in another way now."""
        self._connection.execute(delete(tables.answers).where(tables.answers.c.source_key == source_key))

    def remove_before(self, at: float) -> None:
        """Forget old answers."""
        self._connection.execute(delete(tables.answers).where(tables.answers.c.created_at < at))
