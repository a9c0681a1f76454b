"""What the OpenAPI document says beside the routes themselves: errors, bodies that are read by hand, examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from service.api.errors import ERROR_RULES
from service.api.payloads.examples import JOB_REQUEST, RERUN_REQUEST
from service.api.payloads.job_requests import JobRequest, RerunRequest
from service.api.payloads.parts import ErrorPayload
from service.domain.errors import ErrorCode
from service.domain.records import JsonObject

# FastAPI itself types these two with Any: they are pieces of an OpenAPI document.
Responses = dict[int | str, dict[str, Any]]
Extra = dict[str, Any]

_EVERYWHERE = (
    ErrorCode.INVALID_REQUEST,
    ErrorCode.INVALID_OPTION,
    ErrorCode.OPTION_NOT_SUPPORTED,
    ErrorCode.INVALID_API_KEY,
    ErrorCode.FORBIDDEN,
    ErrorCode.ORIGIN_NOT_ALLOWED,
    ErrorCode.METHOD_NOT_ALLOWED,
    ErrorCode.OVERLOADED,
    ErrorCode.INTERNAL,
    ErrorCode.NOT_READY,
)
INTAKE = (
    ErrorCode.NO_FILE,
    ErrorCode.EMPTY_FILE,
    ErrorCode.FILE_TOO_LARGE,
    ErrorCode.UNSUPPORTED_FORMAT,
    ErrorCode.STORAGE_FULL,
)
"""What may be wrong with a file as it arrives."""
JOB = (ErrorCode.JOB_NOT_FOUND, ErrorCode.EXPIRED)
"""What may be wrong with the id of a job."""


def errors(*codes: ErrorCode) -> Responses:
    """The errors of a route by status, those that every route may have included."""
    by_status: dict[int, list[ErrorCode]] = {}
    for code in (*_EVERYWHERE, *codes):
        by_status.setdefault(ERROR_RULES[code].status, []).append(code)
    return {
        status: {"model": ErrorPayload, "description": ", ".join(f"`{c}`" for c in found)}
        for status, found in sorted(by_status.items())
    }


def stream_errors(*codes: ErrorCode) -> Responses:
    """As `errors`, for a route whose success is no JSON: FastAPI would give its errors that media type too."""
    body = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ErrorPayload.__name__}"}}}
    return {
        status: {"description": answer["description"], "content": body} for status, answer in errors(*codes).items()
    }


def success(model: type[BaseModel], example: JsonObject, description: str, *, status: int = 200) -> Responses:
    """An answer in JSON, with its model and an example."""
    shown = {"application/json": {"example": example}}
    return {status: {"model": model, "description": description, "content": shown}}


def binary(description: str, *media_types: str) -> dict[str, Any]:
    """A response that is bytes."""
    schema = {"type": "string", "format": "binary"}
    return {"description": description, "content": {name: {"schema": schema} for name in media_types}}


def upload_body() -> Extra:
    """The body of an upload."""
    form = {"type": "object", "properties": {"file": _FILE}, "required": ["file"], "additionalProperties": False}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": form}}}}


def job_body() -> Extra:
    """The body of a new job: a form or JSON."""
    one_schema: dict[str, Any] = {"oneOf": [{"required": [name]} for name in ("schema", "schema_ref", "schemas")]}
    from_json = _schema_of(JobRequest, required=["file_id"]) | one_schema
    properties = {name: part for name, part in from_json["properties"].items() if name != "file_id"}
    from_form = {
        "type": "object",
        "properties": {"file": _FILE, **properties},
        "required": ["file"],
        "additionalProperties": False,
        **one_schema,
    }
    content = {
        "multipart/form-data": {
            "schema": from_form,
            "encoding": {name: {"contentType": "application/json"} for name in ("schema", "metadata")},
        },
        "application/json": {"schema": from_json, "example": JOB_REQUEST},
    }
    return {"requestBody": {"required": True, "content": content}}


def rerun_body() -> Extra:
    """The body of a rerun; all of it may be left out."""
    content = {"application/json": {"schema": _schema_of(RerunRequest), "example": RERUN_REQUEST}}
    return {"requestBody": {"required": False, "content": content}}


def json_body(model: type[BaseModel], example: JsonObject, *, required: bool = True) -> Extra:
    """A body in JSON that is read by hand."""
    content = {"application/json": {"schema": _schema_of(model), "example": example}}
    return {"requestBody": {"required": required, "content": content}}


_FILE = {"type": "string", "format": "binary", "description": "The document."}


def _schema_of(model: type[BaseModel], required: list[str] | None = None) -> dict[str, Any]:
    """The JSON Schema of a body, with its parts inside it: FastAPI sees no model here that it could refer to."""
    whole = model.model_json_schema()
    parts = whole.pop("$defs", {})
    inlined = _inline(whole, parts)
    assert isinstance(inlined, dict)
    return inlined | ({"required": required} if required else {})


def _inline(node: object, parts: Mapping[str, object]) -> object:
    """A schema without references; one that leads back to itself (any JSON) becomes one that allows all."""
    if isinstance(node, list):
        return [_inline(child, parts) for child in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        return {} if name == "Json" else _inline(parts[name], parts)
    return {key: _inline(child, parts) for key, child in node.items()}
