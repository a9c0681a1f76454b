"""Exports: records handed to a receiver once, and again only when somebody changed them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from service.domain.jobs import ReviewState
from service.domain.records import JsonObject


class Release(StrEnum):
    """Which records may leave."""

    APPROVED = "approved"
    """Those that a person approved."""
    PASSED = "passed"
    """Those too that nobody needs to look at."""

    @property
    def states(self) -> tuple[ReviewState, ...]:
        """How their reviews stand."""
        approved = (ReviewState.APPROVED,)
        return approved if self is Release.APPROVED else (*approved, ReviewState.NOT_NEEDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Records that go to a receiver together. Times are Unix seconds."""

    id: str
    tenant_id: str
    receiver: str
    """Who keeps books of its own: what went to one may still go to another."""
    schema_name: str
    schema: JsonObject
    """The newest one of that name among the jobs: it gives the columns."""
    release: Release
    created_at: float
    created_by: str
    confirmed_at: float | None = None
    """When the receiver said that it has them; until then the same records are handed out again."""
