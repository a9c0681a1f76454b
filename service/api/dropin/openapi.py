"""What the OpenAPI document says of the vendor's paths."""

from __future__ import annotations

from typing import Any, TypedDict

from fastapi import Response

from service.api.documentation import INTAKE, JOB, Extra, Responses, errors, success
from service.api.payloads.examples import COMPLETION
from service.api.payloads.results import CompletionPayload
from service.domain.errors import ErrorCode
from service.domain.records import JsonObject
from service.protocol.async_job import ExtractionJob, JobList, JobReceipt
from service.protocol.models import ModelList
from service.protocol.request import ExtractionRequest
from service.protocol.schema_generation import SchemaGenerationRequest


class RouteText(TypedDict, total=False):
    """Keywords of a route."""

    summary: str
    response_class: type[Response]
    responses: Responses
    openapi_extra: Extra


_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"number": {"type": "string", "description": "Number of the invoice"}},
}
_MESSAGES: list[object] = [
    {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "data:application/octet-stream;base64,JVBERi0xLjcK"}}],
    }
]
_EXTRACTION_REQUEST: dict[str, object] = {
    "model": "information-extract",
    "messages": _MESSAGES,
    "response_format": {"type": "json_schema", "json_schema": {"name": "document_schema", "schema": _SCHEMA}},
    "confidence": True,
}
_RECEIPT: JsonObject = {
    "job_id": "6f1c9b0a-2f6e-4a3e-9a58-0c4d2a7be001",
    "status": "CREATED",
    "created_at": "2026-11-30T09:00:00Z",
    "message": "2 files are taken; poll /v1/information-extraction/jobs/6f1c9b0a-2f6e-4a3e-9a58-0c4d2a7be001.",
}
_JOB: JsonObject = {
    "job_id": "6f1c9b0a-2f6e-4a3e-9a58-0c4d2a7be001",
    "status": "COMPLETED",
    "model": "information-extract-261101",
    "total_documents": 1,
    "completed_documents": 1,
    "created_at": "2026-11-30T09:00:00Z",
    "started_at": "2026-11-30T09:00:00Z",
    "completed_at": "2026-11-30T09:00:02Z",
    "batches": [{"id": 1, "file_name": "a.pdf", "status": "COMPLETED", "failure_message": ""}],
}
_MODELS: JsonObject = {
    "object": "list",
    "data": [{"id": "information-extract", "object": "model", "created": 0, "owned_by": "fieldmark"}],
}
_RUN = (
    *INTAKE,
    ErrorCode.INVALID_SCHEMA,
    ErrorCode.UNKNOWN_MODEL,
    ErrorCode.WRONG_STATE,
    ErrorCode.EXPIRED,
    ErrorCode.DAMAGED_FILE,
    ErrorCode.ROUTE_NOT_FOUND,
    ErrorCode.MODEL_BAD_ANSWER,
    ErrorCode.MODEL_UNAVAILABLE,
    ErrorCode.MODEL_TIMEOUT,
)
"""What a request may end with that waits for its job."""


def _json_body(model: type[ExtractionRequest | SchemaGenerationRequest], example: dict[str, object]) -> Extra:
    schema = {"type": "object", "additionalProperties": True, "description": model.__doc__ or ""}
    content = {"application/json": {"schema": schema, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


def _form_body() -> Extra:
    text: dict[str, Any] = {"type": "string"}
    files = {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1, "maxItems": 20}
    names = ("mode", "location", "location_granularity", "confidence", "split", "chunking")
    schema = {
        "type": "object",
        "properties": {"documents": files, "schema": text, "model": text, **dict.fromkeys(names, text)},
        "required": ["documents", "schema", "model"],
    }
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def _answers() -> Responses:
    known = success(CompletionPayload, COMPLETION, "The answer, or with `stream` the events of one.")
    known[200]["content"] = {**known[200]["content"], "text/event-stream": {}}
    return errors(*_RUN) | known


EXTRACTION = RouteText(
    summary="Extract, in the vendor's form",
    response_class=Response,
    responses=_answers(),
    openapi_extra=_json_body(ExtractionRequest, _EXTRACTION_REQUEST),
)
GENERATION = RouteText(
    summary="Generate a schema, in the vendor's form",
    response_class=Response,
    responses=_answers(),
    openapi_extra=_json_body(SchemaGenerationRequest, {"model": "information-extract", "messages": _MESSAGES}),
)
MODELS = RouteText(
    summary="List models, in OpenAI's form",
    response_class=Response,
    responses=errors() | success(ModelList, _MODELS, "All names."),
)
ASYNC_SUBMIT = RouteText(
    summary="Hand in files, in the vendor's form",
    response_class=Response,
    responses=errors(*INTAKE, ErrorCode.INVALID_SCHEMA) | success(JobReceipt, _RECEIPT, "Taken."),
    openapi_extra=_form_body(),
)
ASYNC_LIST = RouteText(
    summary="List asynchronous jobs, in the vendor's form",
    response_class=Response,
    responses=errors() | success(JobList, {"jobs": [_JOB]}, "The newest ones."),
)
ASYNC_JOB = RouteText(
    summary="An asynchronous job, in the vendor's form",
    response_class=Response,
    responses=errors(*JOB) | success(ExtractionJob, _JOB, "Where it stands."),
)
