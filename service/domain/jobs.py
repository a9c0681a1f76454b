"""Jobs and their runs: one caller's request for one file, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Literal

from service.domain.budget import NO_BUDGET, Budget
from service.domain.pages import PageRange
from service.domain.records import NO_USAGE, Issue, JsonObject, Processing, Usage
from service.domain.routes import JobSchema, Route
from service.domain.schema import ExtractionSchema
from service.domain.steps import Fault, Priority


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

    @property
    def has_result(self) -> bool:
        """Whether the run is over and gave a result, be it one in which something is missing."""
        return self in (JobStatus.SUCCEEDED, JobStatus.PARTIALLY_SUCCEEDED)


_TERMINAL = frozenset({JobStatus.SUCCEEDED, JobStatus.PARTIALLY_SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELLED})


class ReviewState(StrEnum):
    """Where a person's review stands; apart from the job's status."""

    NOT_NEEDED = "not_needed"
    NEEDED = "needed"
    IN_REVIEW = "in_review"
    APPROVED = "approved"
    REJECTED = "rejected"


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
