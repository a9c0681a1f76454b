"""A result as a file of one format: the one door to this room."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from service.domain.errors import ErrorCode, InputError
from service.domain.records import JsonObject
from service.exports.csv_file import write_csv
from service.exports.formats import ExportFormat, ExportOptions
from service.exports.json_rows import record_objects, row_objects
from service.exports.parquet_file import write_parquet
from service.exports.schema_set import SchemaSet
from service.exports.table_plan import RECORDS
from service.exports.tables import Table
from service.exports.xlsx_file import write_xlsx
from service.protocol.json_text import encode_json


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFile:
    """A file that is not written yet."""

    name: str
    media_type: str
    content: bytes


def export_result(result: JsonObject, schemas: SchemaSet, options: ExportOptions) -> ExportFile:
    """The file of a result; of a format that holds one table alone that of the records, unless another is named.

    Raises:
        InputError: `invalid_option`, there is no such table, or none is named and there are records of several
            schemas; `option_not_supported`, a library is missing.
    """
    if options.table is not None:
        check_table(options.table, schemas)
    kind = options.format
    if options.table is None and kind in (ExportFormat.JSON, ExportFormat.JSONL):
        content = encode_json(result) if kind is ExportFormat.JSON else _lines(record_objects(result))
        return _file(result, RECORDS, options, content)
    path = options.table
    if path is None and kind.one_table:
        path = _path_of_records(result, schemas)
    tables = schemas.tables(result, None if path is None else (path,))
    return _file(result, tables[0].name, options, _content(tables, options))


def export_tables(result: JsonObject, schemas: SchemaSet, options: ExportOptions) -> list[tuple[str, bytes]]:
    """Endings and contents of the files that together hold all of a result, in the order of `export_endings`.

    Of several schemas those alone that the result has records of.

    Raises:
        InputError: as `export_result`.
    """
    endings = _endings(schemas, options)
    if len(endings) == 1:
        return [(ending, export_result(result, schemas, options).content) for ending in endings.values()]
    return [(endings[table.path], _content([table], options)) for table in schemas.tables(result)]


def export_endings(schemas: SchemaSet, options: ExportOptions) -> tuple[str, ...]:
    """Endings of the files of every result: `.xlsx`; `.csv` for the records, then `.lines.csv`, ….

    Of several schemas `.documents.csv`, then `.invoice.csv`, `.invoice.lines.csv`, ….
    """
    return tuple(_endings(schemas, options).values())


def _endings(schemas: SchemaSet, options: ExportOptions) -> dict[str, str]:
    """Ending of the file of each table by its path; one for all where a file holds all."""
    kind = options.format
    if not kind.one_table or options.table is not None:
        return {options.table or "": f".{kind}"}
    taken: dict[str, str] = {}
    endings: dict[str, str] = {}
    for table in schemas.tables({}, schemas.paths()):
        if table.name == RECORDS and table.path == "":
            endings[table.path] = f".{kind}"
            continue
        name = plain = _plain(table.name)
        while name.casefold() in taken:  # two names that a file system takes for one
            name = f"{plain}_{len(taken) + 1}"
        taken[name.casefold()] = name
        endings[table.path] = f".{name}.{kind}"
    return endings


def _path_of_records(result: JsonObject, schemas: SchemaSet) -> str:
    """The path of the table of records, where there is one alone.

    Raises:
        InputError: `invalid_option`; the message names those there are.
    """
    used = schemas.used(result)
    if len(used) == 1:
        return used[0].label
    offered = ", ".join(repr(path) for path in schemas.paths())
    raise InputError(
        ErrorCode.INVALID_OPTION,
        f"The job has records of {len(used)} schemas: name a table, or take xlsx or json; there are {offered}.",
        param="table",
    )


def check_table(path: str, schemas: SchemaSet) -> None:
    """Refuse a table that a schema does not give.

    Raises:
        InputError: `invalid_option`; the message names those there are.
    """
    known = schemas.paths()
    if path not in known:
        offered = ", ".join(repr(p) for p in known if p) or "none: the schema has no arrays"
        raise InputError(
            ErrorCode.INVALID_OPTION, f"There is no table {path[:100]!r}; there are {offered}.", param="table"
        )


def _content(tables: list[Table], options: ExportOptions) -> bytes:
    if options.format is ExportFormat.XLSX:
        return write_xlsx(tables, review_url=options.review_url)
    table = tables[0]
    if options.format is ExportFormat.CSV:
        return write_csv(table, options.dialect)
    if options.format is ExportFormat.PARQUET:
        return write_parquet(table)
    if options.format is ExportFormat.JSON:
        return encode_json([*row_objects(table)])
    return _lines(row_objects(table))


def _lines(objects: Iterable[JsonObject]) -> bytes:
    return b"".join(encode_json(each) + b"\n" for each in objects)


def _file(result: JsonObject, table: str, options: ExportOptions, content: bytes) -> ExportFile:
    file = result.get("file")
    given = file.get("name") if isinstance(file, dict) else None
    stem = PurePath(_plain(str(given))).stem if given else str(result.get("job_id"))
    middle = "" if table == RECORDS else f".{_plain(table)}"
    return ExportFile(name=f"{stem}{middle}.{options.format}", media_type=options.format.media_type, content=content)


def _plain(name: str) -> str:
    """A name that no file system and no header takes for anything else."""
    return "".join("_" if c in '/\\:*?"<>|' or not c.isprintable() else c for c in name).strip(" .") or "_"
