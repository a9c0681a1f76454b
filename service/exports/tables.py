"""A result as flat tables: one of records, and one for each array of the schema. docs/exports.md states the rules."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.domain.records import Confidence, Json, JsonObject, Scalar, as_object
from service.domain.schema import ExtractionSchema, escape_pointer
from service.exports.table_plan import Column, Plan, plan_tables, walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A value and what is known of it."""

    value: Scalar
    entry: JsonObject | None = None
    """Its entry in `fields`."""
    pointer: str | None = None
    """JSON Pointer of the value in its record; None in keys and counts."""

    @property
    def is_low(self) -> bool:
        """Whether it is a value that should not be trusted unseen."""
        return (
            self.value not in (None, "") and self.entry is not None and self.entry.get("confidence") == Confidence.LOW
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under columns; each row has a cell for each column."""

    name: str
    path: str
    """JSON Pointer of the array, with `*` for any row of an outer one; empty for records. Behind the label, if any."""
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKind:
    """Records of one schema, as they stand in tables."""

    schema: ExtractionSchema
    label: str = ""
    """Begins the names and the paths of their tables; empty where a result has no other kind."""
    named: JsonObject | None = None
    """What such a record has under `schema`; None: every record is one."""
    exported: bool = False
    """Whether each row tells in which export and revision it went."""

    def plan(self) -> Plan:
        """Their tables, without rows."""
        return plan_tables(self.schema.root, self.label, exported=self.exported)

    def paths(self) -> tuple[str, ...]:
        """The paths of the tables, that of the records first."""
        return tuple(plan.path for plan in walk(self.plan()))

    def records_of(self, result: JsonObject) -> Iterator[JsonObject]:
        """The records of a result that are of this kind."""
        records = result.get("records")
        for record in records if isinstance(records, list) else []:
            if isinstance(record, dict) and (self.named is None or record.get("schema") == self.named):
                yield record


def flatten_records(result: JsonObject, kind: RecordKind, only: Sequence[str] | None = None) -> list[Table]:
    """Every table of the records of a kind, that of the records first.

    Args:
        result: as `GET /jobs/{id}/result` gives it; without `fields` no confidence is told.
        kind: which records, and their schema.
        only: paths of the tables that are wanted; None: all.
    """
    root = kind.plan()
    rows: dict[str, list[tuple[Cell, ...]]] = {
        plan.path: [] for plan in walk(root) if only is None or plan.path in only
    }
    for record in kind.records_of(result):
        _Flattener(result, record, rows, exported=kind.exported).add_record(root)
    return [
        Table(name=plan.name, path=plan.path, columns=plan.columns, rows=rows[plan.path])
        for plan in walk(root)
        if plan.path in rows
    ]


def as_day(text: str) -> dt.date | None:
    """The day that an ISO 8601 date names; None for any other text."""
    if len(text) != len("2026-01-31"):
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


def fits_double(value: float) -> bool:
    """Whether a 64-bit floating point number holds it exactly."""
    try:
        return float(value) == value
    except OverflowError:
        return False


class _Flattener:
    """Puts the rows of one record where they belong."""

    def __init__(
        self, result: JsonObject, record: JsonObject, rows: Mapping[str, list[tuple[Cell, ...]]], *, exported: bool
    ) -> None:
        self._result = result
        self._leading = tuple(_scalar(result.get(name)) for name in ("export_id", "revision")) if exported else ()
        self._record = record
        self._rows = rows
        self._entries = as_object(record.get("fields"))
        self._row_ids = as_object(record.get("rows"))

    def add_record(self, plan: Plan) -> None:
        record = self._record
        pages = record.get("pages")
        numbers = [page for page in pages if isinstance(page, int)] if isinstance(pages, list) else []
        keys = (
            *self._leading,
            _scalar(self._result.get("job_id")),
            _scalar(as_object(self._result.get("file")).get("name")),
            _scalar(record.get("id")),
            _scalar(record.get("index")),
            min(numbers, default=None),
            max(numbers, default=None),
        )
        self._add_row(plan, keys, record.get("values"), "", ())

    def _add_row(
        self, plan: Plan, keys: tuple[Scalar, ...], value: Json, pointer: str, indices: tuple[int, ...]
    ) -> None:
        if plan.path in self._rows:
            cells = [Cell(value=key) for key in keys]
            cells += [
                self._cell(column, column.path, value, pointer) for column in plan.columns if column.path is not None
            ]
            low = [c.name for c, cell in zip(plan.columns, cells, strict=False) if cell.is_low]
            cells.append(Cell(value="; ".join(low) or None))
            self._rows[plan.path].append(tuple(cells))
        for child in plan.inner:
            here = pointer + "".join(f"/{escape_pointer(step)}" for step in child.steps)
            array = _at(value, child.steps)
            for index, row in enumerate(array if isinstance(array, list) else []):
                inner = (*indices, index)
                self._add_row(child, self._row_keys(here, inner), row, f"{here}/{index}", inner)

    def _row_keys(self, pointer: str, indices: tuple[int, ...]) -> tuple[Scalar, ...]:
        ids = self._row_ids.get(pointer)
        row_id = ids[indices[-1]] if isinstance(ids, list) and indices[-1] < len(ids) else None
        record = self._record
        start = (self._result.get("job_id"), record.get("id"), record.get("index"))
        return (*self._leading, *(_scalar(key) for key in start), *indices, _scalar(row_id))

    def _cell(self, column: Column, steps: tuple[str, ...], row: Json, pointer: str) -> Cell:
        value = _at(row, steps)
        if column.counts:
            return Cell(value=len(value) if isinstance(value, list) else None)
        here = pointer + "".join(f"/{escape_pointer(step)}" for step in steps)
        entry = self._entries.get(here)
        return Cell(value=_scalar(value), entry=entry if isinstance(entry, dict) else None, pointer=here)


def _at(value: Json, steps: Sequence[str]) -> Json:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _scalar(value: Json) -> Scalar:
    """A value that every format can hold: as in the JSON text, what is no number is nothing."""
    if isinstance(value, (dict, list)) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode()  # half a surrogate pair has no place in a file
    return value
