"""Answers of the service, typed. What a newer service adds is kept and passed on, never refused.

Pages are 1-based. Coordinates are fractions (0–1) of the page as displayed, clockwise from top-left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, ConfigDict, JsonValue
from pydantic import Field as Member

OVER = frozenset({"succeeded", "partially_succeeded", "failed", "cancelled"})
"""States in which a run is over."""


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", protected_namespaces=())


class Point(_Answer):
    """A corner."""

    x: float
    y: float


class Box(NamedTuple):
    """The upright rectangle around a value, in fractions of the page."""

    x0: float
    top: float
    x1: float
    bottom: float


class Field(_Answer):
    """One value, and whether to trust it."""

    value: JsonValue
    verdict: str
    """found, absent, unreadable, ambiguous or not_reached."""
    confidence: Literal["high", "low"]
    raw: str | None = None
    """As it is printed."""
    probability: float | None = None
    origin: str | None = None
    page: int | None = None
    coordinates: Sequence[Point] = ()
    """Four corners; none where the value stands nowhere."""
    box_check: str | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it may be used without a look."""
        return self.confidence == "high"

    @property
    def box(self) -> Box | None:
        """The rectangle around it; None where it stands nowhere."""
        if not self.coordinates:
            return None
        xs, ys = [point.x for point in self.coordinates], [point.y for point in self.coordinates]
        return Box(min(xs), min(ys), max(xs), max(ys))


class Check(_Answer):
    """Whether a rule of the schema holds."""

    rule: str
    ok: bool
    paths: Sequence[str]
    message: str = ""


class SchemaName(_Answer):
    """Which schema; the version is None for one that came with its job."""

    name: str
    version: int | None = None


class Record(_Answer):
    """The values of one document inside the file."""

    id: str
    index: int
    pages: Sequence[int]
    values: Mapping[str, JsonValue]
    fields: Mapping[str, Field] = Member(default_factory=dict[str, Field])
    """By JSON Pointer into `values`; empty with `view="values"`."""
    checks: Sequence[Check] = ()
    named: SchemaName | None = Member(None, alias="schema")

    @property
    def doubtful(self) -> Mapping[str, Field]:
        """Those fields that a person should look at."""
        return {path: field for path, field in self.fields.items() if not field.is_sure}


class Review(_Answer):
    """Where a person's review stands."""

    state: str
    reasons: Sequence[str] = ()
    by: str | None = None


class Fault(_Answer):
    """Why a job failed."""

    code: str
    message: str


class Job(_Answer):
    """A job and where it stands."""

    id: str
    status: str
    run: int
    revision: int
    file_id: str
    file_name: str = ""
    page_count: int | None = None
    """Of the file; None until it was opened."""
    model: str
    external_id: str | None = None
    metadata: Mapping[str, JsonValue] = Member(default_factory=dict[str, JsonValue])
    review: Review
    error: Fault | None = None

    @property
    def is_over(self) -> bool:
        """Whether its run has ended, well or not."""
        return self.status in OVER


class Result(_Answer):
    """What came of a job."""

    job_id: str
    status: str
    run: int
    revision: int
    """Send it with a correction."""
    model: str
    external_id: str | None = None
    review: Review
    records: Sequence[Record]
    issues: Sequence[Mapping[str, JsonValue]] = ()
    error: Fault | None = None


class Event(_Answer):
    """An entry of the event log, or what a webhook brings of it."""

    id: str
    type: str
    data: Mapping[str, JsonValue]
    job_id: str | None = None
    position: int | None = None
    """The cursor of polling; None in a webhook."""
    at: datetime = Member(validation_alias=AliasChoices("at", "timestamp"))


class Receipt(_Answer):
    """What is kept of a deleted job."""

    job_id: str
    file_sha256: str
    deleted_at: datetime
    reason: str
