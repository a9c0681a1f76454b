"""The tables of jobs: what was asked, by which named schema, the steps, what came of them, what deleted ones left."""

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
    Text,
    UniqueConstraint,
)

from service.storage.tables.parts import ROW_ID, metadata, tenant

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("file_id", ForeignKey("files.id"), nullable=False, index=True),
    Column("status", String(24), nullable=False),
    Column("run", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("schemas", JSON, nullable=False),
    Column("schema_names", Text, nullable=False),
    Column("is_routed", Boolean, nullable=False),
    Column("options", JSON, nullable=False),
    Column("engine", String(32), nullable=False),
    Column("external_id", String(200)),
    Column("metadata", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("started_at", Float),
    Column("finished_at", Float),
    Column("source_key", String(160)),
    Column("page_count", Integer),
    Column("documents", JSON),
    Column("routes", JSON),
    Column("planned", Boolean, nullable=False),
    Column("fault", JSON),
    Column("issues", JSON, nullable=False),
    Column("usage", JSON, nullable=False),
    Column("processing", JSON, nullable=False),
    Column("review", String(16), nullable=False),
    Column("review_reasons", JSON, nullable=False),
    Column("claimed_by", String(100)),
    Column("claimed_until", Float, nullable=False, server_default="0"),
    Column("decided_by", String(100)),
    Column("decided_at", Float),
    Column("created_by", String(100), nullable=False),
    Column("batch_id", String(40)),
    Column("hold", JSON(none_as_null=True)),
    Column("expires_at", Float),
    Column("password", Text),
    Column("last_seq", Integer, nullable=False),
    Index(None, "tenant_id", "created_at", "id"),
    Index(None, "tenant_id", "external_id"),
    Index(None, "status", "finished_at"),
    Index(None, "tenant_id", "review", "created_at"),
    Index(None, "batch_id", "status"),
    Index(None, "expires_at", "finished_at"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("tenant_id", String(64), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("job_id", String(40)),
    Column("created_at", Float, nullable=False),
)

steps = Table(
    "steps",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("run", Integer, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("pages", JSON, nullable=False),
    Column("document", Integer, nullable=False),
    Column("fields", JSON, nullable=False),
    Column("queue", String(8), nullable=False),
    Column("priority", Integer, nullable=False),
    Column("state", String(12), nullable=False),
    Column("version", Integer, nullable=False),
    Column("owner", String(80)),
    Column("attempt", Integer, nullable=False),
    Column("lease_until", Float, nullable=False),
    Column("not_before", Float, nullable=False),
    Column("rung_at", Float, nullable=False),
    Column("fault", JSON),
    Column("waiting", JSON),
    Column("created_at", Float, nullable=False),
    Column("started_at", Float),
    Column("finished_at", Float),
    Column("result", LargeBinary),
    UniqueConstraint("job_id", "run", "kind", "ordinal"),
    Index(None, "state", "not_before"),
    Index(None, "owner"),
)

answers = Table(
    "answers",
    metadata,
    Column("tenant_id", String(64), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("source_key", String(160), nullable=False, index=True),
    Column("job_id", String(40), nullable=False, index=True),
    Column("body", LargeBinary, nullable=False),
    Column("created_at", Float, nullable=False, index=True),
)

results = Table(
    "results",
    metadata,
    tenant(),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("run", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
)

unique_keys = Table(
    "unique_keys",
    metadata,
    Column("position", ROW_ID, primary_key=True),
    tenant(),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("record", Integer, nullable=False),
    Column("rule", String(500), nullable=False),
    Column("digest", String(64), nullable=False),
    UniqueConstraint("job_id", "record", "digest"),
    Index(None, "tenant_id", "digest"),
    sqlite_autoincrement=True,
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("job_id", String(40), primary_key=True),
    tenant(),
    Column("file_sha256", String(64), nullable=False),
    Column("deleted_at", Float, nullable=False),
    Column("reason", String(16), nullable=False),
    Column("batch_id", String(40), index=True),
)

schemas = Table(
    "schemas",
    metadata,
    Column("tenant_id", String(64), primary_key=True),
    Column("name", String(100), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("sha256", String(64), nullable=False),
    Column("source", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("created_by", String(100), nullable=False),
    UniqueConstraint("tenant_id", "name", "sha256"),
)

schema_retention = Table(
    "schema_retention",
    metadata,
    Column("tenant_id", String(64), primary_key=True),
    Column("schema_name", String(100), primary_key=True),
    Column("days", Integer, nullable=False),
)
