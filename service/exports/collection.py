"""The results of many jobs in one file, added one by one: however many they are, few are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Protocol

from service.domain.records import JsonObject
from service.domain.schema import ExtractionSchema
from service.exports.csv_file import CsvFile
from service.exports.files import check_table
from service.exports.formats import ExportFormat, ExportOptions
from service.exports.json_rows import record_objects, row_objects
from service.exports.parquet_file import ParquetFile
from service.exports.schema_set import SchemaSet
from service.exports.tables import RecordKind, Table
from service.exports.xlsx_file import XlsxFile
from service.protocol.json_text import encode_json


def records_named(result: JsonObject, schema_name: str) -> Iterator[JsonObject]:
    """The records of a result that are of a schema, in whatever version."""
    records = result.get("records")
    for record in records if isinstance(records, list) else []:
        schema = record.get("schema") if isinstance(record, dict) else None
        if isinstance(record, dict) and isinstance(schema, dict) and schema.get("name") == schema_name:
            yield record


class Collection:
    """A file of records of one schema.

    Args:
        out: where it is written.
        schema: gives the columns; a record of another version of it fills those that it has.
        options: format, table and dialect.
        exported: whether each row tells in which export and revision it went.

    Raises:
        InputError: `invalid_option`, there is no such table; `option_not_supported`, a library is missing.
    """

    def __init__(
        self, out: IO[bytes], schema: ExtractionSchema, options: ExportOptions, *, exported: bool = False
    ) -> None:
        self._schemas = SchemaSet(kinds=(RecordKind(schema=schema, exported=exported),))
        if options.table is not None:
            check_table(options.table, self._schemas)
        self._file = _opened(out, options)
        self._only = _only(options)
        self.add({})

    def add(self, result: JsonObject, *, review_url: str | None = None) -> None:
        """Append the records of a result.

        Args:
            result: as `GET /jobs/{id}/result` gives it; its records are of the schema.
            review_url: of its job in the review screen, for the links of a workbook.
        """
        self._file.add(result, self._schemas.tables(result, self._only), review_url)

    def finish(self) -> None:
        """Write the end of the file."""
        self._file.finish()


def _only(options: ExportOptions) -> tuple[str, ...] | None:
    """Paths of the tables that the file holds; None: all."""
    if options.table is not None:
        return (options.table,)
    return None if options.format is ExportFormat.XLSX else ("",)


def _opened(out: IO[bytes], options: ExportOptions) -> _File:
    if options.format is ExportFormat.CSV:
        return _Csv(CsvFile(out, options.dialect))
    if options.format is ExportFormat.XLSX:
        return _Xlsx(XlsxFile(out))
    if options.format is ExportFormat.PARQUET:
        return _Parquet(ParquetFile(out))
    return _Objects(out, as_array=options.format is ExportFormat.JSON, rows=options.table is not None)


class _File(Protocol):
    """One format."""

    def add(self, result: JsonObject, tables: Sequence[Table], review_url: str | None) -> None:
        """Append a job's records, or the rows of its tables."""
        ...

    def finish(self) -> None:
        """Write the end of the file."""
        ...


class _Csv:
    def __init__(self, file: CsvFile) -> None:
        self._file = file

    def add(self, result: JsonObject, tables: Sequence[Table], review_url: str | None) -> None:
        self._file.add(tables[0])

    def finish(self) -> None:
        """A CSV has no end of its own."""


class _Parquet:
    def __init__(self, file: ParquetFile) -> None:
        self._file = file
        self.finish = file.finish

    def add(self, result: JsonObject, tables: Sequence[Table], review_url: str | None) -> None:
        self._file.add(tables[0])


class _Xlsx:
    def __init__(self, file: XlsxFile) -> None:
        self._file = file
        self.finish = file.finish

    def add(self, result: JsonObject, tables: Sequence[Table], review_url: str | None) -> None:
        self._file.add(tables, review_url=review_url)


class _Objects:
    """JSON Lines, or one JSON array."""

    def __init__(self, out: IO[bytes], *, as_array: bool, rows: bool) -> None:
        self._out = out
        self._rows = rows
        self._before, self._behind, self._end = (b"[", b"", b"]") if as_array else (b"", b"\n", b"")
        self._between = b"," if as_array else b""

    def add(self, result: JsonObject, tables: Sequence[Table], review_url: str | None) -> None:
        for each in row_objects(tables[0]) if self._rows else record_objects(result):
            self._out.write(self._before + encode_json(each) + self._behind)
            self._before = self._between

    def finish(self) -> None:
        if self._before == b"[":  # nothing came
            self._out.write(b"[")
        self._out.write(self._end)
