"""What all answers of the API have in common."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict

API = "/api/v1"


class Payload(BaseModel):
    """Base of all answers; what it says is the whole shape."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)


def moment(at: float) -> datetime:
    """Unix seconds as a time in UTC."""
    return datetime.fromtimestamp(at, UTC)
