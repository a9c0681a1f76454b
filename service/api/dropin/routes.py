"""The vendor's paths, so that its clients and OpenAI's need nothing changed but the base URL and the key.

Every extraction is a job like any other, only waited for. What each path writes is in docs/wire.md, what it takes in
docs/drop-in.md.
"""

from __future__ import annotations

import time
import uuid

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response
from starlette.requests import ClientDisconnect

from service.api.context import ServicesOf
from service.api.dropin.calls import EVENTS, Call, encoded
from service.api.dropin.headers import ROOT
from service.api.dropin.openapi import EXTRACTION, GENERATION, MODELS
from service.api.dropin.requests import (
    Received,
    VendorReader,
    VendorSubmitter,
    checked,
    hold_place,
    job_options,
    received,
    request_digest,
    submission_of,
    wanted_options,
)
from service.api.forms import is_form
from service.auth.callers import Caller
from service.domain.errors import ErrorCode, InputError, StateError
from service.jobs.control.dropin import submit_or_attach
from service.jobs.control.served_models import GENERATOR, served_model, served_names
from service.jobs.intake.generate_schema import generate_schema
from service.jobs.services import Services
from service.protocol.completion import ChatCompletion, Choice, CompletionUsage, Message
from service.protocol.emission import WirePath, emit
from service.protocol.json_text import encode_json
from service.protocol.models import ModelCard, ModelList
from service.protocol.request import ExtractionRequest, FileRequest, StreamOptions
from service.protocol.schema_generation import MAX_FILES, SchemaGenerationRequest, generated_schema_content

EXTRACTION_PATH = f"{ROOT}/information-extraction"
GENERATION_PATH = f"{EXTRACTION_PATH}/schema-generation"
CHAT = "/chat/completions"
_JSON = "application/json"
router = APIRouter(tags=["drop-in"])
waiting = APIRouter(dependencies=[Depends(hold_place)])


@waiting.post(EXTRACTION_PATH, **EXTRACTION)
async def extract_bare(request: Request, services: ServicesOf, caller: VendorSubmitter) -> Response:
    """Read a file into a schema; the answer has the vendor's documented nulls."""
    if is_form(request):
        raise InputError(
            ErrorCode.OPTION_NOT_SUPPORTED,
            "Prebuilt extraction (a form with `document`) is deprecated by its vendor and not offered here: send JSON "
            f"with a `response_format`, or a form to {EXTRACTION_PATH}/async.",
            param="body",
        )
    return await _answer(request, services, caller, WirePath.BARE)


@waiting.post(EXTRACTION_PATH + CHAT, **EXTRACTION)
async def extract_chat(request: Request, services: ServicesOf, caller: VendorSubmitter) -> Response:
    """Read a file into a schema; the answer is OpenAI's `chat.completion`."""
    return await _answer(request, services, caller, WirePath.CHAT)


@waiting.post(ROOT + CHAT, **EXTRACTION)
async def extract_misdirected(request: Request, services: ServicesOf, caller: VendorSubmitter) -> Response:
    """As `/v1/information-extraction/chat/completions`; what is no extraction is 404 with the right address."""
    async with received(request, services, caller, most_files=1) as taken:
        form = taken.body.value.get("response_format")
        asks = isinstance(form, dict) and form.get("type") == "json_schema"
        if not asks or not _has_file(taken):
            base = str(request.base_url).rstrip("/") + EXTRACTION_PATH
            raise StateError(
                ErrorCode.ROUTE_NOT_FOUND,
                f"There is no chat model here, only extraction from files: set base_url to {base!r} and send a file "
                "with a `response_format` of type json_schema.",
            )
        return await _extract(request, taken, WirePath.CHAT)


@waiting.post(GENERATION_PATH, **GENERATION)
async def generate_bare(request: Request, services: ServicesOf, caller: VendorSubmitter) -> Response:
    """Propose a schema for 1 to 3 files; the content is a `response_format`."""
    async with received(request, services, caller, most_files=MAX_FILES) as taken:
        return await _generate(request, taken, WirePath.BARE)


@waiting.post(GENERATION_PATH + CHAT, **GENERATION)
async def generate_chat(request: Request, services: ServicesOf, caller: VendorSubmitter) -> Response:
    """Propose a schema for 1 to 3 files; the content is a `response_format`."""
    async with received(request, services, caller, most_files=MAX_FILES) as taken:
        return await _generate(request, taken, WirePath.CHAT)


@router.get(f"{ROOT}/models", **MODELS)
def read_models(services: ServicesOf, _caller: VendorReader) -> Response:
    """The names that `model` may have."""
    cards = [ModelCard(id=name, owned_by="fieldmark") for name in served_names(services)]
    return Response(encode_json(ModelList(data=cards).model_dump()), media_type=_JSON)


router.include_router(waiting)


async def _answer(request: Request, services: Services, caller: Caller, path: WirePath) -> Response:
    async with received(request, services, caller, most_files=MAX_FILES) as taken:
        if taken.body.value.get("model") == GENERATOR:
            return await _generate(request, taken, path)
        return await _extract(request, taken, path)


def _has_file(taken: Received) -> bool:
    try:
        return bool(FileRequest.model_validate(taken.body.value).file_urls())
    except ValueError:
        return False


async def _extract(request: Request, taken: Received, path: WirePath) -> Response:
    wanted = checked(ExtractionRequest, taken.body.value)
    services, caller = taken.services, taken.caller
    urls = wanted.file_urls()
    if len(urls) > 1:
        raise InputError(
            ErrorCode.INVALID_REQUEST,
            f"{len(urls)} files: an extraction has one; send several to {EXTRACTION_PATH}/async.",
            param="messages",
        )
    model = served_model(services, wanted.model)
    (file,) = await taken.files(urls)
    submission = submission_of(caller, file, wanted, job_options(model.model, wanted.options()))
    digest = request_digest(caller, taken.body.digest)
    if await request.is_disconnected():  # while its file was fetched: whoever asked again may have had the answer
        raise ClientDisconnect
    job, attendance, attached = await to_thread.run_sync(submit_or_attach, services, submission, digest)
    taken.used = not attached
    call = Call(
        request=request,
        services=services,
        job=job,
        attendance=attendance,
        model=model.echo,
        asked=wanted_options(request, wanted.options()),
    )
    if wanted.stream:
        return call.stream(include_usage=_wants_usage(wanted.stream_options))
    return await call.answer(path)


async def _generate(request: Request, taken: Received, path: WirePath) -> Response:
    wanted = checked(SchemaGenerationRequest, taken.body.value)
    services, tenant_id = taken.services, taken.caller.tenant_id
    echo = wanted.model if wanted.model == GENERATOR else served_model(services, wanted.model).echo
    files = await taken.files(wanted.file_urls())
    name, schema = await to_thread.run_sync(generate_schema, services, tenant_id, files, wanted.instruction())
    message = Message(role="assistant", content=generated_schema_content(schema, name))
    completion = ChatCompletion(
        id=str(uuid.uuid4()),
        created=int(time.time()),
        model=echo,
        choices=[Choice(index=0, message=message, finish_reason="stop")],
        usage=CompletionUsage(),
    )
    if wanted.stream:
        body = b"".join(encoded(completion, include_usage=_wants_usage(wanted.stream_options)))
        return Response(body, media_type=EVENTS)
    return Response(encode_json(emit(completion, path)), media_type=_JSON)


def _wants_usage(options: StreamOptions | None) -> bool:
    return bool(options and options.include_usage)
