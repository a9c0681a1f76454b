"""The tables of reviews: what people did, what it taught, and what it says of the model."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
)

from service.storage.tables.parts import ROW_ID, metadata, tenant

review_events = Table(
    "review_events",
    metadata,
    Column("position", ROW_ID, primary_key=True),
    tenant(),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("run", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("action", String(12), nullable=False),
    Column("client_id", String(100)),
    Column("by", String(100), nullable=False),
    Column("at", Float, nullable=False),
    Column("correction", JSON(none_as_null=True)),
    Column("detail", JSON, nullable=False),
    UniqueConstraint("job_id", "client_id"),
    sqlite_autoincrement=True,
)

memories = Table(
    "memories",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("schema_name", String(100), nullable=False),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Float, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index(None, "tenant_id", "schema_name", "created_at"),
)

judgements = Table(
    "judgements",
    metadata,
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    tenant(),
    Column("record_index", Integer, primary_key=True, autoincrement=False),
    Column("schema_name", String(100), nullable=False),
    Column("model", String(200), nullable=False),
    Column("at", Float, nullable=False),
    Column("by", String(100), nullable=False),
    Column("seconds", Float),
    Column("passed", Boolean, nullable=False),
    Column("sampled", Boolean, nullable=False),
    Column("changed", Integer, nullable=False),
    Column("tallies", JSON, nullable=False),
    Index(None, "tenant_id", "schema_name", "at"),
)
