"""`--format` of extract and batch: what people write is read back."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner

from service.cli.main import app
from service.domain.errors import InputError
from tests.unit.cli.running import run

SAMPLES = Path(__file__).parents[3] / "samples"


def test_extract_writes_a_workbook_and_a_table_of_csv(home: Path):
    """The ending of the file says the format."""
    form = SAMPLES / "form"
    run("extract", form / "document.pdf", "--schema", form / "schema.json", "--out", home / "a.xlsx")
    book = openpyxl.load_workbook(home / "a.xlsx")
    header, row = book["records"].values
    wanted = json.loads((form / "expected.json").read_text())["records"][0]["values"]
    assert dict(zip(header, row, strict=True))["applicant_name"] == wanted["applicant_name"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--bom",), "--format"),
        (("--format", "xlsx", "--bom"), "csv alone"),
        (("--format", "csv", "--decimal-comma", "--separator", "comma"), "another separator"),
        (("--format", "csv", "--table", "/nothing"), "There is no table"),
        (("--out", "a.docx"), "--format"),
    ],
)
def test_flags_that_cannot_be_are_refused_before_any_work(home: Path, flags: tuple[str, ...], said: str):
    """And no job is made."""
    form = SAMPLES / "form"
    arguments = ["extract", str(form / "document.pdf"), "--schema", str(form / "schema.json"), *flags]
    caught = CliRunner().invoke(app, arguments).exception
    assert isinstance(caught, InputError)
    assert said in caught.message
    assert not list((home / "home").rglob("blobs/*/*")), "the file was handed in"
