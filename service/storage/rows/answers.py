"""Rows of models' answers that may serve again: of a tenant, gone with the job that asked and with the file."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, delete, select

from service.storage import tables
from service.storage.rows.upsert import put_rows

# Made once: building a statement takes longer than running it, and each call needs it.
_GET = select(tables.answers.c.body).where(
    tables.answers.c.tenant_id == bindparam("of_tenant"),
    tables.answers.c.key == bindparam("of_key"),
    tables.answers.c.created_at >= bindparam("since"),
)


class AnswerRows:
    """Answers by the key of their request."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, tenant_id: str, key: str, *, since: float) -> bytes | None:
        """An answer that is no older."""
        found = self._connection.execute(_GET, {"of_tenant": tenant_id, "of_key": key, "since": since})
        return found.scalar()

    def put(self, tenant_id: str, key: str, *, source_key: str, job_id: str, body: bytes, at: float) -> None:
        """Keep an answer; the newest one counts."""
        row = {"tenant_id": tenant_id, "key": key, "source_key": source_key, "job_id": job_id, "body": body}
        put_rows(self._connection, tables.answers, [row | {"created_at": at}], keys=("tenant_id", "key"))

    def forget_source(self, source_key: str) -> None:
        """Remove what was said of a content whose pages are shown or read in another way now."""
        self._connection.execute(delete(tables.answers).where(tables.answers.c.source_key == source_key))

    def remove_before(self, at: float) -> None:
        """Forget old answers."""
        self._connection.execute(delete(tables.answers).where(tables.answers.c.created_at < at))
