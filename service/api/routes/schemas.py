"""Named schemas over REST: kept in versions that never change."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Request, Response

from service.api.bodies import read_object
from service.api.context import Reader, ServicesOf, Submitter, refuse_query
from service.api.documentation import Extra, errors, success
from service.api.generation import LONGEST_INSTRUCTION, generate_for
from service.api.payloads import examples
from service.api.payloads.base import API, moment
from service.api.payloads.schemas import GeneratedSchemaPayload, SchemaEntry, SchemaListPayload, SchemaPayload
from service.domain.errors import ErrorCode
from service.domain.records import JsonObject
from service.domain.schema import parse_schema
from service.domain.schema_version import READY_VERSION, SchemaVersion
from service.extraction.schema.effective import effective_schema
from service.jobs.intake.generate_schema import MOST_FILES
from service.jobs.intake.schemas import LONGEST_NAME, find_schema, list_schemas, put_schema, schema_versions
from service.jobs.services import Services

router = APIRouter(tags=["schemas"], dependencies=[Depends(refuse_query)])
_LONGEST_REF = LONGEST_NAME + 10
_NAMES = r"^[A-Za-z0-9][A-Za-z0-9_.\-]*$"
_REFERENCES = r"^[A-Za-z0-9][A-Za-z0-9_.\-]*(@[0-9]{1,9})?$"
SchemaName = Annotated[
    str,
    Path(
        description="Letters, digits, `_`, `-`, `.`.",
        json_schema_extra={"pattern": _NAMES, "maxLength": LONGEST_NAME},  # put_schema says what a name may be
    ),
]
SchemaReference = Annotated[
    str, Path(description="`name` for the latest, or `name@version`.", max_length=_LONGEST_REF, pattern=_REFERENCES)
]


def _body() -> Extra:
    content = {"application/json": {"schema": {"type": "object"}, "example": examples.SCHEMA}}
    return {"requestBody": {"required": True, "content": content}}


def _generation_body() -> Extra:
    words: JsonObject = {"type": "string", "maxLength": LONGEST_INSTRUCTION}
    ids: JsonObject = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_FILES}
    named: JsonObject = {"type": "object", "required": ["file_ids"], "additionalProperties": False}
    form: JsonObject = {"type": "object", "required": ["file"], "additionalProperties": False}
    file: JsonObject = {"type": "array", "items": {"type": "string", "format": "binary"}, "maxItems": MOST_FILES}
    content = {
        "application/json": {
            "schema": named | {"properties": {"file_ids": ids, "instruction": words}},
            "example": examples.GENERATION_REQUEST,
        },
        "multipart/form-data": {"schema": form | {"properties": {"file": file, "instruction": words}}},
    }
    return {"requestBody": {"required": True, "content": content}}


@router.put(
    "/schemas/{name}",
    summary="Keep a schema",
    response_class=Response,
    responses=errors(ErrorCode.INVALID_SCHEMA)
    | success(SchemaPayload, examples.SCHEMA_VERSION, "The content was known: its version.")
    | success(SchemaPayload, examples.SCHEMA_VERSION, "A new version; `Location` says where.", status=201),
    openapi_extra=_body(),
)
async def keep_schema(name: SchemaName, request: Request, services: ServicesOf, caller: Submitter) -> Response:
    """Keep a JSON Schema, bare or in a wrapper, under a name; the same content is the same version."""
    source = await read_object(request)
    put = partial(put_schema, services, caller.tenant_id, name, source, created_by=caller.user)
    schema, is_new = await to_thread.run_sync(put)
    payload = await to_thread.run_sync(_payload, services, caller.tenant_id, schema)
    headers = {"Location": f"{API}/schemas/{schema.reference}"}
    return Response(payload.model_dump_json(), 201 if is_new else 200, headers, media_type="application/json")


@router.post(
    "/schemas/generate",
    summary="Generate a schema",
    response_class=Response,
    responses=errors(
        ErrorCode.NO_FILE,
        ErrorCode.NO_PAGES,
        ErrorCode.FILE_NOT_FOUND,
        ErrorCode.FILE_TOO_LARGE,
        ErrorCode.UNSUPPORTED_FORMAT,
        ErrorCode.PASSWORD_REQUIRED,
    )
    | success(GeneratedSchemaPayload, examples.GENERATED_SCHEMA, "A schema to look over and to keep."),
    openapi_extra=_generation_body(),
)
async def propose_schema(request: Request, services: ServicesOf, caller: Submitter) -> Response:
    """Propose fields for one to three documents of a kind, by name (`file_ids`) or sent along as `file`.

    Works offline. Nothing is kept: neither the schema nor the files that come with the request.
    """
    name, schema = await generate_for(request, services, caller)
    payload = GeneratedSchemaPayload(name=name, schema=schema)
    return Response(payload.model_dump_json(by_alias=True), media_type="application/json")


@router.get(
    "/schemas", summary="List schemas", responses=errors() | success(SchemaListPayload, examples.SCHEMA_LIST, "All.")
)
def read_schemas(services: ServicesOf, caller: Reader) -> SchemaListPayload:
    """Every name with its latest version; the ready ones too."""
    found = list_schemas(services, caller.tenant_id)
    return SchemaListPayload(schemas=[SchemaEntry.model_validate(_entry(schema)) for schema in found])


@router.get(
    "/schemas/{reference}",
    summary="A schema",
    responses=errors(ErrorCode.SCHEMA_NOT_FOUND) | success(SchemaPayload, examples.SCHEMA_VERSION, "The version."),
)
def read_schema(reference: SchemaReference, services: ServicesOf, caller: Reader) -> SchemaPayload:
    """One version, and what values of it always satisfy."""
    return _payload(services, caller.tenant_id, find_schema(services, caller.tenant_id, reference))


def _payload(services: Services, tenant_id: str, schema: SchemaVersion) -> SchemaPayload:
    parsed = parse_schema(schema.source, schema.name)
    more: dict[str, object] = {
        "versions": list(schema_versions(services, tenant_id, schema.name)),
        "schema": schema.source,
        "effective_schema": effective_schema(parsed),
        "checks": list(parsed.checks),
    }
    return SchemaPayload.model_validate(_entry(schema) | more)


def _entry(schema: SchemaVersion) -> dict[str, object]:
    is_ready = schema.version == READY_VERSION
    return {
        "name": schema.name,
        "version": schema.version,
        "ready": is_ready,
        "sha256": schema.sha256,
        "created_at": None if is_ready else moment(schema.created_at),
        "created_by": schema.created_by,
        "links": {"self": f"{API}/schemas/{schema.reference}"},
    }
