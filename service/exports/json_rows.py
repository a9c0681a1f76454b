"""Records and rows of tables as JSON objects, for the formats of one object a line."""

from __future__ import annotations

from collections.abc import Iterator

from service.domain.records import JsonObject
from service.exports.tables import Table

_AROUND = ("job_id", "status", "external_id", "file")


def record_objects(result: JsonObject) -> Iterator[JsonObject]:
    """Each record of a result, with what tells whose it is."""
    around: JsonObject = {name: result.get(name) for name in _AROUND}
    if "export_id" in result:
        around |= {"export_id": result["export_id"], "revision": result.get("revision")}
    records = result.get("records")
    for record in records if isinstance(records, list) else []:
        if isinstance(record, dict):
            yield around | record


def row_objects(table: Table) -> Iterator[JsonObject]:
    """Each row of a table, by the names of its columns."""
    names = [column.name for column in table.columns]
    for row in table.rows:
        yield dict(zip(names, (cell.value for cell in row), strict=True))
