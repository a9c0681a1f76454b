"""A result as it stands: the machine's, with the corrections laid over it, or as it was approved."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from service.domain.corrections import Mark, ReviewAction, ReviewEvent, Unplaced
from service.domain.errors import ErrorCode, StateError
from service.domain.jobs import Job, ReviewState
from service.domain.judgements import Curve
from service.domain.records import NO_USAGE, Confidence, Origin, Record
from service.domain.results import RunResult
from service.extraction.reviewing.overlay import Overlay, lay_over
from service.jobs.services import Services
from service.jobs.unique import asks_for_unique, with_unique
from service.storage.codec import unpack
from service.storage.store import Rows

Version = Literal["machine", "current", "approved"]
"""As the model gave it; with every correction so far; as it was when somebody approved it."""
_RETRY_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Current:
    """A result with what people did to it."""

    result: RunResult
    marks: Mapping[str, Mapping[str, Mark]] = field(default_factory=dict[str, Mapping[str, Mark]])
    """Record id → pointer of a leaf → who looked at it."""
    unplaced: tuple[Unplaced, ...] = ()

    def with_records(self, records: tuple[Record, ...]) -> Current:
        """The same with other records."""
        return replace(self, result=replace(self.result, records=records))


def load_current(services: Services, job: Job, version: Version = "current") -> Current:
    """The result of a job whose run is over; an empty one if the run ended before it was merged.

    Raises:
        StateError: `not_finished`; `wrong_state` when nothing is approved and the approved version is asked for.
    """
    refuse_unfinished(job)
    with services.store.read() as rows:
        events = () if version == "machine" else rows.reviews.of_job(job.id)
        if version == "approved":
            job, events = _as_approved(job, events)
        result = load_machine(rows, job)
    current = Current(result=result)
    if any(event.correction for event in events):
        overlay = lay_over(result.records, events, job.parsed_schemas(), run=job.run, turns=result.turns)
        current = corrected(result, overlay)
    if version == "current" and asks_for_unique(job):
        with services.store.read() as rows:
            current = current.with_records(with_unique(rows, job, current.result.records))
    return current.with_records(_with_chances(current.result, job)) if result.curves else current


def refuse_unfinished(job: Job) -> None:
    """Let only a job pass whose run is over.

    Raises:
        StateError: `not_finished`.
    """
    if not job.status.is_terminal:
        raise StateError(
            ErrorCode.NOT_FINISHED,
            f"The job {job.id!r} is {job.status}; its result comes when it is over.",
            retry_after_s=_RETRY_S,
        )


def load_machine(rows: Rows, job: Job) -> RunResult:
    """What the run gave; nothing if it ended before it was merged."""
    body = rows.jobs.result(job)
    if body is not None:
        return _unpacked(body)
    return RunResult(records=(), coverage=(), issues=job.issues, usage=NO_USAGE, model=job.options.model)


@lru_cache(maxsize=4)
def _unpacked(body: bytes) -> RunResult:
    """A run's result; each change asks for the same one, and reading a large one takes most of the time."""
    return unpack(RunResult, body)


def _with_chances(result: RunResult, job: Job) -> tuple[Record, ...]:
    """The records with what the model's probabilities mean by the reviews there were when the run ended."""
    schema_of = job.parsed_schemas()
    return tuple(
        _with_chance(record, result.curves.get(schema_of(record.index).name), result.demoted.get(record.id, ()))
        for record in result.records
    )


def _with_chance(record: Record, curve: Curve | None, demoted: Collection[str]) -> Record:
    if curve is None:
        return record
    fields = {
        path: replace(
            entry,
            probability=curve.chance_of(entry.probability, Confidence.HIGH if path in demoted else entry.confidence),
        )
        if entry.origin in (Origin.MODEL, Origin.GROUNDED) and entry.value is not None
        else entry
        for path, entry in record.fields.items()
    }
    return replace(record, fields=fields)


def corrected(result: RunResult, overlay: Overlay) -> Current:
    """The result with its records as the drafts have them."""
    return Current(
        result=replace(result, records=overlay.records()),
        marks={draft.record.id: draft.marks for draft in overlay.drafts},
        unplaced=overlay.unplaced,
    )


def _as_approved(job: Job, events: Sequence[ReviewEvent]) -> tuple[Job, tuple[ReviewEvent, ...]]:
    """The run and the events that were approved."""
    approvals = [n for n, event in enumerate(events) if event.action is ReviewAction.APPROVE]
    if job.review is not ReviewState.APPROVED or not approvals:
        raise StateError(ErrorCode.WRONG_STATE, f"The job {job.id!r} is not approved; its review is {job.review}.")
    last = approvals[-1]
    return replace(job, run=events[last].run), tuple(events[:last])
