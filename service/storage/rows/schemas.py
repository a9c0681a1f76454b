"""Rows of named schemas; a version is written once and never changed."""

from __future__ import annotations

from sqlalchemy import Connection, and_, func, select

from service.domain.schema_version import SchemaVersion
from service.storage import tables
from service.storage.codec import from_json, to_columns
from service.storage.rows.upsert import upsert


class SchemaRows:
    """The versions of every name of a tenant."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, tenant_id: str, name: str, version: int | None = None) -> SchemaVersion | None:
        """A version, or the latest."""
        schema = tables.schemas.c
        query = select(tables.schemas).where(schema.tenant_id == tenant_id, schema.name == name)
        if version is not None:
            query = query.where(schema.version == version)
        row = self._connection.execute(query.order_by(schema.version.desc()).limit(1)).mappings().first()
        return from_json(SchemaVersion, row) if row else None

    def of_content(self, tenant_id: str, name: str, sha256: str) -> SchemaVersion | None:
        """The version that has this content."""
        schema = tables.schemas.c
        query = select(tables.schemas).where(
            schema.tenant_id == tenant_id, schema.name == name, schema.sha256 == sha256
        )
        row = self._connection.execute(query).mappings().first()
        return from_json(SchemaVersion, row) if row else None

    def add(self, schema: SchemaVersion) -> bool:
        """Keep a version; False if another transaction took its number or its content first."""
        insert = upsert(self._connection, tables.schemas).values(to_columns(schema)).on_conflict_do_nothing()
        kept = self._connection.execute(insert.returning(tables.schemas.c.version))
        return kept.first() is not None

    def versions(self, tenant_id: str, name: str) -> tuple[int, ...]:
        """The numbers of a name, oldest first."""
        schema = tables.schemas.c
        query = select(schema.version).where(schema.tenant_id == tenant_id, schema.name == name)
        return tuple(self._connection.execute(query.order_by(schema.version)).scalars())

    def latest(self, tenant_id: str) -> tuple[SchemaVersion, ...]:
        """The latest version of each name, by name."""
        schema = tables.schemas.c
        newest = (
            select(schema.name, func.max(schema.version).label("version"))
            .where(schema.tenant_id == tenant_id)
            .group_by(schema.name)
            .subquery()
        )
        is_newest = and_(schema.name == newest.c.name, schema.version == newest.c.version)
        query = select(tables.schemas).join(newest, is_newest).where(schema.tenant_id == tenant_id)
        rows = self._connection.execute(query.order_by(schema.name))
        return tuple(from_json(SchemaVersion, row) for row in rows.mappings())
