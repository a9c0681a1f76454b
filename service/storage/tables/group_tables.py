"""The tables of jobs taken together: groups and batches that were handed in, exports that are handed over."""

from __future__ import annotations

from sqlalchemy import JSON, Column, Float, ForeignKey, Index, Integer, LargeBinary, String, Table, Text

from service.storage.tables.parts import metadata, tenant

job_groups = Table(
    "job_groups",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("model", String(200), nullable=False),
    Column("asked", JSON, nullable=False),
    Column("job_ids", JSON, nullable=False),
    Column("file_names", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Index(None, "tenant_id", "created_at"),
)

batches = Table(
    "batches",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("name", String(200), nullable=False),
    Column("external_id", String(200)),
    Column("metadata", JSON, nullable=False),
    Column("defaults", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("created_by", String(100), nullable=False),
    Column("closed_at", Float),
    Index(None, "tenant_id", "created_at", "id"),
)

batch_entries = Table(
    "batch_entries",
    metadata,
    tenant(),
    Column("batch_id", ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True),
    Column("path", String(1024), primary_key=True),
    Column("content", String(64), primary_key=True),
    Column("job_id", String(40), index=True),
    Column("code", String(40)),
    Column("message", Text),
)

exports = Table(
    "exports",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("receiver", String(100), nullable=False),
    Column("schema_name", String(100), nullable=False),
    Column("schema", JSON, nullable=False),
    Column("release", String(12), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("created_by", String(100), nullable=False),
    Column("confirmed_at", Float),
    Index(None, "tenant_id", "created_at", "id"),
    # Among rows that are not confirmed: the migration says so, where tables are made. Saying so here as well would load
    # PostgreSQL's part of SQLAlchemy into every process.
    Index("uq_exports_unconfirmed", "tenant_id", "receiver", "schema_name", unique=True),
)

export_items = Table(
    "export_items",
    metadata,
    tenant(),
    Column("export_id", ForeignKey("exports.id", ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("receiver", String(100), nullable=False),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index(None, "job_id", "receiver", "revision"),
)
