"""Corrections of a record, and their history."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from service.api.bodies import read_object
from service.api.context import Reader, Reviewer, ServicesOf, refuse_query
from service.api.documentation import JOB, errors, json_body, success
from service.api.faults import check_body
from service.api.payloads import review_examples as examples
from service.api.payloads.reviews import CorrectionsPayload, CorrectionsRequest, HistoryPayload
from service.api.routes.jobs import JobId
from service.domain.corrections import ReviewEvent
from service.domain.errors import ErrorCode, InputError
from service.domain.records import Json, JsonObject, Location
from service.jobs.queries import get_job, source_of
from service.jobs.results.result import check_body as check_json
from service.jobs.results.result import entry_body, iso_time, quad_body, review_body
from service.jobs.reviewing.correct import Corrected, CorrectionRequest, correct
from service.jobs.reviewing.course import history_of
from service.protocol.json_text import encode_json

router = APIRouter(tags=["review"])
_REVISION = re.compile(r'(?:W/)?"?(\d{1,15})"?')
_JSON = "application/json"


class CorrectionsQuery(BaseModel):
    """Whether it counts."""

    model_config = ConfigDict(extra="forbid")

    dry_run: bool = Field(False, description="Store nothing: what would come of it, as while somebody types.")


def _revision_of(
    if_match: Annotated[str | None, Header(description='The revision you saw, as `"4"`; `*`: whatever it is.')] = None,
) -> int | None:
    if if_match is None or if_match.strip() == "*":
        return None
    found = _REVISION.fullmatch(if_match.strip())
    if found is None:
        raise InputError(
            ErrorCode.INVALID_OPTION, 'If-Match must be the revision of a result, as "4".', param="If-Match"
        )
    return int(found[1])


@router.post(
    "/jobs/{job_id}/corrections",
    summary="Correct a record",
    description=(
        "Typed operations, all done or none. Each says what it found (`old`): what others changed elsewhere does not "
        "matter, what they changed in the same cell is refused with both values. Each has an id of yours: sent again, "
        "it is done once. Numbers and dates may be written as on the page; they are stored in the schema's form."
    ),
    response_class=Response,
    responses=errors(
        *JOB,
        *(ErrorCode.NOT_FINISHED, ErrorCode.WRONG_STATE, ErrorCode.EDIT_CONFLICT, ErrorCode.IDEMPOTENCY_MISMATCH),
    )
    | success(CorrectionsPayload, examples.CORRECTIONS, "Stored."),
    openapi_extra=json_body(CorrectionsRequest, examples.CORRECTIONS_REQUEST),
)
async def post_corrections(
    job_id: JobId,
    request: Request,
    wanted: Annotated[CorrectionsQuery, Query()],
    revision: Annotated[int | None, Depends(_revision_of)],
    services: ServicesOf,
    caller: Reviewer,
) -> Response:
    """Do what a reviewer asks; once the answer is out it outlives any crash."""
    asked = check_body(CorrectionsRequest, await read_object(request))
    wish = CorrectionRequest(
        operations=tuple(item.operation() for item in asked.operations), revision=revision, dry_run=wanted.dry_run
    )
    done = await to_thread.run_sync(partial(correct, services, caller.tenant_id, job_id, caller.user, wish))
    body = await to_thread.run_sync(_corrections_body, done)
    return Response(encode_json(body), media_type=_JSON, headers={"ETag": f'"{done.job.revision}"'})


@router.get(
    "/jobs/{job_id}/history",
    summary="What people did",
    response_class=Response,
    responses=errors(*JOB) | success(HistoryPayload, examples.HISTORY, "Every correction and decision, oldest first."),
    dependencies=[Depends(refuse_query)],
)
def read_history(job_id: JobId, services: ServicesOf, caller: Reader) -> Response:
    """Corrections and decisions; nothing is ever written over or left out."""
    events = history_of(services, caller.tenant_id, job_id)
    return Response(encode_json({"events": [_history_entry(event) for event in events]}), media_type=_JSON)


class SchemaQuery(BaseModel):
    """Whose schema."""

    model_config = ConfigDict(extra="forbid")

    document: int | None = Field(
        None, ge=0, description="`index` of a record or document; needed where documents have schemas of their own."
    )


@router.get(
    "/jobs/{job_id}/schema",
    summary="The schema of a job",
    response_class=Response,
    responses=errors(*JOB, ErrorCode.SCHEMA_NOT_FOUND)
    | success(BaseModel, examples.SCHEMA, "As it was when the job came."),
)
def read_schema(
    job_id: JobId, wanted: Annotated[SchemaQuery, Query()], services: ServicesOf, caller: Reader
) -> Response:
    """The JSON Schema that the job's records follow, or that of one of its documents."""
    source = source_of(get_job(services, caller.tenant_id, job_id), wanted.document)
    return Response(encode_json(source), media_type=_JSON)


def _corrections_body(done: Corrected) -> JsonObject:
    records = {record.id: record for record in done.current.result.records}
    operations: list[Json] = []
    for event, pointer in zip(done.events, done.pointers, strict=True):
        assert event.correction is not None
        operation = event.correction.operation
        record = records.get(operation.record or "")
        entry = record.fields.get(pointer) if record and pointer is not None else None
        operations.append(
            {
                "id": operation.id,
                "path": operation.path,
                "pointer": pointer,
                "entry": entry_body(entry, "full") if entry else None,
                "row": event.correction.row,
            }
        )
    checks: JsonObject = {key: [check_json(check) for check in record.checks] for key, record in records.items()}
    return {
        "job_id": done.job.id,
        "revision": done.job.revision,
        "review": review_body(done.job),
        "operations": operations,
        "checks": checks,
    }


def _history_entry(event: ReviewEvent) -> JsonObject:
    correction = event.correction
    operation = correction.operation if correction else None
    old: Json = None
    new: Json = operation.value if operation else None
    if correction is not None:
        old = correction.old.value if correction.old else correction.removed
        new = correction.new.value if correction.new else new
    body: JsonObject = {
        "action": event.action,
        "by": event.by,
        "at": iso_time(event.at),
        "run": event.run,
        "revision": event.revision,
        "detail": event.detail,
        "op": operation.kind if operation else None,
        "id": event.client_id,
        "of": operation.of if operation else None,
        "record": operation.record if operation else None,
        "path": operation.path if operation else None,
        "row": correction.row if correction else None,
        "old": old,
        "new": new,
    }
    before = correction.old.location if correction and correction.old else None
    after = correction.new.location if correction and correction.new else None
    return body | _where("old", before) | _where("new", after)


def _where(which: str, location: Location | None) -> JsonObject:
    return {
        f"{which}_page": location.page if location else None,
        f"{which}_coordinates": quad_body(location.coordinates) if location else None,
    }
