"""What the routes of batches answer with, and an example of each."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from service.api.payloads.base import API, Payload, moment
from service.domain.batches import BatchState, RefusedEntry
from service.domain.jobs import JobStatus, ReviewState
from service.domain.records import Json, JsonObject
from service.jobs.control.batches import BatchView
from service.jobs.intake.archive import ArchiveReport


class BatchCountsPayload(Payload):
    """The books: `total` is the sum of `jobs`, `deleted` and `refused`."""

    total: int
    jobs: dict[JobStatus, int]
    """Every status, also those of no job."""
    deleted: int
    refused: int
    """Files of archives that no job could be made of."""
    review: dict[ReviewState, int]
    """Of the jobs whose run is over."""
    pages: int
    """Of the files that are open."""


class BatchPayload(Payload):
    """A batch and its books."""

    id: str
    state: BatchState
    name: str
    external_id: str | None
    metadata: JsonObject
    defaults: JsonObject
    created_by: str
    created_at: datetime
    closed_at: datetime | None
    counts: BatchCountsPayload
    links: dict[str, str]

    @classmethod
    def of(cls, view: BatchView) -> BatchPayload:
        """From the domain."""
        batch, counts = view.batch, view.counts
        here = f"{API}/batches/{batch.id}"
        return cls(
            id=batch.id,
            state=view.state,
            name=batch.name,
            external_id=batch.external_id,
            metadata=batch.metadata,
            defaults=batch.defaults,
            created_by=batch.created_by,
            created_at=moment(batch.created_at),
            closed_at=None if batch.closed_at is None else moment(batch.closed_at),
            counts=BatchCountsPayload(
                total=counts.total,
                jobs={status: counts.jobs.get(status, 0) for status in JobStatus},
                deleted=counts.deleted,
                refused=counts.refused,
                review={state: counts.review.get(state, 0) for state in ReviewState},
                pages=counts.pages,
            ),
            links={"self": here, "jobs": f"{API}/jobs?batch={batch.id}"}
            | {name: f"{here}/{name}" for name in ("archive", "refused", "result", "close", "cancel", "retry")},
        )


class BatchListPayload(Payload):
    """Batches, newest first."""

    batches: list[BatchPayload]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null on the last one."""


class RefusedPayload(Payload):
    """A file of an archive that no job could be made of."""

    path: str
    code: str
    message: str

    @classmethod
    def of(cls, entry: RefusedEntry) -> RefusedPayload:
        """From the domain."""
        return cls(path=entry.path, code=entry.code, message=entry.message)


class RefusedListPayload(Payload):
    """Refused files, by path."""

    refused: list[RefusedPayload]
    next_after: str | None
    """Send it as `after` for what follows; null at the end."""


class ArchivePayload(Payload):
    """What became of the files of an archive: the numbers add up to all of them."""

    jobs: int = Field(description="Made by this request.")
    refused: int = Field(description="`GET …/refused` says why.")
    repeated: int = Field(description="Taken by an earlier request, or twice in the archive.")
    ignored: int = Field(description="What operating systems leave beside the documents.")
    batch: BatchPayload

    @classmethod
    def of(cls, report: ArchiveReport, view: BatchView) -> ArchivePayload:
        """From the domain."""
        return cls(
            jobs=report.jobs,
            refused=report.refused,
            repeated=report.repeated,
            ignored=report.ignored,
            batch=BatchPayload.of(view),
        )


_ID = "batch_1a2b3c4d5e6f708192a3b4c5d6e7f809"
_AT = "2026-11-30T09:00:00.120Z"
_NO_JOBS: dict[str, Json] = dict.fromkeys((status.value for status in JobStatus), 0)
_NO_REVIEWS: dict[str, Json] = dict.fromkeys((state.value for state in ReviewState), 0)
BATCH: JsonObject = {
    "id": _ID,
    "state": "open",
    "name": "Monday's post",
    "external_id": None,
    "metadata": {},
    "defaults": {"priority": "bulk", "schema_ref": "invoice@3"},
    "created_by": "anna",
    "created_at": _AT,
    "closed_at": None,
    "counts": {
        "total": 120,
        "jobs": {**_NO_JOBS, "queued": 17, "succeeded": 100},
        "deleted": 0,
        "refused": 3,
        "review": {**_NO_REVIEWS, "not_needed": 91, "needed": 9},
        "pages": 214,
    },
    "links": {"self": f"{API}/batches/{_ID}", "jobs": f"{API}/jobs?batch={_ID}"},
}
BATCH_REQUEST: JsonObject = {"name": "Monday's post", "schema_ref": "invoice"}
BATCH_LIST: JsonObject = {"batches": [BATCH], "next_cursor": None}
REFUSED_LIST: JsonObject = {
    "refused": [{"path": "post/scan-7.pdf", "code": "empty_file", "message": "The file is empty (0 bytes)."}],
    "next_after": None,
}
ARCHIVE: JsonObject = {"jobs": 117, "refused": 3, "repeated": 0, "ignored": 1, "batch": BATCH}
