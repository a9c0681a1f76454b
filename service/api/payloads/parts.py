"""Answers and parts of answers that several routes have: for OpenAPI, and for all that is not prepared bytes.

Times are RFC 3339 in UTC; pages are 1-based; coordinates are fractions (0–1) of the page as displayed, clockwise from
top-left.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from service.api.payloads.base import API, Payload, moment
from service.domain.errors import ErrorCode
from service.domain.files import StoredFile
from service.domain.pages import MediaKind, TextSource
from service.domain.records import (
    Stage,
)


class ErrorInfo(Payload):
    """What went wrong; branch on `code`, show `message`."""

    message: str
    type: Literal[
        "invalid_request_error", "authentication_error", "permission_error", "rate_limit_error", "server_error"
    ]
    param: str | None
    """The part of the request that is meant."""
    code: ErrorCode
    retryable: bool
    request_id: str
    details: dict[str, str | int | float | None] | None = None
    """Beside `edit_conflict`: both values, and who it was."""


class ErrorPayload(Payload):
    """The body of every answer that is an error."""

    error: ErrorInfo


class PageInfo(Payload):
    """A page as displayed; `width` and `height` in points (1/72 inch)."""

    page: int = Field(ge=1)
    width: float
    height: float
    rotation: int


class FilePayload(Payload):
    """An upload."""

    id: str
    name: str
    sha256: str
    size_bytes: int
    kind: MediaKind
    created_at: datetime
    pages: list[PageInfo] | None
    """Null until a job opened the file."""
    links: dict[str, str]

    @classmethod
    def of(cls, file: StoredFile) -> FilePayload:
        """From the domain."""
        here = f"{API}/files/{file.id}"
        sizes = file.page_sizes
        return cls(
            id=file.id,
            name=file.name,
            sha256=file.sha256,
            size_bytes=file.size_bytes,
            kind=MediaKind(file.kind),
            created_at=moment(file.created_at),
            pages=None
            if sizes is None
            else [PageInfo(page=s.page, width=s.width, height=s.height, rotation=s.rotation) for s in sizes],
            links={"self": here, "content": f"{here}/content", "page": f"{here}/pages/{{page}}"},
        )


class PointPayload(Payload):
    """A corner."""

    x: float
    y: float


class WordPayload(Payload):
    """A printed word."""

    text: str
    coordinates: list[PointPayload] = Field(min_length=4, max_length=4)
    line: int
    """0-based index of its printed line, in reading order."""
    certainty: float
    """0–1; 1 for digital text."""


class PagePayload(Payload):
    """What was read from a page."""

    page: int = Field(ge=1)
    width: float
    height: float
    rotation: int
    text: TextSource
    words: list[WordPayload]
    issues: list[IssuePayload]


class IssuePayload(Payload):
    """Something a reader of the result should know."""

    stage: Stage
    code: str
    message: str
    page: int | None
    split: int | None


class SchemaName(Payload):
    """Which schema; the version is null for one that came with its job, 0 for one that comes with the product."""

    name: str
    version: int | None


class ModelPayload(Payload):
    """A model that a job may name."""

    id: str
    """`provider:model`, with the provider's usual model; a job may name another one of it."""
    provider: str
    available: bool
    """Whether what it needs, such as a key, is set."""
    default: bool


class ModelListPayload(Payload):
    """What there is."""

    models: list[ModelPayload]


class HealthPayload(Payload):
    """The process answers."""

    status: Literal["ok"]


class ReadyPayload(Payload):
    """Whether jobs are taken and done."""

    status: Literal["ready", "not_ready"]
    missing: list[str]
    """What is not there: `database`, `queue`, `cpu_worker`, `io_worker`."""
