"""Exports over REST: what is new for a receiver, handed out until it is confirmed; and the result of a batch."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import IO, Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import Field

from service.api.bodies import read_object
from service.api.context import Reader, ServicesOf, Submitter, refuse_query
from service.api.documentation import binary, errors, json_body, success
from service.api.faults import check_body
from service.api.payloads.base import API, PageQuery
from service.api.payloads.exports import (
    EXPORT,
    EXPORT_LIST,
    EXPORT_REQUEST,
    ExportListPayload,
    ExportPayload,
    ExportRequest,
)
from service.api.payloads.job_requests import IN_IDS, PRINTABLE
from service.api.routes.batches import BatchId
from service.api.routes.result_files import FileAnswer, FileQuery, content_disposition
from service.domain.errors import ErrorCode
from service.exports.formats import MEDIA_TYPES, ExportFormat, ExportOptions
from service.jobs.control.collect import BatchRecords, collect_batch, collect_export
from service.jobs.results.current import Version
from service.jobs.results.hand_over import (
    NewExport,
    confirm_export,
    get_export,
    hand_over,
    list_exports,
)

router = APIRouter(tags=["exports"])
ExportId = Annotated[str, Path(description="Id of an export.", max_length=64, pattern=IN_IDS)]
_MISSING = ErrorCode.EXPORT_NOT_FOUND
_IN_MEMORY = 8_000_000
_FILES = binary("The file.", *(kind.partition(";")[0] for kind in MEDIA_TYPES.values()))
_FILES["content"]["application/json"] = {
    "schema": {"type": "array", "items": {"type": "object"}},
    "example": [{"job_id": "job_9f8e7d6c", "values": {"invoice_number": "R-17"}}],
}


class BatchResultQuery(FileQuery):
    """Which records of a batch, and in which form."""

    schema_: str | None = Field(
        None,
        alias="schema",
        max_length=100,
        pattern=PRINTABLE,
        description="Name of the schema, where there are several.",
    )
    version: Version = Field("current", description="machine, current, or approved: of the jobs that are.")


@router.post(
    "/exports",
    status_code=201,
    summary="Take what is new",
    response_class=Response,
    responses=errors()
    | success(ExportPayload, EXPORT, "What the receiver has not confirmed yet, or all that is new for it.", status=201)
    | {204: {"description": "Nothing is new for this receiver."}},
    openapi_extra=json_body(ExportRequest, EXPORT_REQUEST),
    dependencies=[Depends(refuse_query)],
)
async def create_export(request: Request, services: ServicesOf, caller: Submitter) -> Response:
    """Each record goes to a receiver once, and again only when it was changed; ask, fetch, confirm."""
    wanted = check_body(ExportRequest, await read_object(request))
    new = NewExport(
        schema_name=wanted.schema_,
        release=wanted.release,
        receiver=wanted.receiver,
        most=wanted.most,
        created_by=caller.user,
    )
    view = await to_thread.run_sync(hand_over, services, caller.tenant_id, new)
    if view is None:
        return Response(status_code=204)
    body = ExportPayload.of(view).model_dump_json()
    return Response(body, 201, {"Location": f"{API}/exports/{view.export.id}"}, media_type="application/json")


@router.get(
    "/exports", summary="List exports", responses=errors() | success(ExportListPayload, EXPORT_LIST, "Newest first.")
)
def read_exports(wanted: Annotated[PageQuery, Query()], services: ServicesOf, caller: Reader) -> ExportListPayload:
    """Exports to all receivers, newest first."""
    views, cursor = list_exports(services, caller.tenant_id, cursor=wanted.cursor, most=wanted.limit)
    return ExportListPayload(exports=[ExportPayload.of(view) for view in views], next_cursor=cursor)


@router.get(
    "/exports/{export_id}",
    summary="An export",
    responses=errors(_MISSING) | success(ExportPayload, EXPORT, "Where it stands."),
    dependencies=[Depends(refuse_query)],
)
def read_export(export_id: ExportId, services: ServicesOf, caller: Reader) -> ExportPayload:
    """What went to whom, and whether it was confirmed."""
    return ExportPayload.of(get_export(services, caller.tenant_id, export_id))


@router.get(
    "/exports/{export_id}/content",
    summary="The records of an export",
    response_class=Response,
    responses=errors(_MISSING) | {200: _FILES},
)
def read_content(
    export_id: ExportId, request: Request, wanted: Annotated[FileQuery, Query()], services: ServicesOf, caller: Reader
) -> Response:
    """The records as they were when the export was made, in any format; those of deleted jobs are gone."""
    export = get_export(services, caller.tenant_id, export_id).export
    options = wanted.collection_options(f"{request.base_url}review")
    return _streamed(options, lambda out: collect_export(services, export, out, options), export.id)


@router.post(
    "/exports/{export_id}/confirm",
    summary="Confirm an export",
    responses=errors(_MISSING) | success(ExportPayload, EXPORT, "Confirmed."),
    dependencies=[Depends(refuse_query)],
)
def confirm(export_id: ExportId, services: ServicesOf, caller: Submitter) -> ExportPayload:
    """The receiver has it: the next export to it holds what comes after. Confirming twice is fine."""
    return ExportPayload.of(confirm_export(services, caller.tenant_id, export_id))


@router.get(
    "/batches/{batch_id}/result",
    summary="The records of a batch",
    response_class=Response,
    responses=errors(ErrorCode.BATCH_NOT_FOUND) | {200: _FILES},
    tags=["batches"],
)
def read_batch_result(
    batch_id: BatchId,
    request: Request,
    wanted: Annotated[BatchResultQuery, Query()],
    services: ServicesOf,
    caller: Reader,
) -> Response:
    """The records of one schema as one file, of the jobs that are over by now, in the order in which they came."""
    options = wanted.collection_options(f"{request.base_url}review")
    records = BatchRecords(
        tenant_id=caller.tenant_id, batch_id=batch_id, schema_name=wanted.schema_, version=wanted.version
    )
    return _streamed(options, lambda out: collect_batch(services, records, out, options), batch_id)


def _streamed(options: ExportOptions, write: Callable[[IO[bytes]], object], name: str) -> Response:
    """A file that is written whole before its first byte is sent, so that a fault is still an error."""
    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed by the answer
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    ending = ExportFormat(options.format)
    headers = {"Content-Disposition": content_disposition(f"{name}.{ending}")}
    return FileAnswer(file, ending.media_type, headers)
