"""How long jobs are kept, and holds, as they are asked for and shown."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from service.api.payloads import examples
from service.api.payloads.base import Payload
from service.api.payloads.jobs import JobPayload
from service.domain.records import JsonObject
from service.jobs.control.retention import LONGEST_DAYS

Days = Annotated[int, Field(ge=1, le=LONGEST_DAYS)]


class SchemaSettings(BaseModel):
    """What holds for the jobs of a schema."""

    model_config = ConfigDict(extra="forbid")

    retention_days: Days | None = Field(description="Days a job is kept after its end; null: as the installation says.")


class SchemaSettingsPayload(Payload):
    """What holds for the jobs of a schema."""

    schema_name: str
    retention_days: int | None


class HoldRequest(BaseModel):
    """Why a job must be kept."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")


SETTINGS: JsonObject = {"schema_name": "invoice", "retention_days": 90}
_HOLD: JsonObject = {"by": "anna", "at": "2026-11-30T09:00:00.120Z", "reason": "Case 17"}
HELD: JsonObject = {**examples.JOB, "hold": _HOLD}
EXAMPLES = ((SchemaSettingsPayload, SETTINGS), (JobPayload, HELD))
