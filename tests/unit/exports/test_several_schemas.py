"""Tables of results whose documents were given one of several schemas each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.domain.errors import InputError
from service.domain.schema import parse_schema
from service.exports.files import export_endings, export_result, export_tables
from service.exports.formats import ExportFormat, ExportOptions
from service.exports.schema_set import SchemaSet
from tests.unit.exports.results import SCHEMA, order, result_of

NOTE = parse_schema({"properties": {"to": {"type": "string"}, "lines": {"type": "array", "items": {"type": "string"}}}})
SET = SchemaSet.routed([("order", 2, SCHEMA), ("note", 1, NOTE), ("note", 3, NOTE), ("documents", 1, NOTE)])
CSV = ExportOptions(format=ExportFormat.CSV)


def pile(*names: str) -> dict[str, Any]:
    """A result with one record for each name, and a stranger behind them."""
    result = result_of(order())
    (first,) = result["records"]
    result["records"] = [{**first, "index": n, "schema": {"name": name, "version": 2}} for n, name in enumerate(names)]
    routed = [
        {"index": n, "pages": [n + 1], "schema": {"name": name, "version": 2}, "reason": None, "candidates": []}
        for n, name in enumerate(names)
    ]
    best = {"schema": {"name": "note", "version": None}, "score": 0.12}
    stranger = {"index": len(names), "pages": [8, 9], "schema": None, "reason": "no_fit", "candidates": [best]}
    result["documents"] = [*routed, stranger]
    return result


def test_tables_are_named_after_schemas_and_none_twice() -> None:
    """Two versions of one name, and one called as the table of documents."""
    assert [path for path in SET.paths() if path.count("/") == 0] == [
        "documents",
        "order",
        "note",
        "note@3",
        "documents@1",
    ]
    assert "note@3/lines" in SET.paths()
    assert len(set(SET.paths())) == len(SET.paths())
    endings = export_endings(SET, CSV)
    assert endings[:2] == (".documents.csv", ".order.csv")
    assert len(set(endings)) == len(endings) == len(SET.paths())


def test_only_schemas_with_records_have_tables_and_documents_always() -> None:
    """A record stands in its own schema's table alone."""
    tables = {table.path: table for table in SET.tables(pile("order", "order"))}
    assert set(tables) == {"documents", "order", "order/notes", "order/lines"}
    assert len(tables["order"].rows) == 2
    rows = [[cell.value for cell in row] for row in tables["documents"].rows]
    assert [row[2:] for row in rows] == [
        [0, 1, 1, "order@2", None, None, None],
        [1, 2, 2, "order@2", None, None, None],
        [2, 8, 9, None, "no_fit", "note", 0.12],
    ]


def test_a_format_of_one_table_takes_the_only_records_there_are() -> None:
    """And asks where there are several, or none."""
    assert export_result(pile("order"), SET, CSV).name.endswith("order.csv")
    with pytest.raises(InputError, match="'order'"):
        export_result(pile(), SET, CSV)
    named = ExportOptions(format=ExportFormat.JSON, table="note/lines")
    assert json.loads(export_result(pile("order"), SET, named).content) == []


def test_files_of_a_result_are_those_that_have_rows() -> None:
    """Each under the ending that every result of the job would give it."""
    files = dict(export_tables(pile("order"), SET, CSV))
    assert set(files) == {".documents.csv", ".order.csv", ".order.notes.csv", ".order.lines.csv"}
    assert set(files) <= set(export_endings(SET, CSV))
