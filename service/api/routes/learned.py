"""What was learned from reviews: figures, what is remembered of layouts, and approved documents as cases."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from service.api.context import Reader, Reviewer, ServicesOf
from service.api.documentation import errors, success
from service.api.payloads import learned_examples as examples
from service.api.payloads.base import CursorQuery
from service.api.payloads.learned import (
    CaseListPayload,
    CasePayload,
    ForgottenPayload,
    MemoryListPayload,
    MemoryPayload,
    QualityPayload,
)
from service.domain.errors import ErrorCode
from service.jobs.learned.memory import delete_memory, list_memories
from service.jobs.learned.quality import quality
from service.jobs.paging import read_cursor, write_cursor
from service.jobs.reviewing.reviewed_cases import reviewed_cases

router = APIRouter(tags=["review"])
_DAY_S = 86_400.0


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
    return QualityPayload.of(found, since)


@router.get(
    "/memory",
    summary="What is remembered of layouts",
    responses=errors() | success(MemoryListPayload, examples.MEMORY_LIST, "One entry a document, the newest first."),
)
def read_memory(wanted: Annotated[SchemaQuery, Query()], services: ServicesOf, caller: Reader) -> MemoryListPayload:
    """What approved documents taught: the next document of the same layout is read with it."""
    return MemoryListPayload(
        memories=[MemoryPayload.of(memory) for memory in list_memories(services, caller.tenant_id, wanted.schema_name)]
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
        cases=[CasePayload.of(case) for case in cases], next_cursor=write_cursor(*last) if last is not None else None
    )
