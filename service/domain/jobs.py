"""Jobs, their runs and the steps a run is made of.

A job is one caller's request for one file. Its run is a set of steps: opening the file, reading page ranges, finding
document boundaries, extracting splits, merging. Steps are the only thing that workers claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from functools import cache
from typing import Literal

from service.domain.budget import NO_BUDGET, Budget
from service.domain.pages import PageRange, PageSize, Turns
from service.domain.records import NO_USAGE, Issue, JsonObject, Processing, Usage
from service.domain.routes import JobSchema, Route
from service.domain.schema import ExtractionSchema
from service.domain.traffic import Waiting


class JobStatus(StrEnum):
    """Where a run stands; the last four are final."""

    QUEUED = "queued"
    READING = "reading"
    EXTRACTING = "extracting"
    MERGING = "merging"
    SUCCEEDED = "succeeded"
    PARTIALLY_SUCCEEDED = "partially_succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        """Whether the run is over."""
        return self in _TERMINAL


_TERMINAL = frozenset({JobStatus.SUCCEEDED, JobStatus.PARTIALLY_SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELLED})


class ReviewState(StrEnum):
    """Where a person's review stands; apart from the job's status."""

    NOT_NEEDED = "not_needed"
    NEEDED = "needed"
    IN_REVIEW = "in_review"
    APPROVED = "approved"
    REJECTED = "rejected"


class Priority(IntEnum):
    """Lanes of the queues; a lower number goes first."""

    HIGH = 0
    NORMAL = 3
    LOW = 6
    BULK = 9

    def lane_of(self, ordinal: int) -> Priority:
        """The lane of one step: the mass of a large job goes a lane lower, so that a small one passes it."""
        return Priority(min(self + 3, Priority.BULK)) if ordinal >= FIRST_STEPS else self


FIRST_STEPS = 4
"""Steps of a kind that go in the job's own lane."""


class QueueName(StrEnum):
    """`cpu` reads, merges and runs the embedded model; `io` waits for models elsewhere."""

    CPU = "cpu"
    IO = "io"


class StepKind(StrEnum):
    """What a step does; in this order they are the pipeline."""

    OPEN = "open"
    READ = "read"
    PLAN = "plan"
    """Finds the documents inside the file (`split_documents`) and which of several schemas each has."""
    EXTRACT = "extract"
    MERGE = "merge"


class StepState(StrEnum):
    """Where a step stands; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        """Whether nobody will work on it any more."""
        return self not in (StepState.QUEUED, StepState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOptions:
    """What a caller may choose for a job."""

    model: str
    """`provider` or `provider:model`."""
    split_documents: bool = False
    pages_per_chunk: int | None = None
    """None: auto."""
    mode: Literal["standard", "enhanced"] = "standard"
    priority: Priority = Priority.NORMAL
    absent: Literal["null", "omit"] = "null"
    budget: Budget = NO_BUDGET
    """Of each run."""
    cache: bool = True
    """Whether an answer to the same request that is still known may serve."""
    second_opinion: bool | None = None
    """Whether the embedded model is asked about the same pages too; None: as the installation says."""
    webhook_url: str | None = None
    """Where the end of each run is told; it was checked."""
    retention_days: int | None = None
    """Days the job is kept after its end; None: as its schema or the installation says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a step or job failed, fit for a caller."""

    code: str
    message: str
    retryable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Why a job must not be deleted."""

    by: str
    at: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One request for one file, with the state of its current run. Times are Unix seconds."""

    id: str
    tenant_id: str
    file_id: str
    status: JobStatus
    run: int
    """1-based."""
    revision: int
    schemas: tuple[JobSchema, ...]
    """At least one. Frozen: later versions of a name change nothing."""
    options: JobOptions
    engine: str
    external_id: str | None
    metadata: JsonObject
    created_at: float
    started_at: float | None = None
    finished_at: float | None = None
    source_key: str | None = None
    """Blob whose pages are read: the upload, or the PDF made of it; None until opened."""
    page_count: int | None = None
    is_routed: bool = False
    """Whether each document is given the one of the schemas that it fits; else all have the first."""
    documents: tuple[PageRange, ...] | None = None
    """The documents inside the file; None until known."""
    routes: tuple[Route | None, ...] | None = None
    """One a document, in order, None where it is still to be found; None: for none, or the job is not routed."""
    planned: bool = False
    """Whether every split of the run has its step."""
    fault: Fault | None = None
    issues: tuple[Issue, ...] = ()
    usage: Usage = NO_USAGE
    """Of the current run so far; what it took over from the run before is not in it."""
    processing: tuple[Processing, ...] = ()
    """Who saw which pages, in all runs."""
    review: ReviewState = ReviewState.NOT_NEEDED
    review_reasons: tuple[str, ...] = ()
    claimed_by: str | None = None
    """Who reviews it, until `claimed_until`."""
    claimed_until: float = 0.0
    decided_by: str | None = None
    """Who approved or rejected it."""
    decided_at: float | None = None
    created_by: str = ""
    batch_id: str | None = None
    hold: Hold | None = None
    """While it stands, neither a person nor time deletes the job."""

    @property
    def is_laid_out(self) -> bool:
        """Whether the documents inside the file and their schemas are known."""
        if self.options.split_documents and self.documents is None:
            return False
        return not self.is_routed or (self.routes is not None and None not in self.routes)

    def page_ranges(self) -> tuple[PageRange, ...]:
        """The documents inside the opened file; all of it as one where nothing else is known."""
        return self.documents or (PageRange(1, self.page_count or 1),)

    def route_of(self, document: int) -> Route | None:
        """What was found for a document (0-based); None while it is not known.

        The one schema of a job that is not routed is a route that was fixed from the start.
        """
        known = self.routes[document] if self.routes is not None else None
        return known if known is not None or self.is_routed else Route(schema=0)

    def schema_of(self, document: int) -> JobSchema | None:
        """The schema of a document (0-based); None: it is unrouted, or not routed yet."""
        route = self.route_of(document)
        return None if route is None or route.schema is None else self.schemas[route.schema]

    def schema_names(self) -> tuple[str, ...]:
        """Names of the schemas that its documents have; while that is not known, of those they may have."""
        if not self.is_routed or self.routes is None:
            return tuple(schema.name for schema in self.schemas)
        used = {route.schema for route in self.routes if route is not None}
        return tuple(schema.name for index, schema in enumerate(self.schemas) if index in used)

    def parsed_schemas(self) -> Callable[[int], ExtractionSchema]:
        """Gives the schema of a document (0-based) that has one; each schema is parsed once."""

        @cache
        def parsed(index: int) -> ExtractionSchema:
            return self.schemas[index].parse()

        def of(document: int) -> ExtractionSchema:
            route = self.route_of(document)
            index = None if route is None else route.schema
            assert index is not None, f"document {document} of {self.id} has no schema"
            return parsed(index)

        return of


@dataclass(frozen=True, slots=True, kw_only=True)
class JobGroup:
    """Jobs of one schema that were handed in together and are asked for together. Times are Unix seconds."""

    id: str
    tenant_id: str
    model: str
    """As the caller is told."""
    asked: JsonObject
    """What the answers tell beside the values, as the caller asked."""
    job_ids: tuple[str, ...]
    """In the order of the files."""
    file_names: tuple[str, ...]
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A piece of a run that one worker does at a time. Times are Unix seconds."""

    id: str
    job_id: str
    tenant_id: str
    run: int
    kind: StepKind
    ordinal: int
    """Unique within its run and kind; for planned extract steps the 0-based index of the chunk."""
    pages: tuple[int, ...] = ()
    """1-based pages of the file it covers."""
    document: int = 0
    """0-based index of the document the pages belong to (extract steps)."""
    fields: tuple[str, ...] = ()
    """Properties of the schema's root that are asked for (extract steps); empty: all."""
    queue: QueueName = QueueName.CPU
    priority: Priority = Priority.NORMAL
    state: StepState = StepState.QUEUED
    version: int = 0
    """Grows with each change; the compare of compare-and-set."""
    owner: str | None = None
    attempt: int = 0
    lease_until: float = 0.0
    not_before: float = 0.0
    rung_at: float = 0.0
    """When a message for it was last sent."""
    fault: Fault | None = None
    waiting: Waiting | None = None
    """Why it was put back, until it is claimed again; what a later wait must know of an earlier one stays."""
    created_at: float = 0.0
    started_at: float | None = None
    finished_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTally:
    """How many steps of one kind stand where."""

    open: int = 0
    """Queued or running."""
    done: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All but the cancelled ones."""
        return self.open + self.done + self.failed


Tallies = Mapping[StepKind, StepTally]


class EventType(StrEnum):
    """What the event log tells."""

    JOB_STATUS = "job.status"
    JOB_DELETED = "job.deleted"
    JOB_CORRECTED = "job.corrected"
    """A person changed the record; the data names the revision, never a value."""
    JOB_HOLD = "job.hold"
    """A legal hold was laid on the job, or ended."""
    JOB_REVIEW = "job.review"
    """The review stands elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the durable, ordered log. Never holds document text."""

    position: int
    """Order over all jobs of a tenant; the cursor of polling."""
    seq: int
    """1, 2, … within its job; the `Last-Event-ID` of a job's stream."""
    tenant_id: str
    job_id: str
    type: EventType
    data: JsonObject
    at: float

    @property
    def id(self) -> str:
        """The same in polling, in streams and in webhooks, and unlike any other's."""
        return f"evt_{self.job_id.removeprefix('job_')}_{self.seq}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One upload; the bytes are a blob that other uploads of the same bytes share."""

    id: str
    tenant_id: str
    name: str
    """As the caller gave it, for display only; never part of a path."""
    sha256: str
    size_bytes: int
    kind: str
    blob_key: str
    created_at: float
    source_key: str | None = None
    """Blob whose pages can be shown; None until a job opened it."""
    page_sizes: tuple[PageSize, ...] | None = None
    """Every page as displayed; None until a job opened it."""
    turns: Turns = field(default_factory=dict[int, int])
    """In `page_sizes` already."""

    def as_turned(self, turns: Turns) -> StoredFile:
        """The file with its pages turned just so."""
        if turns == self.turns or self.page_sizes is None:
            return self
        by = {s.page: turns.get(s.page, 0) - self.turns.get(s.page, 0) for s in self.page_sizes}
        return replace(self, turns=turns, page_sizes=tuple(s.turned(by[s.page]) for s in self.page_sizes))

    def shown_at(self, page: int, rotation: int) -> StoredFile:
        """The file with one page (1-based) turned so that it has this rotation."""
        if self.page_sizes is None or not 1 <= page <= len(self.page_sizes):
            return self
        further = rotation - self.page_sizes[page - 1].rotation
        return self.as_turned({**self.turns, page: (self.turns.get(page, 0) + further) % 360})
