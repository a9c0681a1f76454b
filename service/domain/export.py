"""Exports: records handed to a receiver once, and again only when somebody changed them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Release(StrEnum):
    """Which records may leave."""

    APPROVED = "approved"
    """Those that a person approved."""
    PASSED = "passed"
    """Those too that nobody needs to look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Records that go to a receiver together. Times are Unix seconds."""

    id: str
    tenant_id: str
    receiver: str
    """Who keeps books of its own: what went to one may still go to another."""
    schema_name: str
    release: Release
    created_at: float
    created_by: str
    confirmed_at: float | None = None
    """When the receiver said that it has them; until then the same records are handed out again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportItem:
    """A job of an export, as it was then."""

    job_id: str
    revision: int
    run: int
    upto: int
    """Position of the last event of its review that counts; 0: as the model gave it."""
