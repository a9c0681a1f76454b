"""What a batch writes about all files: the books, the failures, and the tables over all results.

The same files in the same state give the same bytes, however often the batch was interrupted.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TextIO, cast

import orjson

from service.cli.batch.causes import action_for
from service.cli.batch.entries import shown
from service.cli.batch.ledger import Ledger
from service.cli.batch.plan import Outputs
from service.cli.whole_file import whole_file
from service.domain.records import JsonObject
from service.exports.csv_file import CsvFile, inert_text
from service.exports.formats import CsvDialect, ExportFormat
from service.exports.parquet_file import ParquetFile
from service.exports.schema_set import SchemaSet
from service.exports.table_plan import RECORD_COLUMN, Column, ColumnKind
from service.exports.tables import Cell, Table
from service.exports.xlsx_file import XlsxFile
from service.protocol.json_text import encode_json

BOOKS, FAILURES, TABLES = "books.csv", "failures.csv", "tables"
_NOT_IN_NAMES = frozenset('/\\:*?"<>|')
_FILE = Column(name="_file", kind=ColumnKind.TEXT)
_VARYING = frozenset({"_job_id", "_file", RECORD_COLUMN, "_row_id"})
"""Columns that are another's, or others each time; `_file` with the indexes names every row."""
STATES = """
SELECT p.label, CASE
    WHEN p.state = 'ignored' OR p.state = 'failed' THEN p.state
    WHEN p.state IN ('waiting', 'arriving') OR c.digest IS NULL THEN 'waiting'
    WHEN c.label <> p.label THEN 'duplicate'
    WHEN c.state = 'open' THEN 'waiting'
    ELSE c.state END AS ended,
  CASE WHEN c.label <> p.label THEN c.label END AS of,
  c.pages, c.doubtful, c.made, c.schema, coalesce(p.code, c.code) AS code, coalesce(p.message, c.message) AS message,
  c.job_id, p.moved_to, c.run AS done_in
FROM paths p LEFT JOIN contents c ON c.digest = p.digest AND p.state IN ('taken', 'settled')
"""
_RESULTS = """
SELECT c.digest, c.label FROM contents c JOIN paths p ON p.label = c.label AND p.digest = c.digest
WHERE p.state IN ('taken', 'settled') AND c.state IN ('succeeded', 'partial', 'unrouted') AND c.label > ?
ORDER BY c.label LIMIT 100
"""


def write_books(ledger: Ledger) -> None:
    """A row for each file that was found: how it ended, and why; and the failed ones again, to be given to `--only`."""
    with (
        _text_file(ledger.folder / BOOKS) as books,
        _text_file(ledger.folder / FAILURES) as failures,
    ):
        head = ("path", "state", "duplicate_of", "schema", "pages", "doubtful", "code", "message", "job_id", "moved_to")
        books_rows, failure_rows = csv.writer(books), csv.writer(failures)
        books_rows.writerow(head)
        failure_rows.writerow(("path", "code", "message", "what_to_do"))
        for row in ledger.ask(STATES + " ORDER BY p.label"):
            label, state, of, pages, doubtful, _, schema, code, message, job_id, moved_to, _ = row
            path = _shown(label)
            rest = ("" if not doubtful else "yes", code, message, job_id, moved_to)
            books_rows.writerow((path, state, _shown(of), schema, pages, *rest))
            if state in ("failed", "unrouted"):
                failure_rows.writerow((path, code, message, action_for(None if code is None else str(code))))


def write_tables(ledger: Ledger, outputs: Outputs, schemas: SchemaSet) -> None:
    """The tables over all results, each content once, in the order of the files' names.

    Of one schema all its tables, also empty ones; of several those of the schemas that documents have.
    """
    folder = ledger.folder / TABLES
    folder.mkdir(exist_ok=True)
    for kind in outputs.tables:
        with ExitStack() as stack:
            writer = _Tables(kind, folder, outputs.dialect, stack)
            for label, result in chain([("", cast(JsonObject, {}))], _results(ledger)):
                writer.add([_stable(table, label) for table in schemas.tables(result)])
            writer.finish()
        writer.remove_others()


def _results(ledger: Ledger) -> Iterator[tuple[str, JsonObject]]:
    after = b""
    while True:
        rows = list(ledger.ask(_RESULTS, after))
        for digest, label in rows:
            assert isinstance(digest, bytes)
            assert isinstance(label, bytes)
            after = label
            body = ledger.result(digest)
            if body is not None:
                yield shown(label), cast(JsonObject, orjson.loads(body))
        if not rows:
            return


def _stable(table: Table, label: str) -> Table:
    """The table with the file before its other keys, and without what is another each time a file is read."""
    kept = [number for number, column in enumerate(table.columns) if column.name not in _VARYING]
    return Table(
        name=table.name,
        path=table.path,
        columns=(_FILE, *(table.columns[number] for number in kept)),
        rows=[(Cell(value=label), *(row[number] for number in kept)) for row in table.rows],
    )


class _Tables:
    """Tables that grow, in files of one format; the files take their places once all is written."""

    def __init__(self, kind: ExportFormat, folder: Path, dialect: CsvDialect, stack: ExitStack) -> None:
        self._kind = kind
        self._folder = folder
        self._dialect = dialect
        self._stack = stack
        self._names: set[str] = set()
        self._written: set[Path] = set()
        self._begun: set[str] = set()
        self._growing: dict[str, CsvFile | ParquetFile | XlsxFile | _Lines] = {}

    def add(self, tables: Sequence[Table]) -> None:
        """Append rows; a table without any has its header all the same."""
        for table in tables:
            if table.path in self._begun and not table.rows:
                continue
            self._begun.add(table.path)
            file = self._file_of(table)
            if isinstance(file, XlsxFile):
                file.add([table])
            else:
                file.add(table)

    def finish(self) -> None:
        """Once there is nothing to add."""
        for file in self._growing.values():
            if isinstance(file, (ParquetFile, XlsxFile)):
                file.finish()

    def remove_others(self) -> None:
        """Once the files are in their places: what an earlier run left of tables that there are no more."""
        for path in self._folder.glob(f"*.{self._kind}"):
            if path not in self._written:
                path.unlink()

    def _file_of(self, table: Table) -> CsvFile | ParquetFile | XlsxFile | _Lines:
        key = "" if self._kind is ExportFormat.XLSX else table.path  # a workbook holds them all
        if key not in self._growing:
            self._growing[key] = self._new("tables" if self._kind is ExportFormat.XLSX else table.name)
        return self._growing[key]

    def _new(self, table: str) -> CsvFile | ParquetFile | XlsxFile | _Lines:
        name = plain = (
            "".join("_" if c in _NOT_IN_NAMES or not c.isprintable() else c for c in table).strip(" .") or "_"
        )
        while name.casefold() in self._names:  # two names that a file system takes for one
            name = f"{plain}_{len(self._names) + 1}"
        self._names.add(name.casefold())
        target = self._folder / f"{name}.{self._kind}"
        self._written.add(target)
        out = self._stack.enter_context(whole_file(target))
        if self._kind is ExportFormat.CSV:
            return CsvFile(out, self._dialect)
        if self._kind is ExportFormat.PARQUET:
            return ParquetFile(out)
        return XlsxFile(out) if self._kind is ExportFormat.XLSX else _Lines(out)


class _Lines:
    """JSON Lines: an object for each row."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def add(self, table: Table) -> None:
        """Append the rows of a table."""
        names = [column.name for column in table.columns]
        for row in table.rows:
            self._out.write(encode_json(dict(zip(names, (cell.value for cell in row), strict=True))) + b"\n")


@contextmanager
def _text_file(target: Path) -> Generator[TextIO]:
    with whole_file(target) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.detach()  # else it would close the file that is not at its place yet


def _shown(name: object) -> str:
    """A name as a cell that no spreadsheet runs."""
    return inert_text(shown(name)) if isinstance(name, bytes) else ""
