"""What was learned from reviews: figures, what is remembered of layouts, and approved documents as cases."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from service.api.context import Reader, Reviewer, ServicesOf
from service.api.documentation import errors, success
from service.api.payloads import learned_examples as examples
from service.api.payloads.base import CursorQuery, moment
from service.api.payloads.learned import (
    BandPayload,
    CaseListPayload,
    CasePayload,
    CurvePayload,
    FieldQualityPayload,
    ForgottenPayload,
    LessonPayload,
    MeaningPayload,
    MemoryListPayload,
    MemoryPayload,
    QualityPayload,
    SecondsPayload,
    SharePayload,
    TableLessonPayload,
    WeekPayload,
)
from service.domain.errors import ErrorCode
from service.domain.judgements import Curve
from service.domain.memory import LessonKind, Memory
from service.domain.shares import Share
from service.extraction.learning.hints import place_in_words
from service.jobs.learned.memory import delete_memory, list_memories
from service.jobs.learned.quality import FieldQuality, Quality, Week, quality
from service.jobs.paging import read_cursor, write_cursor
from service.jobs.reviewing.reviewed_cases import ReviewedCase, reviewed_cases

router = APIRouter(tags=["review"])
_DAY_S = 86_400.0
_SHOWN_CHANCES = (0.5, 0.7, 0.9, 0.97)


class QualityQuery(BaseModel):
    """Which reviews count."""

    model_config = ConfigDict(extra="forbid")

    schema_name: str | None = Field(None, alias="schema", min_length=1, max_length=100, description="One schema's.")
    days: int = Field(90, ge=1, le=3650, description="Approvals of so many days.")


class SchemaQuery(BaseModel):
    """Of which schema."""

    model_config = ConfigDict(extra="forbid")

    schema_name: str | None = Field(None, alias="schema", min_length=1, max_length=100, description="One schema's.")


class CaseQuery(SchemaQuery, CursorQuery):
    """Which page of the list."""


@router.get(
    "/quality",
    summary="How right the model is",
    responses=errors() | success(QualityPayload, examples.QUALITY, "By field and week, and whether `high` holds."),
)
def read_quality(wanted: Annotated[QualityQuery, Query()], services: ServicesOf, caller: Reader) -> QualityPayload:
    """What reviews say: only values that a person looked at count, and each figure says of how many it is."""
    since = services.clock() - wanted.days * _DAY_S
    found = quality(services, caller.tenant_id, schema_name=wanted.schema_name, since=since)
    return _quality(found, since)


@router.get(
    "/memory",
    summary="What is remembered of layouts",
    responses=errors() | success(MemoryListPayload, examples.MEMORY_LIST, "One entry a document, the newest first."),
)
def read_memory(wanted: Annotated[SchemaQuery, Query()], services: ServicesOf, caller: Reader) -> MemoryListPayload:
    """What approved documents taught: the next document of the same layout is read with it."""
    return MemoryListPayload(
        memories=[_memory(memory) for memory in list_memories(services, caller.tenant_id, wanted.schema_name)]
    )


@router.delete(
    "/memory/{memory_id}",
    summary="Forget what a document taught",
    responses=errors(ErrorCode.MEMORY_NOT_FOUND) | success(ForgottenPayload, examples.FORGOTTEN, "It is gone."),
)
def forget(memory_id: Annotated[str, Path(max_length=64)], services: ServicesOf, caller: Reviewer) -> ForgottenPayload:
    """Documents to come are read without it; deleting the document it came from forgets it too."""
    delete_memory(services, caller.tenant_id, memory_id)
    return ForgottenPayload(id=memory_id)


@router.get(
    "/reviewed",
    summary="Approved documents as cases",
    responses=errors() | success(CaseListPayload, examples.CASE_LIST, "The newest first."),
)
def read_cases(wanted: Annotated[CaseQuery, Query()], services: ServicesOf, caller: Reader) -> CaseListPayload:
    """What `fieldmark evaluate --reviewed` measures by: of each document the values that a person looked at."""
    before = read_cursor(wanted.cursor)
    cases, last = reviewed_cases(services, caller.tenant_id, schema_name=wanted.schema_name, before=before)
    return CaseListPayload(
        cases=[_case(case) for case in cases], next_cursor=write_cursor(*last) if last is not None else None
    )


def _quality(found: Quality, since: float) -> QualityPayload:
    count = len(found.seconds)
    return QualityPayload(
        since=moment(since),
        documents=found.documents,
        fields=[_field(field) for field in found.fields],
        weeks=[_week(week) for week in found.weeks],
        high=_share(found.high),
        low=_share(found.low),
        curve=[
            BandPayload(begins=n / len(found.bands), ends=(n + 1) / len(found.bands), looked_at=_share(band))
            for n, band in enumerate(found.bands)
        ],
        calibration=[_curve(name, model, curve) for (name, model), curve in found.curves.items()],
        straight_through=_share(found.straight),
        sample=_share(found.sample),
        seconds=SecondsPayload(
            documents=count,
            median=found.median_s,
            nine_in_ten=found.seconds[max(0, -(-9 * count // 10) - 1)] if count else None,
        ),
    )


def _curve(schema_name: str, model: str, curve: Curve) -> CurvePayload:
    told = [
        MeaningPayload(told=chance, called=None, meant=curve.chance_of(chance, "") or 0.0, reviewed=curve.reviewed)
        for chance in (_SHOWN_CHANCES if curve.reviewed else ())
    ]
    untold = [
        MeaningPayload(told=None, called="high" if called == "high" else "low", meant=meant, reviewed=count)
        for called, (meant, count) in sorted(curve.untold.items())
    ]
    return CurvePayload.model_validate({"schema": schema_name, "model": model, "meanings": [*told, *untold]})


def _field(field: FieldQuality) -> FieldQualityPayload:
    return FieldQualityPayload.model_validate(
        {
            "schema": field.schema_name,
            "field": field.field,
            "looked_at": _share(field.looked_at),
            "high": _share(field.high),
            "demoted": field.is_demoted,
            "weeks": [_week(week) for week in field.weeks],
        }
    )


def _week(week: Week) -> WeekPayload:
    return WeekPayload(begins=moment(week.begins), looked_at=_share(week.looked_at))


def _share(share: Share) -> SharePayload:
    return SharePayload(right=share.right, count=share.count, value=share.value, least=share.least)


def _memory(memory: Memory) -> MemoryPayload:
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
    return MemoryPayload.model_validate(
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


def _case(case: ReviewedCase) -> CasePayload:
    return CasePayload.model_validate(
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
