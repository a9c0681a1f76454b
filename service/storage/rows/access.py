"""Rows of users and API keys. A key itself is never stored, only its digest."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, insert, select, update

from service.domain.access import ApiKey, Role, User
from service.storage import tables
from service.storage.codec import from_json, to_columns

_IN_FORCE = select(tables.api_keys.c.id).where(tables.api_keys.c.revoked_at.is_(None)).limit(1)
"""Made once: a machine without keys asks with each request."""


class AccessRows:
    """Users and their keys."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add_user(self, user: User) -> None:
        """Insert a user; names are unique in a tenant."""
        self._connection.execute(insert(tables.users).values(to_columns(user)))

    def user_named(self, tenant_id: str, name: str) -> User | None:
        """A user by name."""
        user = tables.users.c
        query = select(tables.users).where(user.tenant_id == tenant_id, user.name == name)
        row = self._connection.execute(query).mappings().one_or_none()
        return from_json(User, row) if row else None

    def names(self, tenant_id: str, roles: Collection[Role]) -> tuple[str, ...]:
        """Users of some roles, by name."""
        user = tables.users.c
        query = select(user.name).where(user.tenant_id == tenant_id, user.role.in_(list(roles))).order_by(user.name)
        return tuple(self._connection.execute(query).scalars())

    def set_role(self, user_id: str, role: Role) -> None:
        """Change what a user may do."""
        self._connection.execute(update(tables.users).where(tables.users.c.id == user_id).values(role=role))

    def add_key(self, key: ApiKey) -> None:
        """Insert a key."""
        self._connection.execute(insert(tables.api_keys).values(to_columns(key)))

    def keys(self, tenant_id: str) -> tuple[tuple[ApiKey, User], ...]:
        """All keys of a tenant with their users, oldest first."""
        query = select(tables.api_keys).where(tables.api_keys.c.tenant_id == tenant_id)
        rows = self._connection.execute(query.order_by(tables.api_keys.c.created_at)).mappings()
        return tuple((key, self._user(key.user_id)) for key in (from_json(ApiKey, row) for row in rows))

    def owner(self, digest: str) -> User | None:
        """The user whose key has this digest, unless the key was revoked."""
        key = tables.api_keys.c
        query = select(tables.users).join(tables.api_keys, key.user_id == tables.users.c.id)
        found = self._connection.execute(query.where(key.digest == digest, key.revoked_at.is_(None)))
        row = found.mappings().one_or_none()
        return from_json(User, row) if row else None

    def revoke(self, tenant_id: str, key_id: str, at: float) -> bool:
        """End a key; whether there was one to end."""
        key = tables.api_keys.c
        query = update(tables.api_keys).where(key.id == key_id, key.tenant_id == tenant_id, key.revoked_at.is_(None))
        return self._connection.execute(query.values(revoked_at=at)).rowcount == 1

    def any_key(self) -> bool:
        """Whether any key is in force."""
        return self._connection.execute(_IN_FORCE).first() is not None

    def _user(self, user_id: str) -> User:
        row = self._connection.execute(select(tables.users).where(tables.users.c.id == user_id)).mappings().one()
        return from_json(User, row)
