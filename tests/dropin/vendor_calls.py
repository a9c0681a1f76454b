"""How the tests of this folder ask on the vendor's paths, and the documents they send."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from typing import Any

import httpx
from reportlab.pdfgen.canvas import Canvas

from tests.api.job_calls import letter, sample
from tests.fakes.pipeline import wait_until

EXTRACTION = "/v1/information-extraction"
CHAT = f"{EXTRACTION}/chat/completions"
GENERATION = f"{EXTRACTION}/schema-generation"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "description": "Letter number"},
        "fax": {"type": "string", "description": "Fax number of the sender"},
        "total": {"type": "number", "description": "Total amount"},
        "copies": {"type": "integer", "description": "Number of copies"},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"article": {"type": "string"}, "price": {"type": "number"}}},
        },
    },
}
"""Of a letter only `number` is there."""


def data_url(data: bytes, media_type: str = "application/octet-stream") -> str:
    """A file as a request carries it."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def messages(*files: bytes, media_type: str = "application/octet-stream") -> list[dict[str, Any]]:
    """One user message with a part for each file."""
    parts = [{"type": "image_url", "image_url": {"url": data_url(file, media_type)}} for file in files]
    return [{"role": "user", "content": parts}]


def response_format(schema: dict[str, Any] = SCHEMA) -> dict[str, Any]:
    """The schema as a request carries it."""
    return {"type": "json_schema", "json_schema": {"name": "document_schema", "schema": schema}}


def body(file: bytes | None = None, **more: Any) -> dict[str, Any]:
    """A request for a letter, or another file; `None` as a value leaves a key out."""
    asked = {
        "model": "information-extract",
        "messages": messages(letter() if file is None else file),
        "response_format": response_format(),
    }
    return {key: value for key, value in (asked | more).items() if value is not None}


def sample_body(name: str, **more: Any) -> dict[str, Any]:
    """A request for one of the sample documents with its own schema."""
    file, schema = sample(name)
    return body(file, response_format=response_format(bare_schema(schema)), **more)


def bare_schema(text: str) -> dict[str, Any]:
    """A sample's schema without what stands around it."""
    schema: dict[str, Any] = json.loads(text)
    inner: dict[str, Any] = schema.get("schema", schema)
    return inner


def content_of(answer: dict[str, Any], index: int = 0) -> dict[str, Any]:
    """The record in an answer."""
    values: dict[str, Any] = json.loads(answer["choices"][index]["message"]["content"])
    return values


def leaves_of(answer: dict[str, Any], index: int = 0) -> dict[str, Any]:
    """The decoded `additional_values` of an answer."""
    (call,) = answer["choices"][index]["message"]["tool_calls"]
    assert call["function"]["name"] == "additional_values"
    values: dict[str, Any] = json.loads(call["function"]["arguments"])
    return values


def bound(texts: Sequence[str]) -> bytes:
    """A PDF of our own that binds documents together, a line on each page."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for text in texts:
        for number, line in enumerate(text.splitlines()):
            canvas.drawString(72, 740 - 16 * number, line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def wait_until_over(client: httpx.Client, job_id: str) -> dict[str, Any]:
    """An asynchronous job with its results, once it has ended."""
    job: dict[str, Any] = {}

    def over() -> bool:
        job.update(client.get(f"{EXTRACTION}/jobs/{job_id}?with_result=true").json())
        return bool(job["completed_at"])

    wait_until(over)
    return job
