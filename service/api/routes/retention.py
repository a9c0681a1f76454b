"""How long jobs are kept, and holds that keep them, over REST."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field

from service.api.bodies import read_object
from service.api.context import Admin, Reader, ServicesOf, refuse_query
from service.api.documentation import JOB, errors, json_body, success
from service.api.faults import check_body
from service.api.payloads import examples
from service.api.payloads.base import Payload
from service.api.payloads.jobs import JobPayload
from service.api.routes.jobs import JobId, job_payload
from service.api.routes.schemas import SchemaName
from service.domain.errors import ErrorCode
from service.domain.records import JsonObject
from service.jobs.control.retention import LONGEST_DAYS, end_hold, hold_job, keep_schema_for, schema_days

router = APIRouter(tags=["retention"], dependencies=[Depends(refuse_query)])
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


_SETTINGS: JsonObject = {"schema_name": "invoice", "retention_days": 90}
_HOLD: JsonObject = {"by": "anna", "at": "2026-11-30T09:00:00.120Z", "reason": "Case 17"}
_HELD: JsonObject = {**examples.JOB, "hold": _HOLD}
EXAMPLES = ((SchemaSettingsPayload, _SETTINGS), (JobPayload, _HELD))


@router.put(
    "/schemas/{name}/settings",
    summary="Change a schema's settings",
    responses=errors(ErrorCode.SCHEMA_NOT_FOUND) | success(SchemaSettingsPayload, _SETTINGS, "What holds now."),
    openapi_extra=json_body(SchemaSettings, {"retention_days": 90}),
)
async def change_settings(
    name: SchemaName, request: Request, services: ServicesOf, caller: Admin
) -> SchemaSettingsPayload:
    """Say how long jobs of a schema are kept, in all its versions; it holds for those that are there too."""
    wanted = check_body(SchemaSettings, await read_object(request))
    keep = partial(keep_schema_for, services, caller.tenant_id, name, wanted.retention_days)
    await to_thread.run_sync(keep)
    return SchemaSettingsPayload(schema_name=name, retention_days=wanted.retention_days)


@router.get(
    "/schemas/{name}/settings",
    summary="A schema's settings",
    responses=errors(ErrorCode.SCHEMA_NOT_FOUND) | success(SchemaSettingsPayload, _SETTINGS, "What holds."),
)
def read_settings(name: SchemaName, services: ServicesOf, caller: Reader) -> SchemaSettingsPayload:
    """How long jobs of a schema are kept."""
    return SchemaSettingsPayload(schema_name=name, retention_days=schema_days(services, caller.tenant_id, name))


@router.post(
    "/jobs/{job_id}/hold",
    summary="Hold a job",
    responses=errors(*JOB) | success(JobPayload, _HELD, "The job, on hold."),
    openapi_extra=json_body(HoldRequest, {"reason": "Case 17"}),
)
async def hold(job_id: JobId, request: Request, services: ServicesOf, caller: Admin) -> JobPayload:
    """Keep a job, its file and all that was made of it from being deleted, by hand or by time."""
    wanted = check_body(HoldRequest, await read_object(request))
    job = await to_thread.run_sync(hold_job, services, caller.tenant_id, job_id, caller.user, wanted.reason)
    return await to_thread.run_sync(job_payload, services, job)


@router.delete(
    "/jobs/{job_id}/hold",
    summary="End a hold",
    responses=errors(*JOB) | success(JobPayload, examples.JOB, "The job, free again."),
)
def release(job_id: JobId, services: ServicesOf, caller: Admin) -> JobPayload:
    """Let a job go its way again; what is past its time is deleted soon."""
    return job_payload(services, end_hold(services, caller.tenant_id, job_id, caller.user))
