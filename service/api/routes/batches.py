"""Batches over REST: thousands of files without one giant request, counted, ended and fetched together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from service.api.bodies import read_object
from service.api.context import Reader, ServicesOf, Submitter, refuse_query
from service.api.documentation import INTAKE, errors, json_body, success, upload_body
from service.api.forms import Fields, read_form
from service.api.intake import submission_of
from service.api.payloads import batches as shown
from service.api.payloads.base import PageQuery
from service.api.payloads.batches import ArchivePayload, BatchListPayload, BatchPayload, RefusedListPayload
from service.api.payloads.job_requests import IN_IDS, BatchRequest, JobRequest, check_request
from service.api.routes.jobs import WaitQuery
from service.api.waiting import ask_until
from service.auth.callers import Caller
from service.domain.batches import Batch, BatchState
from service.domain.errors import ErrorCode, InputError
from service.domain.files import StoredFile
from service.domain.jobs import Job, JobOptions
from service.domain.records import Json, JsonObject
from service.jobs.control.batches import (
    BatchView,
    NewBatch,
    cancel_batch,
    close_batch,
    find_batch,
    get_batch,
    list_batches,
    list_refused,
    open_batch,
    retry_batch,
)
from service.jobs.intake.archive import receive_archive, take_archive
from service.jobs.intake.schemas import SchemaWish, choose_schemas
from service.jobs.intake.submit import check_schema, submit_job
from service.jobs.services import Services
from service.storage.blobs.base import StoredBlob

router = APIRouter(tags=["batches"])
BatchId = Annotated[str, Path(description="Id of a batch.", max_length=64, pattern=IN_IDS)]
_MISSING = ErrorCode.BATCH_NOT_FOUND
_BATCH = success(BatchPayload, shown.BATCH, "The batch and its books.")


class RefusedQuery(BaseModel):
    """Which refused files are shown."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(200, ge=1, le=1000)
    after: str = Field("", max_length=1024, description="`next_after` of the page before.")


@router.post(
    "/batches",
    status_code=201,
    summary="Open a batch",
    responses=errors(ErrorCode.INVALID_SCHEMA, ErrorCode.SCHEMA_NOT_FOUND, ErrorCode.UNKNOWN_MODEL)
    | success(BatchPayload, shown.BATCH, "Open; jobs name it by `batch_id`.", status=201),
    openapi_extra=json_body(BatchRequest, shown.BATCH_REQUEST, required=False),
    dependencies=[Depends(refuse_query)],
)
async def create_batch(request: Request, services: ServicesOf, caller: Submitter) -> BatchPayload:
    """Options given here hold for each job that says nothing else; a named schema is held at its present version."""
    wanted = check_request(BatchRequest, await read_object(request))
    return await to_thread.run_sync(_open, services, caller, wanted)


@router.get(
    "/batches",
    summary="List batches",
    responses=errors() | success(BatchListPayload, shown.BATCH_LIST, "Newest first."),
)
def read_batches(wanted: Annotated[PageQuery, Query()], services: ServicesOf, caller: Reader) -> BatchListPayload:
    """Batches with their books, newest first."""
    views, cursor = list_batches(services, caller.tenant_id, cursor=wanted.cursor, most=wanted.limit)
    return BatchListPayload(batches=[BatchPayload.of(view) for view in views], next_cursor=cursor)


@router.get("/batches/{batch_id}", summary="A batch", responses=errors(_MISSING) | _BATCH)
async def read_batch(
    batch_id: BatchId, request: Request, wanted: Annotated[WaitQuery, Query()], services: ServicesOf, caller: Reader
) -> BatchPayload:
    """Where a batch stands; with `wait`, once it is finished or the time is up."""
    ask = partial(get_batch, services, caller.tenant_id, batch_id)
    return BatchPayload.of(await ask_until(request, ask, _is_finished, seconds=wanted.wait))


@router.get(
    "/batches/{batch_id}/refused",
    summary="Files that no job could be made of",
    responses=errors(_MISSING) | success(RefusedListPayload, shown.REFUSED_LIST, "By path."),
)
def read_refused(
    batch_id: BatchId, wanted: Annotated[RefusedQuery, Query()], services: ServicesOf, caller: Reader
) -> RefusedListPayload:
    """Files of archives that were refused, and why."""
    found = list_refused(services, caller.tenant_id, batch_id, after=wanted.after, most=wanted.limit)
    return RefusedListPayload(
        refused=[shown.RefusedPayload.of(entry) for entry in found],
        next_after=found[-1].path if len(found) == wanted.limit else None,
    )


@router.post(
    "/batches/{batch_id}/archive",
    summary="Hand in a zip of documents",
    responses=errors(*INTAKE, _MISSING, ErrorCode.DAMAGED_FILE, ErrorCode.WRONG_STATE, ErrorCode.INVALID_SCHEMA)
    | success(ArchivePayload, shown.ARCHIVE, "Every file of it is a job, or refused with a reason."),
    openapi_extra=upload_body(),
    dependencies=[Depends(refuse_query)],
)
async def add_archive(batch_id: BatchId, request: Request, services: ServicesOf, caller: Submitter) -> ArchivePayload:
    """Each file of the zip becomes a job under the batch's options; sending it again takes only what is missing."""
    batch = await to_thread.run_sync(find_batch, services, caller.tenant_id, batch_id)
    kept: list[StoredBlob] = []

    async def keep(_name: str, parts: AsyncIterator[bytes], _before: Fields) -> None:
        kept.append(await receive_archive(services, caller.tenant_id, parts))

    await read_form(request, keep)
    if not kept:
        raise InputError(ErrorCode.NO_FILE, "No archive came: send a zip as the form field `file`.", param="file")
    return await to_thread.run_sync(_unpack, services, caller, batch, kept[0])


@router.post(
    "/batches/{batch_id}/close",
    summary="Close a batch",
    responses=errors(_MISSING) | _BATCH,
    dependencies=[Depends(refuse_query)],
)
def close(batch_id: BatchId, services: ServicesOf, caller: Submitter) -> BatchPayload:
    """Take no more jobs into it; it is finished once the last one is over. Closing twice is fine."""
    return BatchPayload.of(close_batch(services, caller.tenant_id, batch_id))


@router.post(
    "/batches/{batch_id}/cancel",
    summary="Cancel a batch",
    responses=errors(_MISSING) | _BATCH,
    dependencies=[Depends(refuse_query)],
)
def cancel(batch_id: BatchId, services: ServicesOf, caller: Submitter) -> BatchPayload:
    """Close it and end every run of it that is not over."""
    return BatchPayload.of(cancel_batch(services, caller.tenant_id, batch_id))


@router.post(
    "/batches/{batch_id}/retry",
    status_code=202,
    summary="Try again what failed",
    responses=errors(_MISSING) | success(BatchPayload, shown.BATCH, "Under way.", status=202),
    dependencies=[Depends(refuse_query)],
)
def retry(batch_id: BatchId, services: ServicesOf, caller: Submitter) -> BatchPayload:
    """Start a new run of every job that failed, was cancelled or lacks a part; what is good is taken over."""
    return BatchPayload.of(retry_batch(services, caller.tenant_id, batch_id))


def _open(services: Services, caller: Caller, wanted: BatchRequest) -> BatchPayload:
    new = NewBatch(
        name=wanted.name,
        external_id=wanted.external_id,
        metadata=wanted.metadata or {},
        defaults=wanted.defaults() | _pinned(services, caller, wanted),
        created_by=caller.user,
    )
    return BatchPayload.of(open_batch(services, caller.tenant_id, new))


def _pinned(services: Services, caller: Caller, wanted: BatchRequest) -> JsonObject:
    """The named schemas at the versions they have now, so that all jobs of a batch are made alike."""
    wish = wanted.schema_wish()
    if wish == SchemaWish():
        return {}
    chosen = choose_schemas(services, caller.tenant_id, wish)
    model = wanted.merged_into(JobOptions(model=services.default_model)).model
    for schema in chosen.schemas:
        check_schema(services, schema.source, model, schema.name)
    names: list[Json] = [f"{schema.name}@{schema.version}" for schema in chosen.schemas if schema.version is not None]
    if chosen.is_routed:
        return {"schemas": names}
    return {"schema_ref": names[0]} if names else {}


def _unpack(services: Services, caller: Caller, batch: Batch, blob: StoredBlob) -> ArchivePayload:
    wanted = JobRequest.model_validate(batch.defaults)
    chosen = choose_schemas(services, caller.tenant_id, wanted.schema_wish())

    def submit(file: StoredFile, path: str) -> Job:
        submission = submission_of(services, caller, wanted, chosen, file)
        return submit_job(services, replace(submission, batch=batch, archive_path=path))

    report = take_archive(services, batch, blob, submit)
    return ArchivePayload.of(report, get_batch(services, caller.tenant_id, batch.id))


def _is_finished(view: BatchView) -> bool:
    return view.state is BatchState.FINISHED
