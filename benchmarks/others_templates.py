"""invoice2data with the templates that it comes with, its answers brought to a schema's names."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any

from price_parser import Price

from service.domain.records import Json, JsonObject
from service.domain.schema import FieldType, SchemaField

PROGRAM = "pdftotext"
"""A program that its templates were written for; it is no Python package."""
NAMES = {
    "issuer": ("partner_name", "issuer"),
    "seller_name": ("partner_name", "issuer"),
    "company": ("partner_name", "issuer"),
    "total_gross": ("amount",),
    "total": ("amount",),
    "total_net": ("amount_untaxed",),
    "total_tax": ("amount_tax",),
    "vat_id": ("vat",),
    "seller_vat_id": ("vat",),
    "due_date": ("date_due", "due_date"),
    "check_in": ("date_check_in",),
    "check_out": ("date_check_out",),
    "lines": ("lines", "line_items"),
    "description": ("name", "desc"),
    "quantity": ("qty",),
    "unit_price": ("price", "price_unit"),
}
"""Name in a schema → names in the templates, for fields that mean the same."""


class TemplateReader:
    """The library with its templates, loaded once."""

    def __init__(self) -> None:
        from invoice2data.extract.loader import read_templates

        logging.getLogger("invoice2data").setLevel(logging.CRITICAL)  # it tells every template that does not match
        self._templates = read_templates()

    def extract(self, root: SchemaField, path: Path, text: str = "") -> JsonObject:
        """What its own readers and templates find in a PDF; a picture, which it cannot read, is handed over as text."""
        from invoice2data import extract_data

        if not text:
            return record_of(root, extract_data(str(path), self._templates))
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "page.txt"
            place.write_text(text, encoding="utf-8")
            return record_of(root, extract_data(str(place), self._templates, "text"))


def has_program() -> bool:
    """Whether the program that its templates were written for is installed."""
    return shutil.which(PROGRAM) is not None


@contextmanager
def without_programs() -> Generator[None]:
    """As on a machine with nothing but Python packages."""
    path = os.environ.pop("PATH", "")
    os.environ["PATH"] = ""
    try:
        yield
    finally:
        os.environ["PATH"] = path


def record_of(root: SchemaField, found: Mapping[str, Any]) -> JsonObject:
    """An answer of the library under a schema's names and in its types."""
    record: JsonObject = {}
    for field in root.properties:
        names = NAMES.get(field.name, (field.name,))
        if field.name == "amount" and root.property("unit_price") is None:
            names = ("amount", "price", "price_unit")  # a row with one number
        value = next((found[name] for name in names if found.get(name)), None)
        if value is not None:
            record[field.name] = _value(field, value)
    return record


def _value(field: SchemaField, value: object) -> Json:
    if field.type is FieldType.ARRAY:
        item, rows = field.items, value if isinstance(value, list) else []
        found: list[Json] = [record_of(item, row) for row in rows if isinstance(row, dict)] if item else []
        return found
    if isinstance(value, (date, datetime)):
        return value.isoformat()[:10]
    if field.type in (FieldType.NUMBER, FieldType.INTEGER):
        return Price.fromstring(str(value)).amount_float
    return str(value).splitlines()[0]  # of a description, the first line is the name of the article
