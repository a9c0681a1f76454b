"""A result as flat tables: one of records, and one for each array of the schema. docs/exports.md states the rules.

Names, order and kinds of columns come from the schema alone, so that every result of a schema gives the same tables.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from service.domain.records import Confidence, Json, JsonObject, Scalar
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer

RECORDS = "records"
"""Name of the table of records; its path is empty."""
LOW_COLUMN = "_low"
RECORD_COLUMN = "_record_id"
_VALUE = "value"
"""Name of the one column of an array of scalars."""


class ColumnKind(StrEnum):
    """What the cells of a column are, unless they are empty."""

    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    DATE = "date"


_EXPORT_KEYS = (("_export_id", ColumnKind.TEXT), ("_revision", ColumnKind.INTEGER))


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column; keys begin with an underscore."""

    name: str
    kind: ColumnKind
    path: tuple[str, ...] | None = None
    """Property names from the row down to the value; None: a key, which no value of the document stands in."""
    counts: bool = False
    """Whether it tells how many rows the array at `path` has."""


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

    def paths(self) -> tuple[str, ...]:
        """The paths of the tables, that of the records first."""
        return tuple(plan.path for plan in _walk(_plan_tables(self)))

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
    root = _plan_tables(kind)
    rows: dict[str, list[tuple[Cell, ...]]] = {
        plan.path: [] for plan in _walk(root) if only is None or plan.path in only
    }
    for record in kind.records_of(result):
        _Flattener(result, record, rows, exported=kind.exported).add_record(root)
    return [
        Table(name=plan.name, path=plan.path, columns=plan.columns, rows=rows[plan.path])
        for plan in _walk(root)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """A table before it has rows."""

    name: str
    path: str
    steps: tuple[str, ...]
    """Property names from a row of the outer table to the array."""
    columns: tuple[Column, ...]
    inner: tuple[_Plan, ...]


def _walk(plan: _Plan) -> Iterator[_Plan]:
    yield plan
    for child in plan.inner:
        yield from _walk(child)


def _plan_tables(kind: RecordKind) -> _Plan:
    leading = _EXPORT_KEYS if kind.exported else ()
    keys = (
        *leading,
        ("_job_id", ColumnKind.TEXT),
        ("_file", ColumnKind.TEXT),
        (RECORD_COLUMN, ColumnKind.TEXT),
        ("_record_index", ColumnKind.INTEGER),
        ("_first_page", ColumnKind.INTEGER),
        ("_last_page", ColumnKind.INTEGER),
    )
    names = _Names()
    columns = [Column(name=names.take(name), kind=of) for name, of in keys]
    tables = _Names()
    name = tables.take(kind.label or RECORDS)
    place = _Place(names=names, columns=columns, tables=tables, name=name, path=kind.label, leading=leading)
    return _plan(kind.schema.root, place)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a table stands, with its keys."""

    columns: list[Column]
    names: _Names
    tables: _Names
    name: str
    path: str
    steps: tuple[str, ...] = ()
    outer: tuple[str, ...] = ()
    """Names of the arrays around its rows and of its own, outermost first."""
    leading: tuple[tuple[str, ColumnKind], ...] = ()
    """Keys before those of every table."""


def _plan(item: SchemaField, place: _Place) -> _Plan:
    arrays: list[tuple[tuple[str, ...], SchemaField]] = []
    place.names.reserve(LOW_COLUMN)
    for steps, leaf in _leaves(item, ()):
        counts = leaf.type is FieldType.ARRAY
        column = Column(
            name=place.names.of(steps, counts=counts),
            kind=ColumnKind.INTEGER if counts else _kind_of(leaf),
            path=steps,
            counts=counts,
        )
        place.columns.append(column)
        if counts:
            arrays.append((steps, leaf))
    inner = tuple(_plan_array(steps, array, place) for steps, array in arrays)
    columns = (*place.columns, Column(name=LOW_COLUMN, kind=ColumnKind.TEXT))
    return _Plan(name=place.name, path=place.path, steps=place.steps, columns=columns, inner=inner)


def _plan_array(steps: tuple[str, ...], array: SchemaField, place: _Place) -> _Plan:
    is_inner = bool(place.outer)
    path = "/".join([place.path, *(["*"] if is_inner else []), *(escape_pointer(step) for step in steps)])
    name = place.tables.take(".".join((*([place.name] if place.path else []), *(steps or "*"))), path)
    names = _Names()
    keys = [*place.leading, ("_job_id", ColumnKind.TEXT), (RECORD_COLUMN, ColumnKind.TEXT)]
    keys += [("_record_index", ColumnKind.INTEGER)]
    keys += [(f"_row_index_of_{around}", ColumnKind.INTEGER) for around in place.outer]
    keys += [("_row_index", ColumnKind.INTEGER), ("_row_id", ColumnKind.TEXT)]
    columns = [Column(name=names.take(key), kind=kind) for key, kind in keys]
    assert array.items is not None
    inner = _Place(
        columns=columns,
        names=names,
        tables=place.tables,
        name=name,
        path=path,
        steps=steps,
        outer=(*place.outer, name),
        leading=place.leading,
    )
    return _plan(array.items, inner)


def _leaves(item: SchemaField, steps: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], SchemaField]]:
    """The scalars and arrays of one row, objects opened, in the schema's order."""
    if item.type is not FieldType.OBJECT:
        yield steps, item
        return
    for child in item.properties:
        yield from _leaves(child, (*steps, child.name))


def _kind_of(leaf: SchemaField) -> ColumnKind:
    if leaf.type is FieldType.STRING:
        return ColumnKind.DATE if leaf.format == "date" else ColumnKind.TEXT
    return ColumnKind(leaf.type.value)


@dataclass(slots=True)
class _Names:
    """Names of a table's columns, none twice."""

    _taken: set[str] = field(default_factory=set[str])

    def reserve(self, name: str) -> None:
        self._taken.add(name)

    def of(self, steps: tuple[str, ...], *, counts: bool) -> str:
        """Names joined by dots; where that is taken, the JSON Pointer."""
        suffix = "__count" if counts else ""
        pointer = "".join(f"/{escape_pointer(step)}" for step in steps)
        return self.take((".".join(steps) or _VALUE) + suffix, pointer + suffix)

    def take(self, *candidates: str) -> str:
        """The first candidate that is free, or the last with a number."""
        free = (name for name in candidates if name not in self._taken)
        numbered = (f"{candidates[-1]}_{number}" for number in range(2, len(self._taken) + 3))
        name = next(free, None) or next(name for name in numbered if name not in self._taken)
        self._taken.add(name)
        return name


class _Flattener:
    """Puts the rows of one record where they belong."""

    def __init__(
        self, result: JsonObject, record: JsonObject, rows: Mapping[str, list[tuple[Cell, ...]]], *, exported: bool
    ) -> None:
        self._result = result
        self._leading = tuple(_scalar(result.get(name)) for name in ("export_id", "revision")) if exported else ()
        self._record = record
        self._rows = rows
        self._entries = _object(record.get("fields"))
        self._row_ids = _object(record.get("rows"))

    def add_record(self, plan: _Plan) -> None:
        record = self._record
        pages = record.get("pages")
        numbers = [page for page in pages if isinstance(page, int)] if isinstance(pages, list) else []
        keys = (
            *self._leading,
            _scalar(self._result.get("job_id")),
            _scalar(_object(self._result.get("file")).get("name")),
            _scalar(record.get("id")),
            _scalar(record.get("index")),
            min(numbers, default=None),
            max(numbers, default=None),
        )
        self._add_row(plan, keys, record.get("values"), "", ())

    def _add_row(
        self, plan: _Plan, keys: tuple[Scalar, ...], value: Json, pointer: str, indices: tuple[int, ...]
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


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _scalar(value: Json) -> Scalar:
    """A value that every format can hold: as in the JSON text, what is no number is nothing."""
    if isinstance(value, (dict, list)) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode()  # half a surrogate pair has no place in a file
    return value
