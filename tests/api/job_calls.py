"""How the tests of this folder hand in jobs and look at answers."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import httpx
from reportlab.pdfgen.canvas import Canvas

from tests.fakes.local_service import SAMPLES

SCHEMA: Mapping[str, object] = {
    "name": "letter",
    "schema": {"type": "object", "properties": {"number": {"type": "string", "description": "Letter number"}}},
}


def sample(name: str) -> tuple[bytes, str]:
    """The document and the schema of a sample."""
    folder = SAMPLES / name
    return next(folder.glob("document.*")).read_bytes(), (folder / "schema.json").read_text()


def letter(
    text: str = "Letter number: L-17", *, pages: int = 1, encrypt: str | None = None, compressed: bool = True
) -> bytes:
    """A PDF of our own with one line a page."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1, encrypt=encrypt, pageCompression=int(compressed))
    for _ in range(pages):
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def hand_in(
    client: httpx.Client, data: bytes, query: str = "", *, headers: Mapping[str, str] | None = None, **fields: str
) -> httpx.Response:
    """POST /jobs as a form."""
    fields.setdefault("schema", json.dumps(SCHEMA))
    return client.post(f"/api/v1/jobs{query}", files={"file": ("a.pdf", data)}, data=fields, headers=headers)


def error_of(answer: httpx.Response) -> dict[str, Any]:
    """The error of an answer, which has all its keys and the request's id."""
    error: dict[str, Any] = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code", "retryable", "request_id"}
    assert error["request_id"] == answer.headers["x-request-id"]
    return error
