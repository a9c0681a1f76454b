"""Taking in what a schema is to be generated from: uploads by id, or files that come with the request."""

from __future__ import annotations

from collections.abc import AsyncIterator

from anyio import to_thread
from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field

from service.api.bodies import read_object
from service.api.faults import check_body
from service.api.forms import Fields, is_form, read_form
from service.api.intake import forget_all
from service.auth.callers import Caller
from service.domain.errors import ErrorCode, InputError
from service.domain.files import StoredFile
from service.domain.records import JsonObject
from service.jobs.intake.generate_schema import MOST_FILES, generate_schema
from service.jobs.intake.uploads import get_file, receive_upload
from service.jobs.services import Services

LONGEST_INSTRUCTION = 4000


class GenerationRequest(BaseModel):
    """What is asked, as JSON or as the fields of a form."""

    model_config = ConfigDict(extra="forbid")

    file_ids: list[str] = Field(default=[], max_length=MOST_FILES)
    instruction: str = Field(default="", max_length=LONGEST_INSTRUCTION)


async def generate_for(request: Request, services: Services, caller: Caller) -> tuple[str, JsonObject]:
    """Read the request and generate; files that came with it are forgotten again.

    Returns:
        The schema's name, and the schema.

    Raises:
        InputError: no file came, or one that cannot be read.
        StateError: `file_not_found`.
    """
    sent: list[StoredFile] = []

    async def keep(name: str, parts: AsyncIterator[bytes], _before: Fields) -> None:
        sent.append(await receive_upload(services, caller.tenant_id, name, parts))

    try:
        if is_form(request):
            body: JsonObject = {**await read_form(request, keep, most_files=MOST_FILES)}
        else:
            body = await read_object(request)
        wanted = check_body(GenerationRequest, body)
        named = [await to_thread.run_sync(get_file, services, caller.tenant_id, name) for name in wanted.file_ids]
        files = sent or named
        if not files:
            raise InputError(
                ErrorCode.NO_FILE,
                "No file came: send 1 to 3 as the form field `file`, or name uploads by `file_ids`.",
                param="file",
            )
        return await to_thread.run_sync(generate_schema, services, caller.tenant_id, files, wanted.instruction)
    finally:
        await forget_all(services, sent)
