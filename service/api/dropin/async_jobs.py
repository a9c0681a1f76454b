"""The vendor's asynchronous jobs: several files of one schema, each a job like any other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, cast

from anyio import to_thread
from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field, ValidationError

from service.api.context import ServicesOf
from service.api.dropin.headers import ROOT
from service.api.dropin.openapi import ASYNC_JOB, ASYNC_LIST, ASYNC_SUBMIT
from service.api.dropin.requests import (
    Received,
    VendorReader,
    VendorSubmitter,
    job_options,
    new_submission,
    wanted_options,
    wire_fault,
)
from service.api.forms import Fields, is_form, read_form
from service.api.intake import forget_all
from service.domain.errors import ErrorCode, InputError
from service.domain.jobs import Job, JobStatus
from service.domain.records import JsonObject
from service.extraction.decoding.encode import EncodeOptions
from service.jobs.control.job_groups import GroupView, get_group, is_done, list_groups, submit_group
from service.jobs.control.served_models import served_model
from service.jobs.results.completion import merged_completion
from service.jobs.services import Services
from service.protocol.async_job import (
    MAX_DOCUMENTS,
    AsyncSubmission,
    BatchStatus,
    ExtractionJob,
    JobBatch,
    JobReceipt,
    read_submission,
    wire_time,
)
from service.protocol.async_job import JobStatus as VendorStatus
from service.protocol.completion import ChatCompletion
from service.protocol.emission import WirePath
from service.protocol.json_text import encode_json
from service.protocol.request import ExtractionOptions, LocationGranularity

PATH = f"{ROOT}/information-extraction"
_FILE_FIELD = "documents"
_SCHEMA_NAME = "document_schema"
_JSON = "application/json"
router = APIRouter(tags=["drop-in"])


@router.post(f"{PATH}/async", **ASYNC_SUBMIT)
async def submit_async(request: Request, services: ServicesOf, caller: VendorSubmitter) -> Response:
    """Hand in up to 20 files with one schema; the receipt names the job to poll."""
    if not is_form(request):
        raise InputError(
            ErrorCode.INVALID_REQUEST, "Send multipart/form-data: `documents`, `schema`, `model`.", param="body"
        )
    taken = Received(services=services, caller=caller)

    async def keep(name: str, parts: AsyncIterator[bytes], _before: Fields) -> None:
        await taken.take(parts, name)

    try:
        fields = await read_form(request, keep, file_field=_FILE_FIELD, most_files=MAX_DOCUMENTS)
        submit = partial(_submit, taken, _checked(fields), request)
        receipt = await to_thread.run_sync(submit)
        taken.used = True
    finally:
        if not taken.used:
            await forget_all(services, taken.uploads)
    return Response(encode_json(receipt.model_dump()), media_type=_JSON)


@router.get(f"{PATH}/jobs", **ASYNC_LIST)
def read_async_jobs(services: ServicesOf, caller: VendorReader) -> Response:
    """The newest 50 asynchronous jobs, newest first, without results."""
    jobs = [_job(services, view, with_result=False).body() for view in list_groups(services, caller.tenant_id)]
    return Response(encode_json({"jobs": jobs}), media_type=_JSON)


class ResultQuery(BaseModel):
    """Whether results come with the job."""

    with_result: bool = Field(False, description="Whether each completed file brings its answer.")


@router.get(f"{PATH}/jobs/{{job_id}}", **ASYNC_JOB)
def read_async_job(
    job_id: Annotated[str, Path(description="`job_id` of the receipt.")],
    wanted: Annotated[ResultQuery, Query()],
    services: ServicesOf,
    caller: VendorReader,
) -> Response:
    """Where an asynchronous job stands, file by file; with `with_result=true`, the answers too."""
    view = get_group(services, caller.tenant_id, job_id)
    return Response(encode_json(_job(services, view, with_result=wanted.with_result).body()), media_type=_JSON)


def _checked(fields: Fields) -> AsyncSubmission:
    try:
        return read_submission(fields)
    except ValidationError as error:
        raise wire_fault(error) from None


def _submit(taken: Received, wanted: AsyncSubmission, request: Request) -> JobReceipt:
    if not taken.uploads:
        raise InputError(
            ErrorCode.NO_FILE, "The form has no file: send each as a field `documents`.", param=_FILE_FIELD
        )
    model = served_model(taken.services, wanted.model)
    options = job_options(model.model, wanted.options())
    source = cast(JsonObject, wanted.source)
    submissions = [new_submission(taken.caller, file, source, _SCHEMA_NAME, options) for file in taken.uploads]
    asked = wanted_options(request, wanted.options())
    told: JsonObject = {
        "location": bool(asked.location),
        "location_granularity": asked.location_granularity,
        "confidence": bool(asked.confidence),
        "full": bool(asked.full),
    }
    group = submit_group(taken.services, submissions, model=model.echo, asked=told)
    return JobReceipt(
        job_id=group.id,
        created_at=_time(group.created_at),
        message=f"{len(submissions)} files are taken; poll {PATH}/jobs/{group.id}.",
    )


def _job(services: Services, view: GroupView, *, with_result: bool) -> ExtractionJob:
    group = view.group
    known = [job for job in view.jobs if job is not None]
    started = [job.started_at or job.finished_at for job in known]
    finished = [job.finished_at for job in known]
    over = all(job.status.is_terminal for job in known)
    return ExtractionJob(
        job_id=group.id,
        status=_status(view.jobs),
        model=group.model,
        total_documents=len(group.job_ids),
        completed_documents=sum(map(is_done, view.jobs)),
        created_at=_time(group.created_at),
        started_at=_time(min((at for at in started if at), default=None)),
        completed_at=_time(max((at for at in finished if at), default=None)) if over else None,
        batches=[_batch(services, view, position, with_result=with_result) for position in range(len(group.job_ids))],
    )


def _status(jobs: Sequence[Job | None]) -> VendorStatus:
    if any(job is not None and not job.status.is_terminal for job in jobs):
        waits = all(job is not None and job.status is JobStatus.QUEUED for job in jobs)
        return VendorStatus.CREATED if waits else VendorStatus.IN_PROGRESS
    done = sum(map(is_done, jobs))
    if done:
        return VendorStatus.COMPLETED if done == len(jobs) else VendorStatus.PARTIALLY_COMPLETED
    cancelled = all(job is not None and job.status is JobStatus.CANCELLED for job in jobs)
    return VendorStatus.CANCELED if cancelled else VendorStatus.FAILED


def _batch(services: Services, view: GroupView, position: int, *, with_result: bool) -> JobBatch:
    job = view.jobs[position]
    shown = with_result and job is not None and is_done(job)
    return JobBatch(
        id=position + 1,
        file_name=view.group.file_names[position],
        status=_batch_status(job),
        failure_message=_failure(job),
        result=_result(services, view, job) if shown and job is not None else None,
    )


def _batch_status(job: Job | None) -> BatchStatus:
    if job is None or job.status in (JobStatus.FAILED, JobStatus.CANCELLED):
        return BatchStatus.FAILED
    if is_done(job):
        return BatchStatus.COMPLETED
    return BatchStatus.CREATED if job.status is JobStatus.QUEUED else BatchStatus.IN_PROGRESS


def _failure(job: Job | None) -> str:
    if job is None:
        return "The file and its result were deleted."
    if job.status is JobStatus.CANCELLED:
        return "The job was cancelled."
    if job.status is not JobStatus.FAILED:
        return ""
    return f"{job.fault.code}: {job.fault.message}" if job.fault else "The job failed."


def _result(services: Services, view: GroupView, job: Job) -> ChatCompletion:
    told = view.group.asked
    granularity = told.get("location_granularity")
    asked = ExtractionOptions(
        location=bool(told.get("location")),
        location_granularity=cast(LocationGranularity | None, granularity),
        confidence=bool(told.get("confidence")),
        full=bool(told.get("full")),
    )
    options = EncodeOptions(path=WirePath.ASYNC, asked=asked)
    return merged_completion(services, job, options, model=view.group.model)


def _time(at: float | None) -> str | None:
    return None if at is None else wire_time(datetime.fromtimestamp(at, UTC))
