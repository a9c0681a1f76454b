"""Asking for a schema, and the list of models."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from service.protocol.completion import ChatCompletion
from service.protocol.models import ModelCard, ModelList
from service.protocol.request import ExtractionOptions, ResponseFormat, build_extraction_request
from service.protocol.schema_generation import (
    SchemaGenerationRequest,
    generated_schema_content,
)

SCHEMA = {"type": "object", "properties": {"bank_name": {"type": "string", "description": "The name of the bank"}}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "document_schema", "schema": SCHEMA}}
PLAIN = json.dumps(FORMAT, separators=(",", ":"))


def test_the_documented_answer_can_be_sent_on_unchanged():
    """Its content is a whole `response_format`."""
    answer = ChatCompletion.model_validate(
        {
            "id": "00000000-0000-4000-8000-000000000000",
            "choices": [{"finish_reason": "stop", "index": 0, "message": {"role": "assistant", "content": PLAIN}}],
            "created": 1750000000,
            "model": "information-extract",
            "object": "chat.completion",
            "usage": {"prompt_tokens": 1230, "completion_tokens": 591, "total_tokens": 1821},
        }
    )
    found = ResponseFormat.model_validate_json(answer.choices[0].message.text())
    request = build_extraction_request(
        model="m",
        file="u",
        schema=found.json_schema.source,
        schema_name=found.json_schema.name,
        options=ExtractionOptions(),
    )
    assert json.loads(bytes(request.body()))["response_format"] == FORMAT


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.integers() | st.booleans()))
def test_a_written_schema_is_read_as_the_same_by_a_request(properties: dict[str, int | None]):
    """Decode after encode is the schema."""
    schema = {"type": "object", "properties": dict(properties)}
    found = ResponseFormat.model_validate_json(generated_schema_content(schema, "s"))  # type: ignore[arg-type] - JSON
    assert (found.json_schema.name, found.json_schema.source) == ("s", schema)


@pytest.mark.parametrize("count", [0, 4])
def test_a_schema_is_generated_from_one_to_three_files(count: int):
    """Neither none nor many."""
    parts = [{"type": "image_url", "image_url": {"url": "u"}}] * count
    with pytest.raises(ValidationError):
        SchemaGenerationRequest.model_validate({"model": "m", "messages": [{"role": "user", "content": parts}]})


def test_models_are_listed_in_openais_form():
    """`GET /models`."""
    listed = ModelList(data=[ModelCard(id="information-extract", owned_by="fieldmark")])
    assert listed.model_dump() == {
        "object": "list",
        "data": [{"id": "information-extract", "object": "model", "created": 0, "owned_by": "fieldmark"}],
    }
