"""A record under correction: where an address leads, and what each operation does to it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from service.domain.corrections import CELL_KINDS, Correction, Mark, OperationKind, ReviewEvent
from service.domain.errors import ErrorCode, InputError
from service.domain.records import (
    Confidence,
    Conflict,
    FieldEntry,
    Json,
    JsonObject,
    Origin,
    Record,
    Verdict,
)
from service.domain.schema import (
    ExtractionSchema,
    FieldType,
    SchemaField,
    escape_pointer,
    unescape_pointer,
    walk_leaves,
)
from service.extraction.schema.shape import blank_object

_T = TypeVar("_T")
_ABSENT = FieldEntry(value=None, verdict=Verdict.ABSENT, confidence=Confidence.HIGH, origin=Origin.CORRECTED)


class MisfitError(Exception):
    """An operation has no place in the record: its row is gone, or its cell holds another value."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Place:
    """Where an address leads."""

    pointer: str
    """JSON Pointer with positions for rows, as in `fields`."""
    field: SchemaField
    value: Json
    array: str = ""
    """Pointer of the nearest array around it; of a row the one it stands in."""
    index: int = -1
    """0-based position in that array, for a row or a member."""


@dataclass(slots=True)
class Draft:
    """A copy of a record that is changed in place; made, corrected and closed within one call."""

    record: Record
    schema: ExtractionSchema
    values: JsonObject
    fields: dict[str, FieldEntry]
    rows: dict[str, list[str]]
    conflicts: dict[str, Conflict]
    marks: dict[str, Mark] = field(default_factory=dict[str, Mark])
    """Pointer → who looked at the leaf last."""

    @classmethod
    def of(cls, record: Record, schema: ExtractionSchema) -> Draft:
        """A draft of the machine's record."""
        return cls(
            record=record,
            schema=schema,
            values=copy.deepcopy(record.values),
            fields=dict(record.fields),
            rows={path: list(ids) for path, ids in record.rows.items()},
            conflicts={conflict.path: conflict for conflict in record.conflicts},
        )

    def find(self, address: str) -> Place:
        """Where an address leads.

        Raises:
            InputError: the schema has no such field.
            MisfitError: the row is not there.
        """
        if address and not address.startswith("/"):
            raise _no_field(address)
        place = Place("", self.schema.root, self.values)
        for token in address.split("/")[1:]:
            place = self._step(place, unescape_pointer(token), address)
        return place

    def _step(self, place: Place, name: str, address: str) -> Place:
        inner = place.field.items
        if place.field.type is FieldType.OBJECT:
            child = place.field.property(name)
            if child is None:
                raise _no_field(address)
            value = place.value.get(name) if isinstance(place.value, dict) else None
            return Place(f"{place.pointer}/{escape_pointer(name)}", child, value, place.array)
        if inner is None:
            raise _no_field(address)
        members = place.value if isinstance(place.value, list) else []
        if inner.type is FieldType.OBJECT:
            ids = self.rows.get(place.pointer, [])
            if name.isdecimal():
                raise InputError(
                    ErrorCode.INVALID_REQUEST,
                    f"The path {address!r} names a row by its position; use its id from `rows`.",
                    param="path",
                )
            if name not in ids:
                raise MisfitError("its row is not there")
            index = ids.index(name)
        else:
            index = int(name) if name.isdecimal() and len(name) < 8 else -1
            if not 0 <= index < len(members):
                raise MisfitError("its place in the list is not there")
        return Place(f"{place.pointer}/{index}", inner, members[index], place.pointer, index)

    def apply(self, event: ReviewEvent) -> None:
        """Do again what an event did.

        Raises:
            MisfitError: it has no place here.
            InputError: the schema has no such field.
        """
        assert event.correction is not None
        correction = event.correction
        operation = correction.operation
        if operation.kind in CELL_KINDS:
            place = self.leaf(operation.path)
            assert correction.new is not None
            self._write(place, correction.new)
            self.marks[place.pointer] = Mark(kind=operation.kind, by=event.by, at=event.at, operation=operation.id)
            self.conflicts.pop(place.pointer, None)
        else:
            _ROW_WORK[operation.kind](self, correction)

    def leaf(self, address: str) -> Place:
        """The leaf of an address.

        Raises:
            InputError: there is no such leaf in the schema.
            MisfitError: its row is not there.
        """
        place = self.find(address)
        if not place.field.is_leaf:
            raise InputError(ErrorCode.INVALID_REQUEST, f"The path {address!r} leads to no single value.", param="path")
        return place

    def row(self, address: str) -> Place:
        """The row of an address.

        Raises:
            InputError: the address is not that of a row.
            MisfitError: it is not there.
        """
        place = self.find(address)
        if place.index < 0 or place.pointer != f"{place.array}/{place.index}" or place.field.is_leaf:
            raise InputError(ErrorCode.INVALID_REQUEST, f"The path {address!r} leads to no row.", param="path")
        return place

    def table(self, address: str) -> Place:
        """The array of objects of an address.

        Raises:
            InputError: the address is not that of one.
            MisfitError: a row around it is not there.
        """
        place = self.find(address)
        if place.field.items is None or place.field.items.type is not FieldType.OBJECT:
            raise InputError(ErrorCode.INVALID_REQUEST, f"The path {address!r} leads to no table.", param="path")
        return place

    def _write(self, place: Place, entry: FieldEntry) -> None:
        parent, _, token = place.pointer.rpartition("/")
        holder = self._at(parent)
        if isinstance(holder, list):
            holder[int(token)] = entry.value
        elif isinstance(holder, dict):
            holder[unescape_pointer(token)] = entry.value
        self.fields[place.pointer] = entry

    def _at(self, pointer: str) -> Json:
        value: Json = self.values
        for token in pointer.split("/")[1:]:
            value = _child(value, token)
        return value

    def insert(self, correction: Correction) -> None:
        """Put a new row where it was asked for."""
        operation = correction.operation
        table = self.table(operation.path)
        assert table.field.items is not None
        assert correction.row is not None
        if not isinstance(table.value, list):
            self._write_table(table.pointer)
        ids = self.rows.setdefault(table.pointer, [])
        at = self._position(ids, operation.before)
        rows = self._at(table.pointer)
        assert isinstance(rows, list)
        row = blank_object(table.field.items)
        row |= {k: v for k, v in operation.value.items() if k in row} if isinstance(operation.value, dict) else {}
        self._renumber(table.pointer, lambda old: old + 1 if old >= at else old)
        rows.insert(at, row)
        ids.insert(at, correction.row)
        for path, value in walk_leaves(row, f"{table.pointer}/{at}"):
            entry = FieldEntry(value=value, verdict=Verdict.FOUND, confidence=Confidence.HIGH, origin=Origin.CORRECTED)
            self.fields[path] = _ABSENT if value is None else entry

    def _write_table(self, pointer: str) -> None:
        parent, _, token = pointer.rpartition("/")
        holder = self._at(parent)
        if isinstance(holder, dict):
            holder[unescape_pointer(token)] = []

    def delete(self, correction: Correction) -> None:
        """Take a row out."""
        place = self.row(correction.operation.path)
        rows = self._at(place.array)
        assert isinstance(rows, list)
        gone = place.index
        self._renumber(place.array, lambda old: None if old == gone else old - 1 if old > gone else old)
        del rows[gone]
        del self.rows[place.array][gone]

    def move(self, correction: Correction) -> None:
        """Put a row elsewhere in its table."""
        place = self.row(correction.operation.path)
        rows, ids = self._at(place.array), self.rows[place.array]
        assert isinstance(rows, list)
        order = list(range(len(ids)))
        order.remove(place.index)
        kept = [ids[n] for n in order]
        order.insert(self._position(kept, correction.operation.before), place.index)
        where = {old: new for new, old in enumerate(order)}
        self._renumber(place.array, where.__getitem__)
        rows[:] = [rows[n] for n in order]
        ids[:] = [ids[n] for n in order]

    def _position(self, ids: list[str], before: str | None) -> int:
        if before is None:
            return len(ids)
        if before not in ids:
            raise MisfitError("the row it should stand before is not there")
        return ids.index(before)

    def _renumber(self, array: str, moved: Callable[[int], int | None]) -> None:
        """Bring everything that is kept by pointer to the new positions of an array's rows."""
        self.fields = dict(_moved(self.fields, array, moved))
        self.marks = dict(_moved(self.marks, array, moved))
        self.conflicts = dict(_moved(self.conflicts, array, moved))
        self.rows = dict(_moved(self.rows, array, moved))


_ROW_WORK: dict[OperationKind, Callable[[Draft, Correction], None]] = {
    OperationKind.INSERT_ROW: Draft.insert,
    OperationKind.DELETE_ROW: Draft.delete,
    OperationKind.MOVE_ROW: Draft.move,
}


def _moved(kept: dict[str, _T], array: str, moved: Callable[[int], int | None]) -> Iterator[tuple[str, _T]]:
    prefix = f"{array}/"
    for pointer, value in kept.items():
        if not pointer.startswith(prefix):
            yield pointer, value
            continue
        token, slash, rest = pointer[len(prefix) :].partition("/")
        index = moved(int(token))
        if index is not None:
            yield f"{prefix}{index}{slash}{rest}", value


def _child(value: Json, token: str) -> Json:
    if isinstance(value, list):
        return value[int(token)]
    return value.get(unescape_pointer(token)) if isinstance(value, dict) else None


def _no_field(address: str) -> InputError:
    return InputError(
        ErrorCode.INVALID_REQUEST, f"The path {address[:200]!r} leads to no field of the schema.", param="path"
    )
