"""The tables of files: their blobs, and the pages that were read of them."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Float, ForeignKey, Index, Integer, LargeBinary, String, Table, Text

from service.storage.tables.parts import metadata, tenant

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
