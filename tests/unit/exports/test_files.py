"""Files are read back by the libraries that people read them with: types and values are those of the JSON."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import sys
from collections.abc import Iterator
from typing import Any

import openpyxl
import pandas
import pyarrow.parquet as parquet
import pytest

from service.domain.errors import ErrorCode, InputError
from service.exports.csv_file import inert_text
from service.exports.files import export_result, export_tables
from service.exports.formats import CsvDialect, ExportFormat, ExportOptions, Separator
from service.exports.schema_set import SchemaSet
from service.exports.xlsx_file import MOST_TEXT, write_xlsx
from tests.unit.exports.results import LIVE, SCHEMAS, order, result_of

HUGE = 2**53 + 1


def export(values: dict[str, Any], kind: ExportFormat, low: tuple[str, ...] = (), **options: Any) -> bytes:
    """The file of a result with these values."""
    return export_result(result_of(values, low), SCHEMAS, ExportOptions(format=kind, **options)).content


def csv_rows(content: bytes, delimiter: str = ",") -> list[dict[str, str]]:
    """Rows of a CSV as a spreadsheet would split them."""
    text = content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def sheet_rows(book: openpyxl.Workbook, name: str) -> Iterator[dict[str, Any]]:
    """Rows of a sheet by its header."""
    header, *rows = book[name].iter_rows(values_only=True)
    for row in rows:
        yield dict(zip(map(str, header), row, strict=True))


def load(content: bytes) -> openpyxl.Workbook:
    """The workbook that these bytes are."""
    return openpyxl.load_workbook(io.BytesIO(content))


def day(text: str) -> dt.datetime:
    """A day as workbooks give it."""
    return dt.datetime.fromisoformat(text)


def test_csv_reads_back_with_every_value():
    """Separators, quotes, line ends and scripts in text; numbers as numbers."""
    (row,) = csv_rows(export(order(), ExportFormat.CSV))
    values = order()
    assert row["seller.name"] == values["seller"]["name"]
    assert (row["number"], row["date"], row["paid"]) == ("007", "2026-01-31", "false")
    assert (float(row["total"]), int(row["pieces"]), row["seller.vat"]) == (-1234.5, 12, "")


def test_two_thousand_rows_come_in_order_in_every_format():
    """Each with its values and types."""
    values = order(rows=2000)
    wanted = [(line["what"], line["price"], line["day"]) for line in values["lines"]]
    rows = csv_rows(export(values, ExportFormat.CSV, table="/lines"))
    assert [(r["what"], float(r["price"]), r["day"]) for r in rows] == wanted
    sheet = sheet_rows(load(export(values, ExportFormat.XLSX)), "lines")
    assert [(r["what"], r["price"], r["day"]) for r in sheet] == [(w, p, day(d)) for w, p, d in wanted]
    table = parquet.read_table(io.BytesIO(export(values, ExportFormat.PARQUET, table="/lines"))).to_pylist()
    assert [(r["what"], r["price"], r["day"]) for r in table] == [(w, p, day(d).date()) for w, p, d in wanted]
    lines = export(values, ExportFormat.JSONL, table="/lines").splitlines()
    assert [(r["what"], r["price"], r["day"]) for r in map(json.loads, lines)] == wanted


@pytest.mark.parametrize("live", LIVE)
def test_text_that_looks_like_a_formula_is_inert_and_not_lost(live: str):
    """In CSV behind an apostrophe that one rule takes away; in a workbook as text, exact."""
    values = order(number=live, seller={"name": live, "vat": live})
    text = export(values, ExportFormat.CSV).decode()
    (row,) = csv_rows(text.encode())
    assert row["number"] == f"'{live}"
    book = load(export(values, ExportFormat.XLSX))
    cells = [cell for cell in book["records"][2] if cell.column_letter in "GI"]
    for cell in cells:
        assert (cell.data_type, cell.quotePrefix) == ("s", True)
        assert cell.value == live.replace("\r", "_x000D_")
    (found,) = parquet.read_table(io.BytesIO(export(values, ExportFormat.PARQUET))).to_pylist()
    assert found["number"] == live


def test_numbers_below_zero_are_left_alone():
    """A minus of a number is no formula."""
    (row,) = csv_rows(export(order(), ExportFormat.CSV))
    assert row["total"] == "-1234.5"
    (record,) = sheet_rows(load(export(order(), ExportFormat.XLSX)), "records")
    assert record["total"] == -1234.5
    assert inert_text("Stuhl -x") == "Stuhl -x"


def test_headers_are_inert_as_well():
    """Names of properties come from callers too."""
    from service.domain.schema import parse_schema

    schema = parse_schema({"properties": {"=1+1": {"type": "string"}}})
    content = export_result(
        result_of({"=1+1": "a"}), SchemaSet.one(schema), ExportOptions(format=ExportFormat.CSV)
    ).content
    assert b",'=1+1," in content


@pytest.mark.parametrize(("separator", "character"), [("semicolon", ";"), ("tab", "\t"), ("pipe", "|")])
def test_the_dialect_is_the_callers(separator: str, character: str):
    """Separator, decimal comma, byte order mark."""
    dialect = CsvDialect(separator=Separator(separator), decimal_comma=True, bom=True)
    content = export(order(), ExportFormat.CSV, dialect=dialect)
    assert content.startswith(b"\xef\xbb\xbf_job_id" + character.encode())
    (row,) = csv_rows(content, character)
    assert row["total"] == "-1234,5"


def test_decimal_commas_between_commas_are_refused():
    """Nobody could read them."""
    with pytest.raises(InputError, match="separator"):
        CsvDialect(decimal_comma=True)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.1, "0.1"), (1e-7, "0.0000001"), (123456789.125, "123456789.125"), (1e22, "1e+22"), (2**60, str(2**60))],
)
def test_numbers_in_csv_are_plain_and_exact(number: float, text: str):
    """No exponent where none is needed."""
    (row,) = csv_rows(export(order(total=number), ExportFormat.CSV))
    assert (row["total"], float(row["total"])) == (text, number)


def test_a_workbook_has_types_a_frozen_header_and_marks_what_is_low():
    """Text stays text, also `007`; dates are dates; low values are on yellow and named."""
    book = load(export(order(), ExportFormat.XLSX, low=("/total", "/lines/1/price")))
    assert book.sheetnames == ["records", "notes", "lines"]
    assert [book[name].freeze_panes for name in book.sheetnames] == ["A2"] * 3
    (record,) = sheet_rows(book, "records")
    assert (record["number"], record["date"]) == ("007", day("2026-01-31"))
    assert (record["total"], record["pieces"], record["paid"]) == (-1234.5, 12, False)
    assert record["_low"] == "total"
    fills = {str(c.value): c.fill.fgColor.rgb for row in book["lines"].iter_rows(min_row=2) for c in row}
    assert (fills["-0.25"], fills["-1.25"]) == ("FFFFF2CC", "00000000")


def test_a_workbook_leads_to_the_review_screen():
    """From records, and from values that are low to their place; values stay what they are."""
    result = result_of(order(number="=1+1"), low=("/number", "/lines/1/price"))
    options = ExportOptions(format=ExportFormat.XLSX, review_url="http://127.0.0.1:8000/review/job_1")
    book = load(export_result(result, SCHEMAS, options).content)
    linked = {
        (name, cell.value): f"{cell.hyperlink.target}#{cell.hyperlink.location}"
        for name in book.sheetnames
        for row in book[name].iter_rows(min_row=2)
        for cell in row
        if cell.hyperlink
    }
    assert linked[("records", "rec_1")].startswith("http://127.0.0.1:8000/review/job_1")
    assert linked[("records", "=1+1")] == "http://127.0.0.1:8000/review/job_1#/number"
    assert linked[("lines", -0.25)] == "http://127.0.0.1:8000/review/job_1#/lines/1/price"
    assert len(linked) == 5
    plain = load(export(order(), ExportFormat.XLSX, low=("/total",)))["records"]
    assert not [cell for row in plain.iter_rows() for cell in row if cell.hyperlink]


def test_pandas_reads_what_is_written():
    """Types and values, as people who work with tables see them."""
    values = order(rows=50)
    wanted = [(line["what"], line["price"], line["day"]) for line in values["lines"]]
    read = {
        "csv": pandas.read_csv(io.BytesIO(export(values, ExportFormat.CSV, table="/lines")), parse_dates=["day"]),
        "xlsx": pandas.read_excel(io.BytesIO(export(values, ExportFormat.XLSX)), sheet_name="lines"),
        "parquet": pandas.read_parquet(io.BytesIO(export(values, ExportFormat.PARQUET, table="/lines"))),
    }
    for kind, frame in read.items():
        days = [str(day)[:10] for day in frame["day"]]
        assert list(zip(frame["what"], frame["price"], days, strict=True)) == wanted, kind
        assert frame["price"].dtype == "float64"


def test_what_a_cell_cannot_hold_is_text():
    """Integers with too many digits, days before Excel's calendar, dates that are none."""
    values = order(pieces=HUGE, lines=[{"what": "a", "price": 1, "day": d} for d in ("1899-01-02", "soon")])
    book = load(export(values, ExportFormat.XLSX))
    assert next(sheet_rows(book, "records"))["pieces"] == str(HUGE)
    assert [row["day"] for row in sheet_rows(book, "lines")] == ["1899-01-02", "soon"]


def test_text_longer_than_a_cell_is_cut_and_says_so():
    """How long it is stands at its end."""
    (record,) = sheet_rows(load(export(order(number="ä" * 40_000), ExportFormat.XLSX)), "records")
    assert len(record["number"]) <= MOST_TEXT
    assert record["number"].endswith("[cut: 40000 characters in all]")


def test_rows_beyond_the_limit_go_on_in_a_further_sheet():
    """With the same header; none is lost."""
    book = load(write_xlsx(SCHEMAS.tables(result_of(order(rows=7))), most_rows=3))
    assert book.sheetnames == ["records", "notes", "lines", "lines (2)", "lines (3)"]
    found = [row["_row_index"] for name in book.sheetnames[2:] for row in sheet_rows(book, name)]
    assert found == list(range(7))


def test_sheets_have_names_that_excel_takes():
    """31 characters, no brackets or slashes, none twice whatever the case."""
    from service.domain.schema import parse_schema

    array = {"type": "array", "items": {"type": "string"}}
    names = ["x" * 40, "x" * 41, "X" * 40, "a[1]/b:*?", "Records", "history", "'q'"]
    schema = parse_schema({"properties": dict.fromkeys(names, array)})
    content = export_result(result_of({}), SchemaSet.one(schema), ExportOptions(format=ExportFormat.XLSX)).content
    found = load(content).sheetnames
    assert len({name.casefold() for name in found}) == len(names) + 1
    assert all(len(name) <= 31 for name in found)


def test_parquet_has_types_confidence_and_places():
    """Beside each value: whether to trust it, why, as printed, page and corners."""
    table = parquet.read_table(io.BytesIO(export(order(), ExportFormat.PARQUET, low=("/total",))))
    kinds = {field.name: str(field.type) for field in table.schema}
    assert [kinds[name] for name in ("number", "date", "total", "pieces", "paid")] == [
        *("string", "date32[day]", "double", "int64", "bool"),
    ]
    (row,) = table.to_pylist()
    assert (row["date"], row["total"], row["pieces"], row["paid"]) == (dt.date(2026, 1, 31), -1234.5, 12, False)
    assert (row["total__confidence"], row["total__verdict"], row["total__page"]) == ("low", "found", 2)
    assert row["total__box"] == [0.1, 0.2, 0.3, 0.2, 0.3, 0.25, 0.1, 0.25]
    assert (row["seller.vat"], row["seller.vat__verdict"], row["seller.vat__box"]) == (None, "absent", None)


def test_parquet_keeps_a_value_of_another_type_as_text_beside():
    """Columns keep their types whatever a document holds."""
    values = order(date="soon", total="a dozen", pieces=2**70, paid="yes")
    (row,) = parquet.read_table(io.BytesIO(export(values, ExportFormat.PARQUET))).to_pylist()
    assert [row[name] for name in ("date", "total", "pieces", "paid")] == [None] * 4
    found = [row[f"{name}__raw"] for name in ("date", "total", "pieces", "paid")]
    assert found == ["soon", "a dozen", str(2**70), "yes"]


def test_an_empty_result_gives_headers(monkeypatch: pytest.MonkeyPatch):
    """A job that failed has tables without rows."""
    result = result_of({}) | {"records": []}
    for kind in ExportFormat:
        assert export_result(result, SCHEMAS, ExportOptions(format=kind)).content is not None
    assert csv_rows(export_result(result, SCHEMAS, ExportOptions(format=ExportFormat.CSV)).content) == []
    empty = export_result(result, SCHEMAS, ExportOptions(format=ExportFormat.PARQUET, table="/lines")).content
    assert parquet.read_table(io.BytesIO(empty)).num_rows == 0


def test_parquet_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"fieldmark\[parquet\]") as caught:
        export(order(), ExportFormat.PARQUET)
    assert caught.value.code is ErrorCode.OPTION_NOT_SUPPORTED


def test_a_table_that_is_not_there_is_refused_with_those_that_are():
    """By path."""
    with pytest.raises(InputError, match="'/notes', '/lines'"):
        export(order(), ExportFormat.CSV, table="lines")


def test_json_and_its_lines_hold_the_result():
    """A line for each record."""
    assert json.loads(export(order(), ExportFormat.JSON)) == result_of(order())
    (line,) = export(order(), ExportFormat.JSONL).splitlines()
    assert json.loads(line)["values"] == order()
    assert json.loads(export(order(), ExportFormat.JSON, table="/notes"))[1]["value"] == "b"


def test_files_are_named_after_the_document():
    """Whole sets have an ending for each table."""
    options = ExportOptions(format=ExportFormat.CSV, table="/lines")
    assert export_result(result_of(order()), SCHEMAS, options).name == "Bestellung Ä 7.lines.csv"
    names = [name for name, _ in export_tables(result_of(order()), SCHEMAS, ExportOptions(format=ExportFormat.CSV))]
    assert names == [".csv", ".notes.csv", ".lines.csv"]
    assert [n for n, _ in export_tables(result_of(order()), SCHEMAS, ExportOptions(format=ExportFormat.XLSX))] == [
        ".xlsx"
    ]
