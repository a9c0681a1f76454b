"""The samples' truth is what their generator says, today as on the day it was written."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pytest
from PIL import Image

from service.domain.schema import FieldType, SchemaField, parse_schema, walk_leaves

SAMPLES = Path(__file__).parents[3] / "samples"
NAMES = ("bank_statement", "bound_invoices", "form", "invoice", "mixed", "receipt")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the generator has just filled."""
    out = tmp_path_factory.mktemp("samples")
    subprocess.run([sys.executable, str(SAMPLES / "make.py"), "--out", str(out)], check=True, capture_output=True)
    return out


def read(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def records(name: str) -> list[dict[str, Any]]:
    """The records of a sample's truth."""
    return read(SAMPLES / name / "expected.json")["records"]


def page_texts(pdf: Path) -> list[str]:
    """The text layer, page by page."""
    with pdfium.PdfDocument(pdf) as document:
        return [page.get_textpage().get_text_range() for page in document]


def cents(value: float) -> Decimal:
    """A float of the truth as the decimal it was written as."""
    return Decimal(str(value))


def at(values: Any, pointer: str) -> Any:
    """The value a JSON Pointer leads to."""
    for token in pointer.split("/")[1:]:
        values = values[int(token)] if isinstance(values, list) else values[token]
    return values


def is_date(value: str) -> bool:
    """Printed in its country's way, so not letter by letter."""
    return re.fullmatch(r"\d{4}-\d\d-\d\d", value) is not None


def letters(text: str) -> str:
    """What remains without spaces and punctuation."""
    return "".join(c for c in text if c.isalnum())


def text_under(page: pdfium.PdfPage, box: list[float]) -> str:
    """What PDFium reads inside a box, a point wider on each side."""
    width, height = page.get_size()
    x0, y0, x1, y1 = box
    words = page.get_textpage()
    return words.get_text_bounded(x0 * width - 1, (1 - y1) * height - 1, x1 * width + 1, (1 - y0) * height + 1)


def test_the_folder_holds_exactly_the_samples_that_are_made(made: Path) -> None:
    """No sample is left behind by a generator that was renamed."""
    assert sorted(p.name for p in made.iterdir()) == sorted(NAMES)
    assert {p.parent.name for p in SAMPLES.glob("*/expected.json")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_generator_reproduces_what_is_committed(made: Path, name: str) -> None:
    """Truth, schema and story byte for byte; the document by its text, or its size where it is a picture."""
    for file in ("expected.json", "schema.json", "SOURCE.md"):
        assert (SAMPLES / name / file).read_bytes() == (made / name / file).read_bytes()
    if name == "receipt":
        with Image.open(SAMPLES / name / "document.jpg") as old, Image.open(made / name / "document.jpg") as new:
            assert old.size == new.size
    else:
        pdf = f"{name}/document.pdf"
        assert page_texts(SAMPLES / pdf) == page_texts(made / pdf)


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_accepted_and_describes_every_field(name: str) -> None:
    """A stranger reads in the schema what each field means."""

    def undescribed(field: SchemaField) -> list[str]:
        below = [*field.properties, *([field.items] if field.items and not field.items.is_leaf else [])]
        own = [] if field.description or field.type is FieldType.OBJECT else [field.name]
        return own + [name for child in below for name in undescribed(child)]

    schema = parse_schema(read(SAMPLES / name / "schema.json"))
    assert undescribed(schema.root) == []
    assert schema.checks
    for record in records(name):
        assert list(record["values"]) == [p.name for p in schema.root.properties]


@pytest.mark.parametrize("name", NAMES)
def test_every_printed_value_has_a_place_on_one_of_its_records_pages(name: str) -> None:
    """Null has no place; everything else has one, inside the page."""
    for record in records(name):
        printed = {path for path, value in walk_leaves(record["values"]) if value is not None}
        assert printed == set(record["locations"])
        for place in record["locations"].values():
            x0, y0, x1, y1 = place["box"]
            assert place["page"] in record["pages"]
            assert 0 <= x0 < x1 <= 1
            assert 0 <= y0 < y1 <= 1


@pytest.mark.parametrize("name", [n for n in NAMES if n != "receipt"])
def test_the_text_in_a_box_is_the_value(name: str) -> None:
    """On pages with a text layer each box holds its string and hardly more."""
    checked = 0
    with pdfium.PdfDocument(SAMPLES / name / "document.pdf") as document:
        for record in records(name):
            for path, place in record["locations"].items():
                value = at(record["values"], path)
                words = document[place["page"] - 1].get_textpage()
                if not isinstance(value, str) or is_date(value) or not words.count_chars():
                    continue
                printed = letters(text_under(document[place["page"] - 1], place["box"]))
                assert letters(value) in printed
                assert len(printed) <= len(letters(value)) + 10
                checked += 1
    assert checked >= 4


@pytest.mark.parametrize("name", ["invoice", "bound_invoices"])
def test_invoices_add_up(name: str) -> None:
    """Lines, subtotal, tax and total agree to the cent."""
    for record in records(name):
        values = record["values"]
        for line in values["lines"]:
            assert cents(line["quantity"]) * cents(line["unit_price"]) == cents(line["amount"])
        assert sum(cents(line["amount"]) for line in values["lines"]) == cents(values["subtotal"])
        assert cents(values["subtotal"]) + cents(values["tax"]) == cents(values["total"])
        assert values["invoice_date"] <= values["due_date"]


def test_receipt_adds_up() -> None:
    """Items make the total, and so do net and tax; the change is right."""
    values = records("receipt")[0]["values"]
    assert sum(cents(item["amount"]) for item in values["items"]) == cents(values["total"])
    assert cents(values["net"]) + cents(values["tax"]) == cents(values["total"])
    assert cents(values["cash_given"]) - cents(values["total"]) == cents(values["change"])


def test_bank_statement_has_sixty_rows_with_a_running_balance() -> None:
    """Each balance follows from the one before it."""
    record = records("bank_statement")[0]
    values = record["values"]
    balance = cents(values["opening_balance"])
    for row in values["transactions"]:
        balance += cents(row["amount"])
        assert balance == cents(row["balance"])
    assert balance == cents(values["closing_balance"])
    assert len(values["transactions"]) == 60
    assert len(record["pages"]) >= 3


def test_bound_records_cover_the_file_without_overlap() -> None:
    """Three documents, every page in exactly one."""
    pages = [page for record in records("bound_invoices") for page in record["pages"]]
    assert pages == list(range(1, len(page_texts(SAMPLES / "bound_invoices/document.pdf")) + 1))
    assert len(records("bound_invoices")) == 3


def test_mixed_has_one_digital_and_one_scanned_page() -> None:
    """Only the first page has letters."""
    first, second = page_texts(SAMPLES / "mixed/document.pdf")
    assert "HM-0093" in first
    assert second == ""


def test_all_samples_together_stay_small() -> None:
    """A clone stays quick."""
    assert sum(p.stat().st_size for p in SAMPLES.rglob("*") if p.is_file()) <= 2_000_000
