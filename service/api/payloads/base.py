"""What answers of the API, and questions for lists, have in common."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict, Field

API = "/api/v1"


class Payload(BaseModel):
    """Base of all answers; what it says is the whole shape."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)


class CursorQuery(BaseModel):
    """Which page of a list."""

    model_config = ConfigDict(extra="forbid")

    cursor: str | None = Field(None, min_length=1, max_length=200, description="`next_cursor` of the page before.")


class PageQuery(CursorQuery):
    """Which page of a list, and how long it is."""

    limit: int = Field(50, ge=1, le=200)


def moment(at: float) -> datetime:
    """Unix seconds as a time in UTC."""
    return datetime.fromtimestamp(at, UTC)
