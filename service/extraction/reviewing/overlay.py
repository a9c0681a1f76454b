"""The machine's records with a history of corrections laid over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from service.domain.corrections import CELL_KINDS, Correction, Mark, OperationKind, ReviewAction, ReviewEvent, Unplaced
from service.domain.errors import InputError
from service.domain.pages import Turns
from service.domain.records import Confidence, FieldEntry, Json, Origin, Record
from service.domain.schema import ExtractionSchema, walk_leaves
from service.extraction.checks.check import run_checks
from service.extraction.reviewing.draft import Draft, MisfitError


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """Drafts with all corrections done that fit; the drafts may be changed further."""

    drafts: tuple[Draft, ...]
    """One a record, in order."""
    unplaced: tuple[Unplaced, ...]
    """What an earlier run's reviewer did and this run has no place for, oldest first."""

    def records(self) -> tuple[Record, ...]:
        """The records as they now are."""
        return tuple(close(draft) for draft in self.drafts)

    def draft(self, record_id: str | None) -> Draft | None:
        """The draft of a record; without an id the only one there is."""
        if record_id is None:
            return self.drafts[0] if len(self.drafts) == 1 else None
        return next((draft for draft in self.drafts if draft.record.id == record_id), None)


def standing_corrections(events: Sequence[ReviewEvent]) -> tuple[ReviewEvent, ...]:
    """The corrections that hold: none that was taken back, and no taking back; oldest first."""
    done = [event for event in events if event.action is ReviewAction.CORRECT and event.correction is not None]
    undone = {
        event.correction.operation.of
        for event in done
        if event.correction is not None and event.correction.operation.kind is OperationKind.UNDO
    }
    return tuple(
        event
        for event in done
        if event.correction is not None
        and event.correction.operation.kind is not OperationKind.UNDO
        and event.client_id not in undone
    )


def lay_over(
    records: Sequence[Record],
    events: Sequence[ReviewEvent],
    schema_of: Callable[[int], ExtractionSchema],
    *,
    run: int,
    turns: Turns,
) -> Overlay:
    """Do the corrections again on the machine's records.

    Args:
        records: of the run, as the machine gave them.
        events: the job's whole history, of all runs.
        schema_of: gives the schema of the record of a document (0-based) in the run.
        run: the run that the records are of; corrections of other runs are done where the cell still holds what their
            reviewer saw, or already what they put there.
        turns: of the run's pages, as its places are.
    """
    drafts = tuple(Draft.of(record, schema_of(record.index)) for record in records)
    by_id = {draft.record.id: draft for draft in drafts}
    by_index = {draft.record.index: draft for draft in drafts}
    unplaced: list[Unplaced] = []
    for standing in standing_corrections(events):
        event = _as_shown(standing, turns)
        correction = event.correction
        assert correction is not None
        draft = by_id.get(correction.operation.record or "") or by_index.get(correction.record_index)
        try:
            if draft is None:
                raise MisfitError("its record is not there")
            if event.run != run:
                _refuse_other_value(draft, correction)
            draft.apply(event)
        except MisfitError as misfit:
            unplaced.append(Unplaced(event=event, why=misfit.why))
        except InputError:
            unplaced.append(Unplaced(event=event, why="the schema has no such field any more"))
    return Overlay(drafts=drafts, unplaced=tuple(unplaced))


def _as_shown(event: ReviewEvent, turns: Turns) -> ReviewEvent:
    """A correction with its place on the page as the run shows it, whoever turned it since, and in whichever job."""
    done = event.correction
    place = done.new.location if done is not None and done.new is not None else None
    if done is None or done.new is None or place is None:
        return event
    further = (turns.get(place.page, 0) - done.turned) % 360
    return replace(event, correction=replace(done, new=replace(done.new, location=place.turned(further))))


def _refuse_other_value(draft: Draft, correction: Correction) -> None:
    operation = correction.operation
    if operation.kind not in CELL_KINDS:
        return
    known = [entry.value for entry in (correction.old, correction.new) if entry is not None]
    if not any(same_value(draft.leaf(operation.path).value, value) for value in known):
        raise MisfitError("its cell holds another value")


def same_value(one: Json, other: Json) -> bool:
    """Whether two values are one: `120` is `120.0`, `1` is not `true`."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def close(draft: Draft) -> Record:
    """The record as it now is: in order, its checks run again, what a person saw called `high`."""
    fields = {path: draft.fields[path] for path, _ in walk_leaves(draft.values) if path in draft.fields}
    record = replace(
        draft.record,
        values=draft.values,
        fields=fields,
        rows={path: tuple(ids) for path, ids in draft.rows.items()},
        conflicts=tuple(draft.conflicts.values()),
        checks=(),
    )
    checked = run_checks(record, draft.schema)
    return replace(checked, fields={p: _settle(entry, p, draft.marks) for p, entry in checked.fields.items()})


def _settle(entry: FieldEntry, path: str, marks: Mapping[str, Mark]) -> FieldEntry:
    seen = path in marks or entry.origin is Origin.CORRECTED
    return replace(entry, confidence=Confidence.HIGH) if seen else entry
