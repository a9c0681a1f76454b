"""The tables of what happened and who is told of it."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Float, Index, Integer, String, Table, Text, UniqueConstraint

from service.storage.tables.parts import ROW_ID, metadata, tenant

events = Table(
    "events",
    metadata,
    Column("position", ROW_ID, primary_key=True),
    tenant(),
    Column("job_id", String(40), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("type", String(32), nullable=False),
    Column("data", JSON, nullable=False),
    Column("at", Float, nullable=False),
    UniqueConstraint("job_id", "seq"),
    Index(None, "tenant_id", "position"),
    Index(None, "at"),
    sqlite_autoincrement=True,
)

webhooks = Table(
    "webhooks",
    metadata,
    Column("tenant_id", String(64), primary_key=True),
    Column("id", String(40), primary_key=True),
    Column("url", Text, nullable=False),
    Column("types", JSON, nullable=False),
    Column("secret", String(120), nullable=False),
    Column("old_secret", String(120)),
    Column("old_until", Float, nullable=False),
    Column("description", String(200), nullable=False),
    Column("after", BigInteger, nullable=False),
    Column("disabled_at", Float),
    Column("created_at", Float, nullable=False),
    Column("created_by", String(100), nullable=False),
)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("webhook_id", String(40), nullable=False),
    Column("event_id", String(80), nullable=False),
    Column("type", String(32), nullable=False),
    Column("job_id", String(40), index=True),
    Column("url", Text, nullable=False),
    Column("host", String(255), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("not_before", Float, nullable=False),
    Column("owner", String(100)),
    Column("lease_until", Float, nullable=False),
    Column("status_code", Integer),
    Column("fault", String(500)),
    Column("created_at", Float, nullable=False),
    Column("finished_at", Float),
    UniqueConstraint("tenant_id", "webhook_id", "event_id"),
    Index(None, "state", "not_before"),
    Index(None, "tenant_id", "webhook_id", "created_at", "id"),
)
