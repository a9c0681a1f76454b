"""Asking a model for a schema: the answer's content is a complete `response_format`, ready for an extraction.

Source: https://console.upstage.ai/docs (information extraction, schema generation), read 2026-11-30.
"""

from __future__ import annotations

import re

from pydantic import JsonValue, ValidationError, model_validator

from service.protocol.json_text import decode_json, encode_json
from service.protocol.request import (
    FileRequest,
    ImageUrl,
    ImageUrlPart,
    NamedSchema,
    RequestMessage,
    ResponseFormat,
)

MAX_FILES = 3
_FENCE = re.compile(r"^\s*```[A-Za-z0-9]*[ \t]*\n(.*)\n```\s*$", re.DOTALL)
_DEEPEST_WRAP = 3


class MalformedSchemaError(ValueError):
    """The content is not a `response_format`, a named schema or a schema."""


class SchemaGenerationRequest(FileRequest):
    """A request for a schema that fits one to three files; `instruction()` is what the caller says in words."""

    @model_validator(mode="after")
    def _has_few_files(self) -> SchemaGenerationRequest:
        if len(self.files()) > MAX_FILES:
            raise ValueError(f"{len(self.files())} files: a schema is generated from 1 to {MAX_FILES}")
        return self


def build_schema_generation_request(*, model: str, file_urls: list[str], instruction: str) -> SchemaGenerationRequest:
    """The request for a schema, with the instruction as system message if there is one.

    Raises:
        ValidationError: there are no files, or more than `MAX_FILES`.
    """
    parts = [ImageUrlPart(image_url=ImageUrl(url=url)) for url in file_urls]
    messages = [RequestMessage(role="system", content=instruction)] if instruction else []
    messages.append(RequestMessage(role="user", content=[*parts]))
    return SchemaGenerationRequest(model=model, messages=messages)


def read_generated_schema(content: str) -> ResponseFormat:
    """The schema in an answer's content: plain, inside a fence, or wrapped once more than it should be.

    Raises:
        MalformedSchemaError: there is no schema in it.
    """
    fenced = _FENCE.match(content)
    try:
        value = decode_json(fenced.group(1) if fenced else content)
    except ValueError as error:
        raise MalformedSchemaError("the generated schema is not JSON") from error
    named = _unwrapped(value)
    if named is None:
        raise MalformedSchemaError("the generated schema is JSON, but no schema")
    try:
        return ResponseFormat(json_schema=NamedSchema.model_validate(named))
    except ValidationError as error:
        raise MalformedSchemaError("the generated schema has a name or a form that no request may have") from error


def _unwrapped(value: JsonValue) -> dict[str, JsonValue] | None:
    """`{"name", "schema"}` out of however many `json_schema` stand around it, or around a bare schema."""
    for _ in range(_DEEPEST_WRAP):
        inner = value.get("json_schema") if isinstance(value, dict) else None
        if not isinstance(inner, dict):
            break
        value = inner
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("schema"), dict):
        return value
    return {"schema": value} if isinstance(value.get("properties"), dict) else None


def generated_schema_content(schema: dict[str, JsonValue], schema_name: str) -> str:
    """The content that answers a request for a schema.

    Raises:
        ValidationError: the name breaks the rule of the wire.
    """
    answer = ResponseFormat(json_schema=NamedSchema(name=schema_name, source=schema))
    return encode_json(answer.model_dump(by_alias=True)).decode("utf-8")
