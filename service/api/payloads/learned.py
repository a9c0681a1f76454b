"""What the routes of quality and memory answer with."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from service.api.payloads.base import Payload
from service.domain.memory import LessonKind
from service.domain.records import JsonObject, Scalar


class SharePayload(Payload):
    """So many of so many."""

    right: int
    count: int
    value: float | None
    """`right` of `count`; null of nothing."""
    least: float
    """Lower end of the 95 % interval (Wilson): what so few prove."""


class WeekPayload(Payload):
    """Values that people looked at in seven days."""

    begins: datetime
    looked_at: SharePayload


class FieldQualityPayload(Payload):
    """One field of a schema."""

    schema_name: str = Field(alias="schema")
    field: str
    """JSON Pointer with `*` for rows."""
    looked_at: SharePayload
    """Values that people looked at, those that were missing included."""
    high: SharePayload
    """Those that the model called `high`."""
    demoted: bool
    """Whether so many of these were wrong that they are `low` until that is better."""
    weeks: list[WeekPayload]


class BandPayload(Payload):
    """Values whose probability was within a tenth."""

    begins: float
    ends: float
    looked_at: SharePayload


class MeaningPayload(Payload):
    """What a probability means."""

    told: float | None
    """By the model; null: it gives none."""
    called: Literal["high", "low"] | None
    """Of values without a probability."""
    meant: float
    """How likely such a value is right."""
    reviewed: int
    """Values behind this figure."""


class CurvePayload(Payload):
    """What a model's probabilities mean on documents of one schema."""

    schema_name: str = Field(alias="schema")
    model: str
    meanings: list[MeaningPayload]


class SecondsPayload(Payload):
    """From taking a document in hand to its approval."""

    documents: int
    median: float | None
    nine_in_ten: float | None
    """Nine in ten documents took no longer."""


class QualityPayload(Payload):
    """What people's reviews say about the model."""

    since: datetime
    documents: int
    """Approved since then."""
    fields: list[FieldQualityPayload]
    weeks: list[WeekPayload]
    high: SharePayload
    low: SharePayload
    curve: list[BandPayload]
    calibration: list[CurvePayload]
    """Where enough was looked at: new results tell the corrected probabilities."""
    straight_through: SharePayload
    """Documents that went through without a person."""
    sample: SharePayload
    """Right ones among those of them that a person saw all the same."""
    seconds: SecondsPayload


class LessonPayload(Payload):
    """What a document taught about one field of its layout."""

    path: str
    kind: LessonKind
    where: str | None
    """In words, such as `right of “total due” on page 1`."""
    value: Scalar
    """As it was on that document."""


class TableLessonPayload(Payload):
    """A table whose header is remembered."""

    path: str
    columns: dict[str, str]
    """Column → the words over it."""


class MemoryPayload(Payload):
    """What one approved document taught."""

    id: str
    layout: str
    """Documents that look alike share it."""
    title: str
    schema_name: str = Field(alias="schema")
    job_id: str
    created_at: datetime
    created_by: str
    lessons: list[LessonPayload]
    tables: list[TableLessonPayload]


class MemoryListPayload(Payload):
    """What is remembered, the newest first."""

    memories: list[MemoryPayload]


class ForgottenPayload(Payload):
    """What is gone."""

    id: str
    forgotten: Literal[True] = True


class CasePayload(Payload):
    """An approved document as a case for evaluation."""

    job_id: str
    file_id: str
    file_name: str
    schema_name: str
    schema_source: JsonObject = Field(alias="schema")
    truth: JsonObject
    """What a person confirmed or corrected; nothing else is known to be right."""
    absent: list[str]
    """What a person said is not there."""


class CaseListPayload(Payload):
    """Approved documents, the newest first."""

    cases: list[CasePayload]
    next_cursor: str | None
    """The cursor of those before; null at the end."""
