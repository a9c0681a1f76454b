"""Take a reviewer's corrections: all or none, each once, none over somebody else's."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.domain import review
from service.domain.corrections import Correction, Operation, OperationKind, ReviewAction, ReviewEvent
from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.events import EventType
from service.domain.jobs import Job
from service.domain.records import Json, Scalar
from service.domain.results import RunResult
from service.extraction.reviewing.correcting import make_correction, touching
from service.extraction.reviewing.draft import Draft, MisfitError
from service.extraction.reviewing.overlay import Overlay, lay_over, same_value, standing_corrections
from service.jobs.queries import get_job
from service.jobs.results.current import Current, corrected, load_machine, refuse_unfinished
from service.jobs.reviewing.course import current_reasons, stand, standing_of
from service.jobs.services import Services
from service.jobs.unique import note_unique
from service.protocol.json_text import canonical_json
from service.storage.codec import to_columns

MOST_OPERATIONS = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRequest:
    """What a client sends."""

    operations: tuple[Operation, ...]
    revision: int | None = None
    """The revision that the reviewer saw; None: only the `old` values tell."""
    dry_run: bool = False
    """Whether nothing is stored: what would come of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """What came of it."""

    job: Job
    current: Current
    events: tuple[ReviewEvent, ...]
    """One an operation, in the order of the request; those of repeated ones as they were stored."""
    pointers: tuple[str | None, ...]
    """Where the leaf of each operation is now, as in `fields`; None for rows, and when the row is gone."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A job's history and its overlay while operations are done."""

    job: Job
    by: str
    now: float
    request: CorrectionRequest
    history: list[ReviewEvent]
    overlay: Overlay
    result: RunResult


def correct(services: Services, tenant_id: str, job_id: str, by: str, request: CorrectionRequest) -> Corrected:
    """Do the operations in order; once this returns they outlive any crash.

    Raises:
        StateError: `edit_conflict`, somebody changed the same cell; `not_finished`; `wrong_state`, it is decided.
        InputError: a path or a value does not fit the schema.
    """
    if not 1 <= len(request.operations) <= MOST_OPERATIONS:
        raise InputError(ErrorCode.INVALID_REQUEST, f"Send 1 to {MOST_OPERATIONS} operations.", param="operations")
    seen = get_job(services, tenant_id, job_id)
    refuse_unfinished(seen)
    with services.store.read() as rows:
        result = load_machine(rows, seen)
    with services.store.write(durable=True) as rows:
        job = rows.jobs.find(tenant_id, job_id, lock=True)
        if job is None or job.run != seen.run:
            raise StateError(ErrorCode.WRONG_STATE, f"The job {job_id!r} has begun another run; look at it anew.")
        history = list(rows.reviews.of_job(job.id))
        work = _work(job, by, services.clock(), request, history, result)
        events, fresh = _do_all(work)
        pointers = tuple(_pointer(work.overlay, event) for event in events)
        done = corrected(result, work.overlay)
        if not fresh or request.dry_run:
            return Corrected(job=job, current=done, events=events, pointers=pointers)
        done = done.with_records(note_unique(rows, job, done.result.records))
        job = replace(
            stand(job, review.touch(standing_of(job), by, work.now)),
            revision=job.revision + 1,
            review_reasons=current_reasons(job, done),
        )
        rows.jobs.save(job)
        rows.reviews.append(fresh)
        rows.events.append(job, EventType.JOB_CORRECTED, {"operations": len(fresh), "by": by}, work.now)
    return Corrected(job=job, current=done, events=events, pointers=pointers)


def _work(
    job: Job, by: str, now: float, request: CorrectionRequest, history: list[ReviewEvent], result: RunResult
) -> _Work:
    overlay = lay_over(result.records, history, job.parsed_schemas(), run=job.run, turns=result.turns)
    return _Work(job, by, now, request, history, overlay, result)


def _do_all(work: _Work) -> tuple[tuple[ReviewEvent, ...], tuple[ReviewEvent, ...]]:
    """All operations done on the overlay: an event for each, and those that are new."""
    if len({operation.id for operation in work.request.operations}) < len(work.request.operations):
        raise InputError(ErrorCode.INVALID_REQUEST, "Two operations have the same id.", param="operations")
    known = {event.client_id: event for event in work.history if event.client_id is not None}
    review.touch(standing_of(work.job), work.by, work.now)  # refuses a decided document before anything is compared
    events: list[ReviewEvent] = []
    fresh: list[ReviewEvent] = []
    for operation in work.request.operations:
        digest = _digest(operation)
        before = known.get(operation.id)
        if before is not None:
            _refuse_other(before, digest)
            events.append(before)
            continue
        event = _event(work, _do(work, operation, digest))
        work.history.append(event)
        events.append(event)
        fresh.append(event)
        if operation.kind is OperationKind.UNDO:
            _lay_again(work)
        else:
            _apply(work, event)
    return tuple(events), tuple(fresh)


def _apply(work: _Work, event: ReviewEvent) -> None:
    assert event.correction is not None
    draft = work.overlay.draft(event.correction.operation.record)
    assert draft is not None
    try:
        draft.apply(event)
    except MisfitError as misfit:
        raise _conflict(work, event.correction.operation, None, why=misfit.why) from misfit


def _do(work: _Work, operation: Operation, digest: str) -> Correction:
    if operation.kind is OperationKind.UNDO:
        return _undoing(work, operation, digest)
    if operation.location is not None and operation.location.page > (work.job.page_count or 0):
        raise InputError(ErrorCode.INVALID_REQUEST, "The location is on no page of the file.", param="location")
    draft = work.overlay.draft(operation.record)
    if draft is None:
        raise InputError(
            ErrorCode.INVALID_REQUEST, "Name the record by its id; this job has no such record.", param="record"
        )
    try:
        correction = make_correction(draft, operation, digest=digest)
    except MisfitError as misfit:
        raise _conflict(work, operation, None, why=misfit.why) from misfit
    _refuse_changed(work, operation, draft, correction)
    return correction


def _refuse_changed(work: _Work, operation: Operation, draft: Draft, correction: Correction) -> None:
    """Somebody else's change of the same cell since the reviewer looked is never written over."""
    if work.request.revision is not None:
        since = [e for e in work.history if e.revision > work.request.revision and e.client_id not in _own(work)]
        other = touching(correction, since)
        if other is not None:
            theirs = correction.old.value if correction.old else None
            raise _conflict(work, operation, other, theirs=theirs)
    if correction.old is not None and not same_value(correction.old.value, operation.old):
        raise _conflict(work, operation, touching(correction, work.history), theirs=correction.old.value)


def _own(work: _Work) -> frozenset[str]:
    return frozenset(operation.id for operation in work.request.operations)


def _pointer(overlay: Overlay, event: ReviewEvent) -> str | None:
    operation = event.correction.operation if event.correction else None
    draft = overlay.draft(operation.record) if operation else None
    if operation is None or draft is None:
        return None
    try:
        return draft.leaf(operation.path).pointer
    except (InputError, MisfitError):
        return None


def _undoing(work: _Work, operation: Operation, digest: str) -> Correction:
    standing = standing_corrections(work.history)
    at = next((n for n, event in enumerate(standing) if event.client_id == operation.of), None)
    if at is None:
        raise InputError(ErrorCode.INVALID_REQUEST, f"There is no operation {operation.of!r} to take back.", param="of")
    target = standing[at].correction
    assert target is not None
    later = standing[at + 1 :]
    row = f"{target.operation.path}/{target.row}/" if target.operation.kind is OperationKind.INSERT_ROW else None
    blocked = touching(target, later) or next(
        (e for e in later if row and e.correction and f"{e.correction.operation.path}/".startswith(row)), None
    )
    if blocked is not None:
        raise StateError(
            ErrorCode.WRONG_STATE, f"The operation {blocked.client_id!r} came after it; take that back first."
        )
    return Correction(
        operation=replace(operation, record=target.operation.record, path=target.operation.path),
        record_index=target.record_index,
        digest=digest,
        old=target.new,
        new=target.old,
        row=target.row,
    )


def _lay_again(work: _Work) -> None:
    """The overlay without what was just taken back, in the place of the one before."""
    result = work.result
    anew = lay_over(result.records, work.history, work.job.parsed_schemas(), run=work.job.run, turns=result.turns)
    for draft, fresh in zip(work.overlay.drafts, anew.drafts, strict=True):
        draft.values, draft.fields, draft.rows = fresh.values, fresh.fields, fresh.rows
        draft.marks, draft.conflicts = fresh.marks, fresh.conflicts


def _event(work: _Work, correction: Correction) -> ReviewEvent:
    place = correction.new.location if correction.new is not None else None
    turned = work.result.turns.get(place.page, 0) if place is not None else 0
    return ReviewEvent(
        job_id=work.job.id,
        tenant_id=work.job.tenant_id,
        run=work.job.run,
        revision=work.job.revision + 1,
        action=ReviewAction.CORRECT,
        by=work.by,
        at=work.now,
        client_id=correction.operation.id,
        correction=replace(correction, turned=turned),
        detail={},
    )


def _digest(operation: Operation) -> str:
    return hashlib.sha256(canonical_json(to_columns(operation))).hexdigest()


def _refuse_other(before: ReviewEvent, digest: str) -> None:
    if before.correction is None or before.correction.digest != digest:
        raise StateError(
            ErrorCode.IDEMPOTENCY_MISMATCH,
            f"The operation id {before.client_id!r} was used for another change; take a new one.",
            param="id",
        )


def _conflict(
    work: _Work, operation: Operation, other: ReviewEvent | None, *, theirs: Json = None, why: str = "it was changed"
) -> StateError:
    deleted = other or _who_deleted(work.history, operation.path)
    details: dict[str, str | int | float | None] = {
        "operation": operation.id,
        "path": operation.path,
        "yours": _plain(operation.value),
        "theirs": _plain(theirs),
        "by": deleted.by if deleted else None,
        "revision": work.job.revision,
    }
    whose = f" by {deleted.by!r}" if deleted else ""
    return StateError(
        ErrorCode.EDIT_CONFLICT,
        f"At {operation.path!r} {why}{whose} since you looked; see `details`, and send it again if it still holds.",
        param=operation.path,
        details=details,
    )


def _who_deleted(history: Sequence[ReviewEvent], path: str) -> ReviewEvent | None:
    for event in reversed(history):
        done = event.correction
        if (
            done
            and done.operation.kind is OperationKind.DELETE_ROW
            and f"{path}/".startswith(f"{done.operation.path}/")
        ):
            return event
    return None


def _plain(value: Json) -> Scalar:
    return None if isinstance(value, (list, dict)) else value
