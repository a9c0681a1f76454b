"""What the routes of review take and answer with."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from service.api.payloads.base import Payload
from service.api.payloads.job_requests import IN_IDS
from service.api.payloads.jobs import JobPayload, ReviewPayload
from service.api.payloads.parts import PointPayload
from service.api.payloads.results import CheckPayload, FieldPayload
from service.domain.corrections import Operation, OperationKind, ReviewAction
from service.domain.geometry import Point, Quad
from service.domain.records import Json, JsonObject, Location

_ID = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_.:-]+$")]
_MOST_WORDS = 500


class Request(BaseModel):
    """Base of all bodies: what is not known is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PointRequest(Request):
    """A corner, in fractions of the page as displayed."""

    x: float = Field(ge=0, le=1)
    y: float = Field(ge=0, le=1)


_Corners = Annotated[list[PointRequest], Field(min_length=4, max_length=4)]


class LocationRequest(Request):
    """Where a value stands."""

    page: int = Field(ge=1, le=1_000_000)
    coordinates: _Corners
    word_coordinates: list[_Corners] = Field([], max_length=_MOST_WORDS)

    def location(self) -> Location:
        """In the domain's words."""
        return Location(self.page, _quad(self.coordinates), tuple(_quad(word) for word in self.word_coordinates))


def _quad(corners: list[PointRequest]) -> Quad:
    a, b, c, d = (Point(corner.x, corner.y) for corner in corners)
    return (a, b, c, d)


class OperationRequest(Request):
    """One change."""

    op: OperationKind
    id: _ID = Field(description="Chosen by you; the same operation sent twice is done once.")
    record: Annotated[str, StringConstraints(max_length=64, pattern=IN_IDS)] | None = Field(
        None, description="Id of the record; needed when there are several."
    )
    path: str = Field(
        "", max_length=2000, description="JSON Pointer with row ids in place of positions: `/lines/row_…/amount`."
    )
    old: Json = Field(None, description="The value as you saw it (`set`, `mark_absent`, `confirm`).")
    value: Json = Field(None, description="The value as typed (`set`); cells by name (`insert_row`).")
    location: LocationRequest | None = Field(None, description="Where the value stands (`set`).")
    before: Annotated[str, StringConstraints(max_length=64, pattern=IN_IDS)] | None = Field(
        None, description="Row in front of which it goes (`insert_row`, `move_row`); null: the end."
    )
    of: _ID | None = Field(None, description="Operation to take back (`undo`).")

    @model_validator(mode="after")
    def _complete(self) -> OperationRequest:
        if self.op is OperationKind.SET and self.value is None:
            raise ValueError("set needs a value; mark_absent says that there is none")
        if (self.op is OperationKind.UNDO) != (self.of is not None):
            raise ValueError("undo, and undo alone, names an operation in `of`")
        return self

    def operation(self) -> Operation:
        """In the domain's words."""
        return Operation(
            id=self.id,
            kind=self.op,
            record=self.record,
            path=self.path,
            old=self.old,
            value=self.value,
            location=self.location.location() if self.location else None,
            before=self.before,
            of=self.of,
        )


class CorrectionsRequest(Request):
    """All of them are done, or none."""

    operations: list[OperationRequest] = Field(min_length=1, max_length=5000)


class ApproveRequest(Request):
    """How a record is approved."""

    accept_unseen: bool = Field(False, description="Approve although doubts were not settled; the history keeps it.")


class LinkRequest(Request):
    """What a signed link allows."""

    expires_s: int = Field(3600, ge=60, le=604_800, description="Seconds until the link ends.")
    return_url: str = Field(
        "",
        max_length=1000,
        pattern=r"^(https?://[^\s<>\"\\]+)?$",
        description="Where the browser goes after the decision, with `job_id` and `review` added to its query.",
    )
    user: str = Field(
        "", max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$", description="Who reviews, for the history; empty: you."
    )


class LinkPayload(Payload):
    """A link that opens one document for review."""

    url: str
    """Relative to this service's address."""
    expires_at: datetime


class AskRequest(Request):
    """Whom a reviewer asks, and what."""

    to: Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")]
    question: Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]+$")]


class ReviewersPayload(Payload):
    """Users who may review."""

    reviewers: list[str]


class RejectRequest(Request):
    """Why a document is rejected."""

    reason: Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]+$")]


class NextRequest(Request):
    """What is passed over."""

    skip: list[Annotated[str, StringConstraints(max_length=64, pattern=IN_IDS)]] = Field(
        [], max_length=200, description="Jobs that were put off."
    )


class OperationPayload(Payload):
    """What came of an operation."""

    id: str
    path: str
    pointer: str | None
    """JSON Pointer of the leaf as `fields` has it now; null for rows, and when the row is gone."""
    entry: FieldPayload | None
    row: str | None
    """Id of the row that was inserted, deleted or moved."""


class CorrectionsPayload(Payload):
    """Stored, unless `dry_run` was asked for."""

    job_id: str
    revision: int
    review: ReviewPayload
    operations: list[OperationPayload]
    checks: dict[str, list[CheckPayload]]
    """Record id → its checks, run again."""


class NextPayload(Payload):
    """The document that is now in your hands; null when nothing waits."""

    job: JobPayload | None
    waiting: int
    """How many more wait."""


class HistoryEntryPayload(Payload):
    """Something that a person did."""

    action: ReviewAction
    by: str
    at: datetime
    run: int
    revision: int
    detail: JsonObject
    op: OperationKind | None
    id: str | None
    of: str | None
    record: str | None
    path: str | None
    row: str | None
    old: Json
    new: Json
    old_page: int | None
    old_coordinates: list[PointPayload] | None
    new_page: int | None
    new_coordinates: list[PointPayload] | None


class HistoryPayload(Payload):
    """Everything that people did, oldest first."""

    events: list[HistoryEntryPayload]
