"""Which tables the records of a schema have, and their columns: told by the schema alone.

So every result of a schema gives the same tables, with names, order and kinds of columns alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from service.domain.schema import FieldType, SchemaField, escape_pointer

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
class Plan:
    """A table before it has rows."""

    name: str
    path: str
    steps: tuple[str, ...]
    """Property names from a row of the outer table to the array."""
    columns: tuple[Column, ...]
    inner: tuple[Plan, ...]


def walk(plan: Plan) -> Iterator[Plan]:
    """A table and all those inside it, outer ones first."""
    yield plan
    for child in plan.inner:
        yield from walk(child)


def plan_tables(root: SchemaField, label: str, *, exported: bool) -> Plan:
    """The table of records and, inside it, one for each array.

    Args:
        root: of the schema.
        label: begins the names and paths of the tables; empty: none.
        exported: whether each row tells in which export and revision it went.
    """
    leading = _EXPORT_KEYS if exported else ()
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
    name = tables.take(label or RECORDS)
    place = _Place(names=names, columns=columns, tables=tables, name=name, path=label, leading=leading)
    return _plan(root, place)


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


def _plan(item: SchemaField, place: _Place) -> Plan:
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
    return Plan(name=place.name, path=place.path, steps=place.steps, columns=columns, inner=inner)


def _plan_array(steps: tuple[str, ...], array: SchemaField, place: _Place) -> Plan:
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
