"""How long jobs are kept, and holds that keep them, over REST."""

from __future__ import annotations

from functools import partial

from anyio import to_thread
from fastapi import APIRouter, Depends, Request

from service.api.bodies import read_object
from service.api.context import Admin, Reader, ServicesOf, refuse_query
from service.api.documentation import JOB, errors, json_body, success
from service.api.faults import check_body
from service.api.payloads import examples
from service.api.payloads.jobs import JobPayload
from service.api.payloads.retention import HELD, SETTINGS, HoldRequest, SchemaSettings, SchemaSettingsPayload
from service.api.routes.jobs import JobId, job_payload
from service.api.routes.schemas import SchemaName
from service.domain.errors import ErrorCode
from service.jobs.control.retention import end_hold, hold_job, keep_schema_for, schema_days

router = APIRouter(tags=["retention"], dependencies=[Depends(refuse_query)])


@router.put(
    "/schemas/{name}/settings",
    summary="Change a schema's settings",
    responses=errors(ErrorCode.SCHEMA_NOT_FOUND) | success(SchemaSettingsPayload, SETTINGS, "What holds now."),
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
    responses=errors(ErrorCode.SCHEMA_NOT_FOUND) | success(SchemaSettingsPayload, SETTINGS, "What holds."),
)
def read_settings(name: SchemaName, services: ServicesOf, caller: Reader) -> SchemaSettingsPayload:
    """How long jobs of a schema are kept."""
    return SchemaSettingsPayload(schema_name=name, retention_days=schema_days(services, caller.tenant_id, name))


@router.post(
    "/jobs/{job_id}/hold",
    summary="Hold a job",
    responses=errors(*JOB) | success(JobPayload, HELD, "The job, on hold."),
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
