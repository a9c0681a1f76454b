"""The tables of who may call, and of which processes do the work."""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, String, Table, UniqueConstraint

from service.storage.tables.parts import metadata, tenant

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
