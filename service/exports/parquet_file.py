"""A table as Parquet: a column of its type for each value, beside it what is known of the value and where it stands."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import IO, TYPE_CHECKING, Literal

from service.domain.errors import ErrorCode, InputError
from service.domain.records import Json, JsonObject, Scalar
from service.exports.table_plan import Column, ColumnKind
from service.exports.tables import Cell, Table, as_day, fits_double

if TYPE_CHECKING:
    import datetime as dt

    from pyarrow.parquet import ParquetWriter

_ROWS_OF_A_GROUP = 65_536
_INTEGERS = range(-(2**63), 2**63)
CONFIDENCE, VERDICT, RAW, PAGE, BOX = "__confidence", "__verdict", "__raw", "__page", "__box"
"""Endings of the columns beside a value: `high` or `low`; why; as printed; 1-based; x and y of the four corners."""


class ParquetFile:
    """A Parquet file that grows by rows of one table; a group of rows is written once it is full.

    Raises:
        InputError: `option_not_supported`, the library for it is not installed.
    """

    def __init__(self, out: IO[bytes]) -> None:
        self._arrow = _load()
        self._out = out
        self._writer: ParquetWriter | None = None
        self._columns: Sequence[Column] = ()
        self._waiting: list[tuple[Cell, ...]] = []

    def add(self, table: Table) -> None:
        """Append the rows of a table that has the columns of those before it."""
        self._columns = table.columns
        self._waiting += table.rows
        while len(self._waiting) >= _ROWS_OF_A_GROUP:
            self._write(self._waiting[:_ROWS_OF_A_GROUP])
            del self._waiting[:_ROWS_OF_A_GROUP]

    def finish(self) -> None:
        """Write what waits, and the file's end."""
        if self._waiting or self._writer is None:
            self._write(self._waiting)
        if self._writer is not None:
            self._writer.close()

    def _write(self, rows: Sequence[tuple[Cell, ...]]) -> None:
        from pyarrow.parquet import ParquetWriter

        pieces: list[_Piece] = []
        taken = {column.name for column in self._columns}
        for number, column in enumerate(self._columns):
            pieces += _pieces_of(column, [row[number] for row in rows], taken)
        kinds = _kinds(self._arrow)
        schema = self._arrow.schema([self._arrow.field(piece.name, kinds[piece.kind]) for piece in pieces])
        arrays = [self._arrow.array(piece.values, type=kinds[piece.kind]) for piece in pieces]
        if self._writer is None:
            self._writer = ParquetWriter(self._out, schema, compression="zstd")
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=schema), row_group_size=_ROWS_OF_A_GROUP)


def write_parquet(table: Table) -> bytes:
    """A table as one file.

    Raises:
        InputError: `option_not_supported`, the library for it is not installed.
    """
    out = io.BytesIO()
    file = ParquetFile(out)
    file.add(table)
    file.finish()
    return out.getvalue()


def _load() -> ModuleType:
    try:
        import pyarrow
    except ImportError:
        raise InputError(
            ErrorCode.OPTION_NOT_SUPPORTED,
            "Parquet needs a library that is not installed: install `fieldmark[parquet]`, or ask for csv or xlsx.",
            param="format",
        ) from None
    return pyarrow


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """One column of the file."""

    name: str
    kind: ColumnKind | Literal["page", "box"]
    values: Sequence[Scalar | dt.date | Json]


def _kinds(arrow: ModuleType) -> Mapping[str, object]:
    return {
        ColumnKind.TEXT: arrow.string(),
        ColumnKind.NUMBER: arrow.float64(),
        ColumnKind.INTEGER: arrow.int64(),
        ColumnKind.BOOLEAN: arrow.bool_(),
        ColumnKind.DATE: arrow.date32(),
        "page": arrow.int32(),
        "box": arrow.list_(arrow.float64()),
    }


def _pieces_of(column: Column, cells: Sequence[Cell], taken: set[str]) -> Iterator[_Piece]:
    typed = [_typed(cell.value, column.kind) for cell in cells]
    yield _Piece(name=column.name, kind=column.kind, values=typed)
    if column.path is None or column.counts:
        return
    entries: list[JsonObject] = [cell.entry or {} for cell in cells]
    beside: tuple[tuple[str, ColumnKind | Literal["page", "box"], list[Json]], ...] = (
        (CONFIDENCE, ColumnKind.TEXT, [entry.get("confidence") for entry in entries]),
        (VERDICT, ColumnKind.TEXT, [entry.get("verdict") for entry in entries]),
        (RAW, ColumnKind.TEXT, [_raw(cell, value) for cell, value in zip(cells, typed, strict=True)]),
        (PAGE, "page", [entry.get("page") for entry in entries]),
        (BOX, "box", [_box(entry.get("coordinates")) for entry in entries]),
    )
    for ending, kind, values in beside:
        name = column.name + ending
        while name in taken:  # a property of the schema has that name
            name += "_"
        taken.add(name)
        yield _Piece(name=name, kind=kind, values=values)


def _typed(value: Scalar, kind: ColumnKind) -> Scalar | dt.date:
    """The value if it is of the column's type, else None: then it stands as text beside."""
    if kind is ColumnKind.DATE:
        return as_day(value) if isinstance(value, str) else None
    if kind is ColumnKind.TEXT:
        return value if isinstance(value, str) else None
    if kind is ColumnKind.BOOLEAN or isinstance(value, bool):
        return value if isinstance(value, bool) and kind is ColumnKind.BOOLEAN else None
    if not isinstance(value, (int, float)):
        return None
    if kind is ColumnKind.INTEGER:
        return int(value) if int(value) == value and int(value) in _INTEGERS else None
    return float(value) if fits_double(value) else None


def _raw(cell: Cell, typed: Scalar | dt.date) -> str | None:
    """The text as printed; of a value that is not of the column's type the value itself."""
    if cell.value is not None and typed is None:
        return str(cell.value)
    raw = cell.entry.get("raw") if cell.entry else None
    return raw if isinstance(raw, str) else None


def _box(coordinates: Json) -> list[Json] | None:
    if not isinstance(coordinates, list) or not coordinates:
        return None
    return [point[axis] for point in coordinates if isinstance(point, dict) for axis in ("x", "y")]
