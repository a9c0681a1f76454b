"""The SQL tables. Every row belongs to a tenant; times are Unix seconds; JSON and blobs are opaque to SQL."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
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

from service.storage.review_tables import judgements as judgements
from service.storage.review_tables import memories as memories
from service.storage.review_tables import review_events as review_events
from service.storage.table_parts import ROW_ID, metadata, tenant

blobs = Table(
    "blobs",
    metadata,
    tenant(),
    Column("key", String(160), primary_key=True),
    Column("size_bytes", BigInteger, nullable=False),
    Column("references", Integer, nullable=False),
    Column("turns", JSON, nullable=False),
)

files = Table(
    "files",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("blob_key", ForeignKey("blobs.key"), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("source_key", String(160)),
    Column("page_sizes", JSON),
    Index(None, "tenant_id", "created_at"),
)

pages = Table(
    "pages",
    metadata,
    tenant(),
    Column("source_key", String(160), primary_key=True),
    Column("page", Integer, primary_key=True, autoincrement=False),
    Column("source", String(16), nullable=False),
    Column("noticed", JSON, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

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

schema_retention = Table(
    "schema_retention",
    metadata,
    Column("tenant_id", String(64), primary_key=True),
    Column("schema_name", String(100), primary_key=True),
    Column("days", Integer, nullable=False),
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

results = Table(
    "results",
    metadata,
    tenant(),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("run", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
)

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

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("tenant_id", String(64), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("job_id", String(40)),
    Column("created_at", Float, nullable=False),
)

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

users = Table(
    "users",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("name", String(100), nullable=False),
    Column("role", String(16), nullable=False),
    Column("created_at", Float, nullable=False),
    UniqueConstraint("tenant_id", "name"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String(40), primary_key=True),
    tenant(),
    Column("user_id", ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("label", String(100), nullable=False),
    Column("prefix", String(16), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("created_at", Float, nullable=False),
    Column("revoked_at", Float),
)

processes = Table(
    "processes",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("seen_at", Float, nullable=False),
)

duties = Table(
    "duties",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("owner", String(80), nullable=False),
    Column("until", Float, nullable=False),
)
