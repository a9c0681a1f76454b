"""Tables hold every value of a result, under columns that the schema alone decides."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.schema import ExtractionSchema, parse_schema
from service.exports.schema_set import SchemaSet
from service.exports.tables import Table
from tests.unit.exports.results import SCHEMAS, order, result_of

NAMES = st.sampled_from(["a", "b", "a.b", "_low", "_row_id", "value", "lines", "a/b", "records", "x__count", "é"])
LEAVES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=8),
    "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53),
    "integer": st.integers(),
    "boolean": st.booleans(),
}


def schemas(depth: int = 3) -> st.SearchStrategy[dict[str, Any]]:
    """Fields of any type."""
    leaf = st.sampled_from(sorted(LEAVES)).map(lambda kind: {"type": kind})
    if depth == 0:
        return leaf
    inner = schemas(depth - 1)
    return st.one_of(leaf, objects(inner), inner.map(lambda items: {"type": "array", "items": items}))


def objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with a few properties of a kind."""
    properties = st.dictionaries(NAMES, inner, min_size=1, max_size=4)
    return properties.map(lambda found: {"type": "object", "properties": found})


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a schema, any leaf of which may be null."""
    if schema["type"] == "object":
        return st.fixed_dictionaries({name: values_of(child) for name, child in schema["properties"].items()})
    if schema["type"] == "array":
        return st.lists(values_of(schema["items"]), max_size=3)
    return st.none() | LEAVES[schema["type"]]


PAIRS = objects(schemas()).flatmap(lambda schema: st.tuples(st.just(schema), values_of(schema)))


@given(PAIRS)
def test_no_value_is_lost(pair: tuple[dict[str, Any], Any]):
    """The record can be built again from its tables."""
    source, values = pair
    schema = parse_schema(source)
    tables = SchemaSet.one(schema).tables(result_of(values))
    assert values == rebuild(tables, schema)


@given(PAIRS)
def test_columns_and_tables_have_names_of_their_own_whatever_the_document_holds(pair: tuple[dict[str, Any], Any]):
    """No two alike, and the same for an empty record."""
    source, values = pair
    schema = parse_schema(source)
    tables = SchemaSet.one(schema).tables(result_of(values))
    empty = SchemaSet.one(schema).tables(result_of({}))
    for table, other in zip(tables, empty, strict=True):
        names = [column.name for column in table.columns]
        assert len(set(names)) == len(names)
        assert (table.name, table.path, names) == (other.name, other.path, [column.name for column in other.columns])
        assert all(len(row) == len(names) for row in table.rows)
    assert len({table.name for table in tables}) == len(tables)
    assert tuple(table.path for table in tables) == SchemaSet.one(schema).paths()


def rebuild(tables: list[Table], schema: ExtractionSchema) -> Any:
    """The values of the only record, from the cells of its tables."""
    root = _empty(schema.root)
    for table in tables:
        steps = [] if not table.path else table.path.removeprefix("/").split("/")
        for row in table.rows:
            indices = [c.value for col, c in zip(table.columns, row, strict=True) if _is_index(col)]
            place, key = _find(root, steps, indices, schema)
            for column, cell in zip(table.columns, row, strict=True):
                if column.path is not None and not column.counts:
                    place, key = _put(place, key, column.path, cell.value)
    return root["."]


def _is_index(column: Any) -> bool:
    return column.path is None and column.name.startswith("_row_index")


def _empty(field: Any) -> dict[str, Any]:
    return {".": _blank(field)}


def _blank(field: Any) -> Any:
    if field.properties:
        return {child.name: _blank(child) for child in field.properties}
    return [] if field.items is not None else None


def _find(root: dict[str, Any], steps: list[str], indices: list[Any], schema: ExtractionSchema) -> tuple[Any, Any]:
    """The container of a row and the row's key in it; rows come in order, so a new one is appended."""
    holder, key, field = root, ".", schema.root
    waiting = list(indices)
    for step in [*steps, "*"] if steps else []:
        if step == "*" and field.items is not None:
            array, key = holder[key], waiting.pop(0)
            if key == len(array):
                array.append(_blank(field.items))
            holder, field = array, field.items
        else:
            name = step.replace("~1", "/").replace("~0", "~")
            holder, key, field = holder[key], name, field.property(name)
    return holder, key


def _put(holder: Any, key: Any, path: tuple[str, ...], value: Any) -> tuple[Any, Any]:
    inner, last = holder, key
    for step in path:
        inner, last = inner[last], step
    inner[last] = value
    return holder, key


def test_a_table_for_the_records_and_one_for_each_array():
    """Columns in the schema's order; keys before, what is doubtful behind."""
    records, notes, lines = SCHEMAS.tables(result_of(order(), low=("/total", "/lines/1/price")))
    assert [c.name for c in records.columns] == [
        *("_job_id", "_file", "_record_id", "_record_index", "_first_page", "_last_page"),
        *("number", "date", "seller.name", "seller.vat", "total", "pieces", "paid"),
        *("notes__count", "lines__count", "_low"),
    ]
    (row,) = ([cell.value for cell in row] for row in records.rows)
    assert row[:6] == ["job_1", "Bestellung Ä 7.pdf", "rec_1", 0, 1, 3]
    assert row[-3:] == [2, 3, "total"]
    assert [[cell.value for cell in row] for row in notes.rows] == [
        ["job_1", "rec_1", 0, 0, None, "a", None],
        ["job_1", "rec_1", 0, 1, None, "b", None],
    ]
    assert [c.name for c in lines.columns][3:] == ["_row_index", "_row_id", "what", "price", "day", "_low"]
    assert [row[-1].value for row in lines.rows] == [None, "price", None]
    assert [row[4].value for row in lines.rows] == ["row_0", "row_1", "row_2"]


@pytest.mark.parametrize("value", [{}, {"seller": None, "lines": None}, {"lines": [None]}])
def test_what_is_left_out_is_empty(value: dict[str, Any]):
    """Results without nulls, and objects that are not there, do no harm."""
    records, _, lines = SCHEMAS.tables(result_of(value))
    assert [cell.value for cell in records.rows[0]][6:13] == [None] * 7
    assert len(lines.rows) == len(value.get("lines") or [])
