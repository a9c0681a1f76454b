"""What the routes of jobs answer with: where a job stands, what is in force for it, what was made of it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from service.api.payloads.base import API, Payload, moment
from service.api.payloads.events import DeliveryPayload
from service.api.payloads.parts import IssuePayload, SchemaName
from service.domain.export import Export
from service.domain.jobs import Job, JobOptions, JobStatus, ReviewState
from service.domain.records import JsonObject
from service.domain.routes import UnroutedReason
from service.domain.traffic import WaitReason
from service.jobs.queries import JobDetails
from service.jobs.results.result import documents_body
from service.storage.rows.jobs import Receipt


class CandidatePayload(Payload):
    """How well a schema fits a document, 0–1."""

    schema_: SchemaName = Field(alias="schema")
    score: float


class DocumentPayload(Payload):
    """A document inside the file, and the schema that it has."""

    index: int
    """0-based; `index` of its record."""
    pages: list[int]
    schema_: SchemaName | None = Field(alias="schema")
    """Null: it is unrouted, and has no record."""
    reason: UnroutedReason | None
    """Why it is unrouted."""
    candidates: list[CandidatePayload]
    """Those that fit best, the best first; empty where nothing was to be found out."""


class OptionsPayload(Payload):
    """What is in force for a job."""

    split_documents: bool
    pages_per_chunk: int | Literal["auto"]
    mode: Literal["standard", "enhanced"]
    priority: Literal["high", "normal", "low", "bulk"]
    absent: Literal["null", "omit"]
    retention_days: int | None
    """Null: as the schema or the installation says."""
    max_tokens: int | None
    max_requests: int | None
    max_cost: float | None
    cache: bool
    second_opinion: bool | None
    """Null: as the installation says."""

    @classmethod
    def of(cls, options: JobOptions) -> OptionsPayload:
        """From the domain."""
        names: dict[str, Literal["high", "normal", "low", "bulk"]]
        names = {"HIGH": "high", "NORMAL": "normal", "LOW": "low", "BULK": "bulk"}
        return cls(
            split_documents=options.split_documents,
            pages_per_chunk=options.pages_per_chunk or "auto",
            mode=options.mode,
            priority=names[options.priority.name],
            absent=options.absent,
            retention_days=options.retention_days,
            max_tokens=options.budget.max_tokens,
            max_requests=options.budget.max_requests,
            max_cost=options.budget.max_cost,
            cache=options.cache,
            second_opinion=options.second_opinion,
        )


class ProgressPayload(Payload):
    """How far the current run is."""

    pages_total: int | None
    pages_read: int
    splits_total: int
    splits_done: int
    splits_failed: int


class WaitingPayload(Payload):
    """Why a run does not go on now, and until when."""

    reason: WaitReason
    provider: str
    until: datetime


class UsagePayload(Payload):
    """What the run consumed."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    pages: int
    requests: int
    cached: int
    """Splits answered from the cache."""
    cost: float | None
    """By the installation's price table; null: the model has no price there."""


class ReviewPayload(Payload):
    """Where a person's review stands."""

    state: ReviewState
    reasons: list[str]
    by: str | None
    """Who approved or rejected."""
    at: datetime | None
    claimed_by: str | None
    """Who has it in hand, until `claimed_until`."""
    claimed_until: datetime | None

    @classmethod
    def of(cls, job: Job) -> ReviewPayload:
        """From the domain."""
        return cls(
            state=job.review,
            reasons=list(job.review_reasons),
            by=job.decided_by,
            at=None if job.decided_at is None else moment(job.decided_at),
            claimed_by=job.claimed_by,
            claimed_until=None if job.claimed_by is None else moment(job.claimed_until),
        )


class HoldPayload(Payload):
    """Why a job must not be deleted."""

    by: str
    at: datetime
    reason: str


class FaultPayload(Payload):
    """Why a job failed, under the same codes as an error."""

    code: str
    message: str


class TimingPayload(Payload):
    """When."""

    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class ExportedPayload(Payload):
    """That a record went to a receiver."""

    export_id: str
    receiver: str
    revision: int
    """Of the job, as it was then."""
    at: datetime
    confirmed_at: datetime | None

    @classmethod
    def of(cls, export: Export, revision: int) -> ExportedPayload:
        """From the domain."""
        return cls(
            export_id=export.id,
            receiver=export.receiver,
            revision=revision,
            at=moment(export.created_at),
            confirmed_at=None if export.confirmed_at is None else moment(export.confirmed_at),
        )


class JobPayload(Payload):
    """A job and where it stands."""

    id: str
    status: JobStatus
    run: int
    revision: int
    file_id: str
    file_name: str
    page_count: int | None
    """Of the file; null until it was opened."""
    schema_: SchemaName | None = Field(alias="schema")
    """Null: each document is given one of `schemas`."""
    schemas: list[SchemaName]
    schema_names: list[str]
    """Of the schemas that its documents have; until that is known, of those that they may have."""
    documents: list[DocumentPayload] | None
    """The documents inside the file; null until known, and in lists."""
    model: str
    options: OptionsPayload
    external_id: str | None
    batch_id: str | None
    metadata: JsonObject
    created_by: str
    review: ReviewPayload
    hold: HoldPayload | None
    """While it stands, the job is not deleted."""
    progress: ProgressPayload | None
    """Null in lists."""
    waiting: WaitingPayload | None
    """Null in lists, and while no model request was put back."""
    deliveries: list[DeliveryPayload] | None
    """What was sent to the job's own `webhook_url`, oldest first; null in lists."""
    exports: list[ExportedPayload] | None
    """Where its records went, oldest first; null in lists."""
    issues: list[IssuePayload]
    usage: UsagePayload
    error: FaultPayload | None
    timing: TimingPayload
    links: dict[str, str]

    @classmethod
    def of(cls, job: Job, file_name: str, details: JobDetails | None = None) -> JobPayload:
        """From the domain."""
        here = f"{API}/jobs/{job.id}"
        names = ("result", "schema", "completion", "events", "history", "corrections", "cancel", "retry", "rerun")
        schemas = [SchemaName(name=schema.name, version=schema.version) for schema in job.schemas]
        documents = None if details is None else documents_body(job)
        return cls(
            id=job.id,
            status=job.status,
            run=job.run,
            revision=job.revision,
            file_id=job.file_id,
            file_name=file_name,
            page_count=job.page_count,
            schema=None if job.is_routed else schemas[0],
            schemas=schemas,
            schema_names=list(job.schema_names()),
            documents=None if documents is None else [DocumentPayload.model_validate(body) for body in documents],
            model=job.options.model,
            options=OptionsPayload.of(job.options),
            external_id=job.external_id,
            batch_id=job.batch_id,
            metadata=job.metadata,
            created_by=job.created_by,
            review=ReviewPayload.of(job),
            hold=job.hold and HoldPayload(by=job.hold.by, at=moment(job.hold.at), reason=job.hold.reason),
            progress=details and ProgressPayload.model_validate(details.progress, from_attributes=True),
            waiting=details
            and details.progress.waiting
            and WaitingPayload.model_validate(details.progress.waiting, from_attributes=True),
            deliveries=details and [DeliveryPayload.of(delivery) for delivery in details.deliveries],
            exports=details and [ExportedPayload.of(export, revision) for export, revision in details.exports],
            issues=[IssuePayload.model_validate(issue, from_attributes=True) for issue in job.issues],
            usage=UsagePayload.model_validate(job.usage, from_attributes=True),
            error=None if job.fault is None else FaultPayload(code=job.fault.code, message=job.fault.message),
            timing=TimingPayload(
                queued_at=moment(job.created_at),
                started_at=None if job.started_at is None else moment(job.started_at),
                finished_at=None if job.finished_at is None else moment(job.finished_at),
            ),
            links={"self": here, "file": f"{API}/files/{job.file_id}", "review": f"/review/{job.id}"}
            | {name: f"{here}/{name}" for name in names},
        )


class JobListPayload(Payload):
    """Jobs, newest first."""

    jobs: list[JobPayload]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null on the last one."""


class ReceiptPayload(Payload):
    """What is kept of a deleted job."""

    job_id: str
    file_sha256: str
    deleted_at: datetime
    reason: str
    removed: dict[str, int]
    """How many of each kind went: results, corrections, …; `file` is 0 where another job stands on it."""

    @classmethod
    def of(cls, receipt: Receipt) -> ReceiptPayload:
        """From the store."""
        tombstone = receipt.tombstone
        return cls(
            job_id=tombstone.job_id,
            file_sha256=tombstone.file_sha256,
            deleted_at=moment(tombstone.deleted_at),
            reason=tombstone.reason,
            removed=dict(receipt.removed),
        )
