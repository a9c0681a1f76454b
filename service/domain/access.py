"""Who may use an installation: users, their roles and their keys."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a user may do; each includes the ones before it, except that `review` and `submit` are apart."""

    READ = "read"
    SUBMIT = "submit"
    REVIEW = "review"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A named person or program of a tenant."""

    id: str
    tenant_id: str
    name: str
    role: Role
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """One key of a user; `digest` is the SHA-256 of the whole key, `prefix` its first letters for display."""

    id: str
    tenant_id: str
    user_id: str
    label: str
    prefix: str
    digest: str
    created_at: float
    revoked_at: float | None = None
