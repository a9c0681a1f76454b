"""Asking a model for a schema: the answer's content is a complete `response_format`, ready for an extraction.

Source: https://console.upstage.ai/docs (information extraction, schema generation), read 2026-11-30.
"""

from __future__ import annotations

from pydantic import JsonValue, model_validator

from service.protocol.json_text import encode_json
from service.protocol.request import FileRequest, NamedSchema, ResponseFormat

MAX_FILES = 3


class SchemaGenerationRequest(FileRequest):
    """A request for a schema that fits one to three files; `instruction()` is what the caller says in words."""

    @model_validator(mode="after")
    def _has_few_files(self) -> SchemaGenerationRequest:
        if len(self.files()) > MAX_FILES:
            raise ValueError(f"{len(self.files())} files: a schema is generated from 1 to {MAX_FILES}")
        return self


def generated_schema_content(schema: dict[str, JsonValue], schema_name: str) -> str:
    """The content that answers a request for a schema.

    Raises:
        ValidationError: the name breaks the rule of the wire.
    """
    answer = ResponseFormat(json_schema=NamedSchema(name=schema_name, source=schema))
    return encode_json(answer.model_dump(by_alias=True)).decode("utf-8")
