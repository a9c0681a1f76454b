"""Workbooks and CSV as LibreOffice reads them: types stay, and no text runs as a formula."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from service.exports.files import export_result
from service.exports.formats import ExportFormat, ExportOptions
from tests.unit.exports.results import LIVE, SCHEMAS, order, result_of

SOFFICE = shutil.which("soffice")
# Every sheet, values as they are stored and not as they are shown; of a formula its result.
AS_CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"
# A program of several hundred MB: what it would find is also asserted with openpyxl, pandas and csv, which always run.
pytestmark = pytest.mark.skipif(SOFFICE is None, reason="LibreOffice (soffice) is not installed here")


def convert(file: Path) -> dict[str, list[dict[str, str]]]:
    """The sheets of a file by name, after LibreOffice opened it and wrote them out."""
    out = file.parent / "out"
    profile = f"-env:UserInstallation={(file.parent / 'profile').as_uri()}"
    read_as = (
        ["--infilter=CSV:44,34,76,1"] if file.suffix == ".csv" else []
    )  # UTF-8: without a person nobody chooses it
    command = [str(SOFFICE), "--headless", profile, *read_as, "--convert-to", AS_CSV, "--outdir", str(out), str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    sheets: dict[str, list[dict[str, str]]] = {}
    for path in out.glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as opened:
            sheets[path.stem.removeprefix(f"{file.stem}-")] = list(csv.DictReader(opened))
    return sheets


def test_a_workbook_keeps_its_values(tmp_path: Path) -> None:
    """Numbers, days, text of any script, long tables."""
    values = order(rows=300)
    file = tmp_path / "a.xlsx"
    file.write_bytes(export_result(result_of(values), SCHEMAS, ExportOptions(format=ExportFormat.XLSX)).content)
    sheets = convert(file)
    found = [(row["what"], float(row["price"]), row["day"]) for row in sheets["lines"]]
    assert found == [(line["what"], line["price"], line["day"]) for line in values["lines"]]
    (record,) = sheets["records"]
    assert (record["number"], record["date"], float(record["total"])) == ("007", "2026-01-31", -1234.5)


@pytest.mark.parametrize("kind", [ExportFormat.XLSX, ExportFormat.CSV])
def test_no_text_runs_as_a_formula(tmp_path: Path, kind: ExportFormat) -> None:
    """What looks like one comes out as it went in; a sum would come out as its result."""
    live = [text for text in LIVE if "\r" not in text and "\t" not in text]
    values = order(lines=[{"what": text, "price": -2, "day": None} for text in live])
    file = tmp_path / f"a.{kind}"
    options = ExportOptions(format=kind, table="/lines")
    file.write_bytes(export_result(result_of(values), SCHEMAS, options).content)
    (rows,) = convert(file).values()
    prefix = "'" if kind is ExportFormat.CSV else ""
    assert [row["what"] for row in rows] == [prefix + text for text in live]
    assert {float(row["price"]) for row in rows} == {-2.0}
