"""What the routes of quality and memory answer with."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from service.api.payloads.base import Payload, moment
from service.domain.judgements import Curve
from service.domain.memory import LessonKind, Memory
from service.domain.records import JsonObject, Scalar
from service.domain.shares import Share
from service.extraction.learning.hints import place_in_words
from service.jobs.learned.quality import FieldQuality, Quality, Week
from service.jobs.reviewing.reviewed_cases import ReviewedCase

_SHOWN_CHANCES = (0.5, 0.7, 0.9, 0.97)


class SharePayload(Payload):
    """So many of so many."""

    right: int
    count: int
    value: float | None
    """`right` of `count`; null of nothing."""
    least: float
    """Lower end of the 95 % interval (Wilson): what so few prove."""

    @classmethod
    def of(cls, share: Share) -> SharePayload:
        """From the domain."""
        return cls(right=share.right, count=share.count, value=share.value, least=share.least)


class WeekPayload(Payload):
    """Values that people looked at in seven days."""

    begins: datetime
    looked_at: SharePayload

    @classmethod
    def of(cls, week: Week) -> WeekPayload:
        """From the domain."""
        return cls(begins=moment(week.begins), looked_at=SharePayload.of(week.looked_at))


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

    @classmethod
    def of(cls, field: FieldQuality) -> FieldQualityPayload:
        """From the domain."""
        return cls.model_validate(
            {
                "schema": field.schema_name,
                "field": field.field,
                "looked_at": SharePayload.of(field.looked_at),
                "high": SharePayload.of(field.high),
                "demoted": field.is_demoted,
                "weeks": [WeekPayload.of(week) for week in field.weeks],
            }
        )


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

    @classmethod
    def of(cls, schema_name: str, model: str, curve: Curve) -> CurvePayload:
        """From the domain."""
        told = [
            MeaningPayload(told=chance, called=None, meant=curve.chance_of(chance, "") or 0.0, reviewed=curve.reviewed)
            for chance in (_SHOWN_CHANCES if curve.reviewed else ())
        ]
        untold = [
            MeaningPayload(told=None, called="high" if called == "high" else "low", meant=meant, reviewed=count)
            for called, (meant, count) in sorted(curve.untold.items())
        ]
        return cls.model_validate({"schema": schema_name, "model": model, "meanings": [*told, *untold]})


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

    @classmethod
    def of(cls, found: Quality, since: float) -> QualityPayload:
        """From the domain."""
        count = len(found.seconds)
        return cls(
            since=moment(since),
            documents=found.documents,
            fields=[FieldQualityPayload.of(field) for field in found.fields],
            weeks=[WeekPayload.of(week) for week in found.weeks],
            high=SharePayload.of(found.high),
            low=SharePayload.of(found.low),
            curve=[
                BandPayload(
                    begins=n / len(found.bands), ends=(n + 1) / len(found.bands), looked_at=SharePayload.of(band)
                )
                for n, band in enumerate(found.bands)
            ],
            calibration=[CurvePayload.of(name, model, curve) for (name, model), curve in found.curves.items()],
            straight_through=SharePayload.of(found.straight),
            sample=SharePayload.of(found.sample),
            seconds=SecondsPayload(
                documents=count,
                median=found.median_s,
                nine_in_ten=found.seconds[max(0, -(-9 * count // 10) - 1)] if count else None,
            ),
        )


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

    @classmethod
    def of(cls, memory: Memory) -> MemoryPayload:
        """From the domain."""
        lessons = [
            LessonPayload(
                path=lesson.path,
                kind=lesson.kind,
                where=None if lesson.kind is LessonKind.CONSTANT else place_in_words(lesson),
                value=lesson.value,
            )
            for lesson in memory.lessons
        ]
        tables = [
            TableLessonPayload(path=table.path, columns={column.path: column.header for column in table.columns})
            for table in memory.tables
        ]
        return cls.model_validate(
            {
                "id": memory.id,
                "layout": memory.layout_id,
                "title": memory.title,
                "schema": memory.schema_name,
                "job_id": memory.job_id,
                "created_at": moment(memory.created_at),
                "created_by": memory.created_by,
                "lessons": lessons,
                "tables": tables,
            }
        )


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

    @classmethod
    def of(cls, case: ReviewedCase) -> CasePayload:
        """From the domain."""
        return cls.model_validate(
            {
                "job_id": case.job_id,
                "file_id": case.file.id,
                "file_name": case.file.name,
                "schema_name": case.schema_name,
                "schema": case.schema,
                "truth": case.truth,
                "absent": list(case.absent),
            }
        )


class CaseListPayload(Payload):
    """Approved documents, the newest first."""

    cases: list[CasePayload]
    next_cursor: str | None
    """The cursor of those before; null at the end."""
