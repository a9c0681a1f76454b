"""What an operation becomes: checked against the schema and the draft, its value read, what it replaces noted."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from service.domain.corrections import CELL_KINDS, Correction, Operation, OperationKind, ReviewEvent
from service.domain.errors import ErrorCode, InputError
from service.domain.records import (
    BoxCheck,
    Confidence,
    FieldEntry,
    JsonObject,
    Origin,
    Verdict,
)
from service.domain.schema import SchemaField
from service.extraction.reviewing.draft import Draft, Place
from service.extraction.reviewing.typed import Habits, habits_of, read_typed


def make_correction(draft: Draft, operation: Operation, *, digest: str) -> Correction:
    """The correction that an operation is on this draft, not yet done.

    Raises:
        InputError: its path or value does not fit the schema.
        MisfitError: its row is not there.
    """
    if operation.kind in CELL_KINDS:
        return _on_cell(draft, operation, digest)
    if operation.kind is OperationKind.INSERT_ROW:
        return _insertion(draft, operation, digest)
    row = draft.row(operation.path)
    row_id = draft.rows[row.array][row.index]
    removed = row.value if operation.kind is OperationKind.DELETE_ROW and isinstance(row.value, dict) else None
    return Correction(
        operation=replace(operation, record=draft.record.id),
        record_index=draft.record.index,
        digest=digest,
        row=row_id,
        removed=dict(removed) if removed is not None else None,
    )


def _on_cell(draft: Draft, operation: Operation, digest: str) -> Correction:
    place = draft.leaf(operation.path)
    before = draft.fields.get(place.pointer) or FieldEntry(
        value=None, verdict=Verdict.ABSENT, confidence=Confidence.LOW
    )
    after = _entry_after(operation, place, before, habits_of(draft.fields))
    return Correction(
        operation=replace(operation, record=draft.record.id, value=after.value),
        record_index=draft.record.index,
        digest=digest,
        old=before,
        new=after,
    )


def _entry_after(operation: Operation, place: Place, before: FieldEntry, habits: Habits) -> FieldEntry:
    if operation.kind is OperationKind.CONFIRM:
        verdict = Verdict.ABSENT if before.value is None else Verdict.FOUND
        return replace(before, verdict=verdict, confidence=Confidence.HIGH)
    if operation.kind is OperationKind.MARK_ABSENT:
        return FieldEntry(value=None, verdict=Verdict.ABSENT, confidence=Confidence.HIGH, origin=Origin.CORRECTED)
    value = read_typed(operation.value, place.field, habits)
    return FieldEntry(
        value=value,
        verdict=Verdict.FOUND,
        confidence=Confidence.HIGH,
        raw=operation.value if isinstance(operation.value, str) else None,
        origin=Origin.CORRECTED,
        location=operation.location,
        box_check=BoxCheck.UNCHECKED,
    )


def _insertion(draft: Draft, operation: Operation, digest: str) -> Correction:
    table = draft.table(operation.path)
    assert table.field.items is not None
    values = _row_values(operation, table.field.items, habits_of(draft.fields))
    seed = f"{draft.record.id}|{operation.id}"
    return Correction(
        operation=replace(operation, record=draft.record.id, value=values),
        record_index=draft.record.index,
        digest=digest,
        row=f"row_{hashlib.blake2b(seed.encode(), digest_size=9).hexdigest()}",
    )


def _row_values(operation: Operation, items: SchemaField, habits: Habits) -> JsonObject:
    given = operation.value if operation.value is not None else {}
    if not isinstance(given, dict):
        raise InputError(ErrorCode.INVALID_REQUEST, "The value of insert_row is an object of cells.", param="value")
    values: JsonObject = {}
    for name, typed in given.items():
        cell = items.property(name)
        if cell is None or not cell.is_leaf:
            raise InputError(
                ErrorCode.INVALID_REQUEST, f"The rows of this table have no cell {name[:100]!r}.", param="value"
            )
        if typed is not None:
            values[name] = read_typed(typed, cell, habits)
    return values


def touching(correction: Correction, events: Sequence[ReviewEvent]) -> ReviewEvent | None:
    """The newest of these events that is about the same cell, or about a row in or around it."""
    mine = correction.operation
    for event in reversed(events):
        other = event.correction
        if other is None or other.operation.record != mine.record:
            continue
        if _are_apart(mine, other.operation):
            continue
        return event
    return None


def _are_apart(mine: Operation, theirs: Operation) -> bool:
    """New rows and other places of rows disturb nobody; a cell and the deletion of its row do."""
    placing = (OperationKind.INSERT_ROW, OperationKind.MOVE_ROW, OperationKind.UNDO)
    if mine.kind in placing or theirs.kind in placing:
        return not (mine.kind is theirs.kind is OperationKind.MOVE_ROW and mine.path == theirs.path)
    one, other = f"{mine.path}/", f"{theirs.path}/"
    return not (one.startswith(other) or other.startswith(one))
