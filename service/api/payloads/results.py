"""The result of a job as it is answered: a record for each document, an entry for each value, a row for each page."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from service.api.payloads.base import Payload
from service.api.payloads.jobs import DocumentPayload, FaultPayload, ReviewPayload, TimingPayload, UsagePayload
from service.api.payloads.parts import IssuePayload, PageInfo, PointPayload, SchemaName
from service.domain.corrections import OperationKind
from service.domain.jobs import JobStatus
from service.domain.pages import TextSource
from service.domain.records import BoxCheck, Confidence, Json, JsonObject, Origin, PageState, Verdict


class ResultFile(Payload):
    """The file of a result."""

    id: str
    name: str
    sha256: str
    pages: list[PageInfo]


class ReviewedPayload(Payload):
    """That a person looked at a value."""

    as_: OperationKind = Field(alias="as")
    by: str
    at: str
    operation: str
    """Id of the operation, for who takes it back."""


class UnplacedPayload(Payload):
    """A correction of an earlier run that has no place in this one."""

    operation: str
    op: OperationKind
    path: str
    run: int
    by: str
    old: Json
    new: Json
    why: str


class FieldPayload(BaseModel):
    """One leaf of a record: its value, where it stands, and whether to trust it."""

    value: str | int | float | bool | None
    verdict: Verdict
    confidence: Confidence
    raw: str | None = None
    probability: float | None = None
    origin: Origin | None = None
    page: int | None = None
    coordinates: list[PointPayload] | None = None
    word_coordinates: list[list[PointPayload]] | None = None
    box_check: BoxCheck | None = None
    reviewed: ReviewedPayload | None = None
    """Who looked at it, if anybody did."""


class ConflictPayload(Payload):
    """Two answers for one field."""

    path: str
    kept: FieldPayload
    other: FieldPayload
    rule: str


class CheckPayload(Payload):
    """The outcome of one of the schema's checks."""

    rule: str
    ok: bool
    paths: list[str]
    message: str


class RecordPayload(Payload):
    """The merged result of one document; view=values has no `fields`, `rows`, `conflicts` and `checks`."""

    id: str
    index: int
    pages: list[int]
    schema_: SchemaName = Field(alias="schema")
    values: JsonObject
    fields: dict[str, FieldPayload] | None = None
    rows: dict[str, list[str]] | None = None
    conflicts: list[ConflictPayload] | None = None
    checks: list[CheckPayload] | None = None


class CoveragePayload(Payload):
    """Where a page ended."""

    page: int
    text: TextSource
    splits: list[int]
    state: PageState
    fields: int


class SplitRowsPayload(Payload):
    """The rows of one model request's answer, those of all tables together, and how many of them are in the records."""

    split: int
    pages: list[int]
    rows_in: int
    rows_out: int


class ProcessingPayload(Payload):
    """A model, and the pages it saw."""

    pages: list[int]
    provider: str
    host: str | None
    """Null: nowhere, the model is in the service itself."""
    model: str
    """As it was asked for."""
    version: str | None
    """As its answer named itself."""


class ResultPayload(Payload):
    """The result of a job whose run is over."""

    job_id: str
    status: JobStatus
    run: int
    revision: int
    model: str
    engine: str
    external_id: str | None
    metadata: JsonObject
    file: ResultFile | None
    schema_: SchemaName | None = Field(alias="schema")
    """Of all records; null where each document was given one of several."""
    documents: list[DocumentPayload]
    """Every document inside the file, also the unrouted ones, which have no record."""
    review: ReviewPayload
    records: list[RecordPayload]
    unplaced_corrections: list[UnplacedPayload]
    """What reviewers did in earlier runs and what does not fit any more."""
    coverage: list[CoveragePayload]
    splits: list[SplitRowsPayload]
    issues: list[IssuePayload]
    error: FaultPayload | None
    usage: UsagePayload
    processing: list[ProcessingPayload]
    """Who saw which pages, in all runs."""
    timing: TimingPayload


class CompletionPayload(BaseModel):
    """A `chat.completion` with one choice a record; see docs/wire.md for every key."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Json]]
    usage: dict[str, Json] | None = None
