"""Uploads: taken in once, used often; their pages as words and as pictures."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import ExitStack
from enum import IntEnum
from functools import partial
from pathlib import PurePosixPath
from typing import Annotated, Literal

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import Receive, Scope, Send

from service.api.context import Reader, ServicesOf, Submitter, context_of, refuse_query
from service.api.documentation import INTAKE, binary, errors, success, upload_body
from service.api.forms import Fields, is_form, read_form
from service.api.intake import forget_all
from service.api.payloads import examples
from service.api.payloads.job_requests import IN_IDS
from service.api.payloads.parts import FilePayload, PagePayload
from service.api.unsupported import refuse_unsupported
from service.documents.reader import RenderOptions
from service.domain.errors import ErrorCode, InputError
from service.domain.files import StoredFile
from service.domain.geometry import Box
from service.domain.pages import MediaKind, PageText
from service.jobs.intake.uploads import get_file, receive_upload
from service.jobs.results.page_views import page_image, page_text
from service.jobs.results.result import issue_body, quad_body
from service.jobs.services import Services
from service.protocol.json_text import encode_json

router = APIRouter(tags=["files"])


def _readable_file(
    file_id: Annotated[str, Path(description="Id of an upload.", max_length=64, pattern=IN_IDS)],
    services: ServicesOf,
    caller: Reader,
) -> StoredFile:
    return get_file(services, caller.tenant_id, file_id)


ReadableFile = Annotated[StoredFile, Depends(_readable_file)]
"""The upload that the path names, if the caller may read it."""
PageNumber = Annotated[int, Path(ge=1, le=1_000_000, description="1-based page.")]

_OFFICE = "application/vnd.openxmlformats-officedocument"
MEDIA_TYPES = {
    MediaKind.PDF: "application/pdf",
    MediaKind.PNG: "image/png",
    MediaKind.JPEG: "image/jpeg",
    MediaKind.TIFF: "image/tiff",
    MediaKind.WEBP: "image/webp",
    MediaKind.BMP: "image/bmp",
    MediaKind.GIF: "image/gif",
    MediaKind.HEIC: "image/heic",
    MediaKind.DOCX: f"{_OFFICE}.wordprocessingml.document",
    MediaKind.XLSX: f"{_OFFICE}.spreadsheetml.sheet",
    MediaKind.PPTX: f"{_OFFICE}.presentationml.presentation",
}


@router.post(
    "/files",
    status_code=201,
    summary="Upload a file",
    description="Streamed to where it is kept, as the form field `file`; the kind is found from the bytes.",
    responses=errors(*INTAKE) | success(FilePayload, examples.FILE, "Kept; `Location` says where.", status=201),
    openapi_extra=upload_body(),
    dependencies=[Depends(refuse_query)],
)
async def upload_file(request: Request, response: Response, services: ServicesOf, caller: Submitter) -> FilePayload:
    """Keep an upload; it may be named by any number of jobs."""
    if not is_form(request):
        raise InputError(
            ErrorCode.INVALID_REQUEST, "Send the file as multipart/form-data, in the field `file`.", param="body"
        )
    kept: list[StoredFile] = []

    async def keep(name: str, parts: AsyncIterator[bytes], _before: Fields) -> None:
        kept.append(await receive_upload(services, caller.tenant_id, name, parts))

    try:
        for name in await read_form(request, keep):
            raise refuse_unsupported(name)
    except BaseException:
        await forget_all(services, kept)
        raise
    if not kept:
        raise InputError(ErrorCode.NO_FILE, "The form has no file: send it as the field `file`.", param="file")
    payload = FilePayload.of(kept[0])
    response.headers["Location"] = payload.links["self"]
    return payload


@router.get(
    "/files/{file_id}",
    summary="An upload",
    responses=errors(ErrorCode.FILE_NOT_FOUND) | success(FilePayload, examples.FILE, "The upload."),
    dependencies=[Depends(refuse_query)],
)
def read_file(file: ReadableFile) -> FilePayload:
    """What is known of an upload; its pages once a job opened it."""
    return FilePayload.of(file)


@router.get(
    "/files/{file_id}/content",
    summary="The bytes of an upload",
    response_class=Response,
    responses=errors(ErrorCode.FILE_NOT_FOUND)
    | {
        200: binary("The file as it was uploaded, under its name.", *MEDIA_TYPES.values()),
        206: binary("The range that was asked for.", *MEDIA_TYPES.values()),
        416: {"description": "The range is outside the file.", "content": {"text/plain": {}}},
    },
    dependencies=[Depends(refuse_query)],
)
def read_content(file: ReadableFile, services: ServicesOf) -> Response:
    """The bytes, always as a download."""
    return _Download(services, file)


@router.get(
    "/files/{file_id}/pages/{page}",
    summary="Words of a page",
    response_class=Response,
    responses=errors(ErrorCode.FILE_NOT_FOUND, ErrorCode.PAGE_NOT_FOUND, ErrorCode.NOT_FINISHED)
    | success(PagePayload, examples.PAGE, "Words with their places, in reading order."),
    dependencies=[Depends(refuse_query)],
)
def read_page(file: ReadableFile, page: PageNumber, services: ServicesOf) -> Response:
    """What was read from a page, as soon as a job has read it."""
    text = page_text(services, file, page)
    return Response(encode_json(_page_body(text)), media_type="application/json")


class Dpi(IntEnum):
    """How finely a page can be drawn: few sizes, so that drawn pages are found again."""

    SMALL = 72
    SCREEN = 100
    LARGE = 150
    PRINT = 200


class Rotation(IntEnum):
    """How a page may lie."""

    UPRIGHT = 0
    RIGHT = 90
    OVER = 180
    LEFT = 270


_FRACTION = r"(0|1|0?\.[0-9]{1,8}|[01]\.[0-9]{1,8})"
_CROP = re.compile(rf"^{_FRACTION}(,{_FRACTION}){{3}}$")


class ImageQuery(BaseModel):
    """How a page is drawn."""

    model_config = ConfigDict(extra="forbid")

    dpi: Dpi = Field(Dpi.SCREEN, description="Dots per inch of the page as displayed.")
    crop: str | None = Field(
        None,
        description="A part of the page, `x0,y0,x1,y1` in fractions (0–1) of it.",
        json_schema_extra={"pattern": _CROP.pattern},
        examples=["0.1,0.1,0.9,0.3"],
    )
    format: Literal["jpeg", "webp"] = "jpeg"
    rotation: Rotation | None = Field(
        None, description="As `rotation` of the page in a result, whose places then fit; left out: as it is shown now."
    )


@router.get(
    "/files/{file_id}/pages/{page}/image",
    summary="Picture of a page",
    response_class=Response,
    responses=errors(
        ErrorCode.FILE_NOT_FOUND,
        ErrorCode.PAGE_NOT_FOUND,
        ErrorCode.NOT_FINISHED,
        ErrorCode.PAGE_TIMEOUT,
        ErrorCode.PAGE_CRASHED,
        ErrorCode.PAGE_MEMORY,
        ErrorCode.DAMAGED_FILE,
    )
    | {200: binary("The picture.", "image/jpeg", "image/webp")},
)
async def read_image(
    request: Request, file: ReadableFile, page: PageNumber, wanted: Annotated[ImageQuery, Query()], services: ServicesOf
) -> Response:
    """A page or a part of it as displayed, drawn when first asked for."""
    crop = _crop(wanted.crop)
    shown = file if wanted.rotation is None else file.shown_at(page, wanted.rotation)
    options = RenderOptions(dpi=wanted.dpi, crop=crop, image_format=wanted.format)
    draw = partial(page_image, services, shown, page, options)
    drawn = await to_thread.run_sync(draw, limiter=context_of(request).drawing)
    keep = {"Cache-Control": "private, max-age=300"}
    return Response(drawn, media_type=f"image/{wanted.format}", headers=keep)


class _Download(Response):
    """A blob, held for as long as it is being sent; ranges and conditions as in any file server."""

    def __init__(self, services: Services, file: StoredFile) -> None:
        super().__init__()
        self._services = services
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        file = self._file
        with ExitStack() as held:
            path = await to_thread.run_sync(held.enter_context, self._services.blobs.local(file.blob_key))
            sent = FileResponse(
                path,
                media_type=MEDIA_TYPES[MediaKind(file.kind)],
                filename=download_name(file.name),
                content_disposition_type="attachment",
            )
            await sent(scope, receive, send)


def download_name(name: str) -> str:
    """The last part of an upload's name, whatever system's path it was; `document` when nothing is left."""
    return PurePosixPath(name.replace("\\", "/")).name.strip(". ") or "document"


def _crop(text: str | None) -> Box | None:
    if text is None:
        return None
    if _CROP.fullmatch(text):
        x0, y0, x1, y1 = (float(part) for part in text.split(","))
        if x0 < x1 <= 1 and y0 < y1 <= 1:
            return Box(x0, y0, x1, y1)
    message = "crop: send `x0,y0,x1,y1` in fractions (0 to 1) of the page, x0 < x1 and y0 < y1, such as 0,0,1,0.25."
    raise InputError(ErrorCode.INVALID_OPTION, message, param="crop")


def _page_body(text: PageText) -> dict[str, object]:
    size = text.size
    return {
        "page": size.page,
        "width": size.width,
        "height": size.height,
        "rotation": size.rotation,
        "text": text.source,
        "words": [
            {
                "text": word.text,
                "coordinates": quad_body(word.box.quad()),
                "line": word.line,
                "certainty": word.certainty,
            }
            for word in text.words
        ],
        "issues": [issue_body(issue) for issue in text.issues],
    }
