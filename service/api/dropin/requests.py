"""From a request on the vendor's paths to what the use cases take: its files, its options, who asks."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ValidationError

from service.api.context import context_of
from service.api.dropin.bodies import NO_BODY, FilesBody, read_files_body
from service.api.intake import forget_all
from service.auth.callers import Caller
from service.domain.access import Role
from service.domain.errors import ErrorCode, InputError
from service.domain.files import StoredFile
from service.domain.jobs import JobOptions
from service.domain.records import JsonObject
from service.domain.routes import JobSchema
from service.domain.schema import parse_schema
from service.jobs.intake.submit import Submission
from service.jobs.intake.uploads import receive_upload
from service.jobs.services import Services
from service.protocol.data_url import decode_data_url, is_data_url
from service.protocol.fault import request_fault
from service.protocol.request import FULL_ANSWER, ExtractionOptions, ExtractionRequest

_NAMELESS = "document"
_SEEN_AS_INVALID_BODY = frozenset({ErrorCode.FILE_TOO_LARGE})
"""The vendor has no code of their own for these."""
M = TypeVar("M", bound=BaseModel)
_scheme = HTTPBearer(auto_error=False, description="An API key: `fm_…`; any on a machine without keys.")


def _identify(request: Request, _shown: Annotated[object, Depends(_scheme)]) -> Caller:
    """Clients of the vendor always show a key; on this machine itself, while there are none, any will do."""
    client = request.client.host if request.client else None
    authorization = request.headers.get("authorization")
    return context_of(request).authenticator.authenticate(authorization, client, any_key_alone=True)


def _reader(caller: Annotated[Caller, Depends(_identify)]) -> Caller:
    caller.require(Role.READ)
    return caller


def _submitter(caller: Annotated[Caller, Depends(_identify)]) -> Caller:
    caller.require(Role.SUBMIT)
    return caller


VendorReader = Annotated[Caller, Depends(_reader)]
"""Who asks on the vendor's paths, and may read."""
VendorSubmitter = Annotated[Caller, Depends(_submitter)]
"""Who asks on the vendor's paths, and may hand in."""


async def hold_place(request: Request) -> AsyncIterator[None]:
    """Before the body is read, and until the answer is out.

    Raises:
        InternalError: `overloaded`.
    """
    with context_of(request).dropin_places.take():
        yield


@dataclass(slots=True, kw_only=True)
class Received:
    """A body whose files are kept."""

    services: Services
    caller: Caller
    uploads: list[StoredFile] = field(default_factory=list[StoredFile])
    used: bool = False
    """Whether jobs stand on the files."""
    body: FilesBody = NO_BODY

    async def take(self, parts: AsyncIterator[bytes], name: str = _NAMELESS) -> StoredFile:
        """Keep a file."""
        try:
            file = await receive_upload(self.services, self.caller.tenant_id, name, parts)
        except InputError as error:
            if error.code in _SEEN_AS_INVALID_BODY:
                raise InputError(ErrorCode.INVALID_REQUEST, error.message, param=error.param) from error
            raise
        self.uploads.append(file)
        return file

    async def files(self, urls: Sequence[str]) -> tuple[StoredFile, ...]:
        """The file of each URL.

        Raises:
            InputError: a URL is no data URL and cannot be fetched.
        """
        words = dict(zip(self.body.words, self.uploads, strict=False))
        return tuple([words[url] if url in words else await self._file_at(url) for url in urls])

    async def _file_at(self, url: str) -> StoredFile:
        if not is_data_url(url):
            async with self.services.open_fetcher(self.caller.tenant_id).open(url) as fetched:
                return await self.take(fetched.parts, fetched.name or _NAMELESS)
        try:
            data = decode_data_url(url)
        except ValueError as error:
            raise InputError(
                ErrorCode.INVALID_REQUEST, f"The file cannot be taken: {error}.", param="messages"
            ) from error
        return await self.take(_in_one(data))


async def _in_one(data: bytes) -> AsyncIterator[bytes]:
    yield data


@asynccontextmanager
async def received(
    request: Request, services: Services, caller: Caller, *, most_files: int
) -> AsyncGenerator[Received]:
    """Read a JSON body; at the end, files that no job stands on are forgotten.

    Raises:
        InputError: the body or one of its files cannot be taken.
    """
    taken = Received(services=services, caller=caller)

    async def take(parts: AsyncIterator[bytes]) -> None:
        await taken.take(parts)

    try:
        limit = services.limits.max_file_bytes
        taken.body = await read_files_body(request, take, most_files=most_files, most_file_bytes=limit)
        yield taken
    finally:
        if not taken.used:
            await forget_all(services, taken.uploads)


def checked(kind: type[M], value: JsonObject) -> M:
    """The request, if it keeps the rules of the wire.

    Raises:
        InputError: `invalid_request_body`, with the first fault and its place.
    """
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise wire_fault(error) from None


def wire_fault(error: ValidationError) -> InputError:
    """The first fault of a request; what was sent is not repeated."""
    fault = request_fault(error)
    return InputError(ErrorCode.INVALID_REQUEST, f"{fault.message}.", param=fault.param)


def wanted_options(request: Request, options: ExtractionOptions) -> ExtractionOptions:
    """What is asked for, the header of our own included."""
    name, value = FULL_ANSWER
    if request.headers.get(name, "").strip().lower() != value:
        return options
    return ExtractionOptions(
        mode=options.mode, split=options.split, pages_per_chunk=options.pages_per_chunk, full=True
    )  # fmt: skip - `full` stands for all that is told beside the values


def job_options(model: str, options: ExtractionOptions) -> JobOptions:
    """The options of the job behind a request."""
    return JobOptions(
        model=model,
        split_documents=bool(options.split),
        pages_per_chunk=options.pages_per_chunk,
        mode=options.mode or "standard",
    )


def submission_of(caller: Caller, file: StoredFile, wanted: ExtractionRequest, options: JobOptions) -> Submission:
    """The job that a request asks for."""
    return new_submission(caller, file, wanted.schema_source(), wanted.response_format.json_schema.name, options)


def new_submission(caller: Caller, file: StoredFile, schema: JsonObject, name: str, options: JobOptions) -> Submission:
    """A job of a file; the schema's own name, where it has one, goes before the given one.

    Raises:
        InputError: `invalid_schema`.
    """
    return Submission(
        tenant_id=caller.tenant_id,
        file=file,
        schemas=(JobSchema(source=schema, name=parse_schema(schema, name).name, version=None),),
        options=options,
        metadata={},
        created_by=caller.user,
    )


def request_digest(caller: Caller, body_digest: str) -> str:
    """What makes two requests the same: who asks, and every byte of what is asked."""
    return hashlib.sha256(f"{caller.user}\n{body_digest}".encode()).hexdigest()
