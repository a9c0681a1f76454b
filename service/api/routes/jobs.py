"""Jobs: handed in, listed, looked at, and their results."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from service.api.context import Reader, ServicesOf, Submitter, context_of, refuse_query
from service.api.documentation import INTAKE, JOB, errors, job_body, success
from service.api.intake import take_in
from service.api.payloads import examples
from service.api.payloads.base import API, PageQuery
from service.api.payloads.job_requests import IN_IDS, PRINTABLE
from service.api.payloads.jobs import JobListPayload, JobPayload
from service.api.payloads.results import CompletionPayload, ResultPayload
from service.api.routes.result_files import FileQuery, file_response, with_files
from service.api.waiting import MOST_WAIT_S, ask_until
from service.domain.errors import ErrorCode, InputError
from service.domain.jobs import Job, JobStatus, ReviewState
from service.jobs.queries import JUST_MADE, file_names, get_details, get_job, list_jobs
from service.jobs.results.completion import completion_body
from service.jobs.results.current import Version
from service.jobs.results.export import export_job
from service.jobs.results.result import View, result_body
from service.jobs.services import Services
from service.protocol.json_text import encode_json
from service.storage.rows.jobs import JobFilter

router = APIRouter(tags=["jobs"])
JobId = Annotated[str, Path(description="Id of a job.", max_length=64, pattern=IN_IDS)]
_JSON = "application/json"


class WaitQuery(BaseModel):
    """How long the answer may take."""

    model_config = ConfigDict(extra="forbid")

    wait: int = Field(0, ge=0, le=MOST_WAIT_S, description="Seconds to wait for the end of the run.")


class ListQuery(PageQuery):
    """Which jobs are shown."""

    status: JobStatus | None = None
    review: ReviewState | None = None
    schema_: str | None = Field(
        None, alias="schema", max_length=100, pattern=PRINTABLE, description="Name of the schema."
    )
    external_id: str | None = Field(None, max_length=200, pattern=PRINTABLE)
    batch: str | None = Field(None, max_length=64, pattern=IN_IDS, description="Id of a batch.")
    created_after: datetime | None = Field(None, description="RFC 3339; included.")
    created_before: datetime | None = Field(None, description="RFC 3339; not included.")
    order: Literal["newest", "oldest"] = Field("newest", description="Which come first; the same for every page.")


class ResultQuery(FileQuery):
    """In which form the result comes."""

    view: View = Field("full", description="values: no fields; compact: no word boxes; full: everything.")
    version: Version = Field(
        "current",
        description="machine: as the model gave it; current: with all corrections; approved: as it was approved.",
    )


@router.post(
    "/jobs",
    status_code=202,
    summary="Hand in a job",
    description=(
        "As multipart/form-data (`file`, `schema` as JSON text, options as fields, in any order) or as JSON with the "
        "`file_id` of an upload. With `wait` the result comes at once if it is ready in time."
    ),
    response_class=Response,
    responses=errors(
        *INTAKE,
        *(ErrorCode.INVALID_SCHEMA, ErrorCode.UNKNOWN_MODEL, ErrorCode.FILE_NOT_FOUND, ErrorCode.EXPIRED),
        *(ErrorCode.IDEMPOTENCY_IN_FLIGHT, ErrorCode.IDEMPOTENCY_MISMATCH),
    )
    | success(ResultPayload, examples.RESULT, "The run was over in time: its result, also when it failed.")
    | success(JobPayload, examples.JOB, "Taken; `Location` says where it is.", status=202),
    openapi_extra=job_body(),
)
async def create_job(
    request: Request,
    services: ServicesOf,
    caller: Submitter,
    wanted: Annotated[WaitQuery, Query()],
    idempotency_key: Annotated[
        str | None, Header(description="The same key and request make one job, for 24 hours.")
    ] = None,
) -> Response:
    """Make a job; once the answer is out it outlives any crash."""
    taken = await take_in(request, services, caller, idempotency_key)
    ask = partial(get_job, services, caller.tenant_id, taken.job.id)
    free = context_of(request).places.free  # the job is made: one who cannot wait for it has it all the same
    job = await ask_until(request, ask, _is_over, seconds=wanted.wait) if wanted.wait and free else taken.job
    headers = {"Location": f"{API}/jobs/{job.id}"}
    if taken.file_name is None:
        headers["Idempotent-Replayed"] = "true"
    if wanted.wait and job.status.is_terminal:
        body = await to_thread.run_sync(_result_bytes, services, job, "full")
        return Response(body, 200, headers, media_type=_JSON)
    if wanted.wait or taken.file_name is None:
        payload = await to_thread.run_sync(job_payload, services, job)
    else:
        payload = JobPayload.of(job, taken.file_name, JUST_MADE)
    return Response(payload.model_dump_json(), 202, headers, media_type=_JSON)


@router.get(
    "/jobs", summary="List jobs", responses=errors() | success(JobListPayload, examples.JOB_LIST, "Those that fit.")
)
def read_jobs(wanted: Annotated[ListQuery, Query()], services: ServicesOf, caller: Reader) -> JobListPayload:
    """Jobs, the newest first unless the oldest are wanted."""
    conditions = JobFilter(
        status=wanted.status,
        review=wanted.review,
        schema_name=wanted.schema_,
        external_id=wanted.external_id,
        batch_id=wanted.batch,
        created_after=_unix(wanted.created_after),
        created_before=_unix(wanted.created_before),
    )
    oldest = wanted.order == "oldest"
    jobs, cursor = list_jobs(
        services, caller.tenant_id, conditions, cursor=wanted.cursor, most=wanted.limit, from_oldest=oldest
    )
    names = file_names(services, caller.tenant_id, jobs)
    return JobListPayload(jobs=[JobPayload.of(job, names[job.id]) for job in jobs], next_cursor=cursor)


@router.get(
    "/jobs/{job_id}", summary="A job", responses=errors(*JOB) | success(JobPayload, examples.JOB, "Where it stands.")
)
async def read_job(
    job_id: JobId, request: Request, wanted: Annotated[WaitQuery, Query()], services: ServicesOf, caller: Reader
) -> JobPayload:
    """Where a job stands; with `wait`, once its run is over or the time is up."""
    ask = partial(get_job, services, caller.tenant_id, job_id)
    job = await ask_until(request, ask, _is_over, seconds=wanted.wait)
    return await to_thread.run_sync(job_payload, services, job)


@router.get(
    "/jobs/{job_id}/result",
    summary="The result",
    response_class=Response,
    responses=with_files(
        errors(*JOB, ErrorCode.NOT_FINISHED, ErrorCode.WRONG_STATE)
        | success(ResultPayload, examples.RESULT, "Values, and for each its page, place and confidence.")
    ),
)
def read_result(
    job_id: JobId, request: Request, wanted: Annotated[ResultQuery, Query()], services: ServicesOf, caller: Reader
) -> Response:
    """The result of a job whose run is over, also of one that failed."""
    options = wanted.export_options(f"{request.base_url}review/{job_id}")
    job = get_job(services, caller.tenant_id, job_id)
    headers = {"ETag": f'"{job.revision}"'}
    if options is not None:
        return file_response(export_job(services, job, options, view=wanted.view, version=wanted.version), headers)
    body = _result_bytes(services, job, wanted.view, wanted.version)
    return Response(body, media_type=_JSON, headers=headers)


@router.get(
    "/jobs/{job_id}/completion",
    summary="The result as a chat completion",
    response_class=Response,
    responses=errors(*JOB, ErrorCode.NOT_FINISHED)
    | success(CompletionPayload, examples.COMPLETION, "One choice a record."),
    dependencies=[Depends(refuse_query)],
)
def read_completion(job_id: JobId, services: ServicesOf, caller: Reader) -> Response:
    """The merged answer in the form in which models answer."""
    job = get_job(services, caller.tenant_id, job_id)
    return Response(encode_json(completion_body(services, job)), media_type=_JSON)


def job_payload(services: Services, job: Job) -> JobPayload:
    """A job with what is told of it alone."""
    name = file_names(services, job.tenant_id, [job])[job.id]
    return JobPayload.of(job, name, get_details(services, job))


def _result_bytes(services: Services, job: Job, view: View, version: Version = "current") -> bytes:
    return encode_json(result_body(services, job, view=view, version=version))


def _is_over(job: Job) -> bool:
    return job.status.is_terminal


def _unix(moment: datetime | None) -> float | None:
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise InputError(
            ErrorCode.INVALID_OPTION, "Times need an offset, as in 2026-01-31T12:00:00Z.", param="created_after"
        )
    return moment.timestamp()
