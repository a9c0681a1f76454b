"""Results as files, over the route that people download them from."""

from __future__ import annotations

import csv
import io
from typing import Any
from urllib.parse import unquote

import httpx
import openpyxl
import pyarrow.parquet as parquet
import pytest

from service.api.routes.result_files import content_disposition
from tests.api.job_calls import error_of, sample


@pytest.fixture(scope="module")
def job(shared: tuple[httpx.Client, object]) -> dict[str, Any]:
    """The result of the sample invoice, under a name of another script."""
    data, schema = sample("invoice")
    files = {"file": ("Rechnung № 7.pdf", data)}
    answer = shared[0].post("/api/v1/jobs?wait=100", files=files, data={"schema": schema})
    assert answer.status_code == 200, answer.text
    return answer.json()


def fetch(client: httpx.Client, job: dict[str, Any], query: str) -> httpx.Response:
    """The result in a format."""
    answer = client.get(f"/api/v1/jobs/{job['job_id']}/result?{query}")
    assert answer.status_code == 200, answer.text
    return answer


def test_every_format_has_the_lines_of_the_json(client: httpx.Client, job: dict[str, Any]) -> None:
    """Types and values."""
    lines = job["records"][0]["values"]["lines"]
    assert len(lines) > 1
    wanted = [(line["description"], line["amount"]) for line in lines]
    rows = csv.DictReader(io.StringIO(fetch(client, job, "format=csv&table=/lines").text, newline=""))
    assert [(row["description"], float(row["amount"])) for row in rows] == wanted
    header, *cells = openpyxl.load_workbook(io.BytesIO(fetch(client, job, "format=xlsx").content))["lines"].values
    columns = [header.index("description"), header.index("amount")]
    assert [tuple(row[n] for n in columns) for row in cells] == wanted
    table = parquet.read_table(io.BytesIO(fetch(client, job, "format=parquet&table=/lines").content)).to_pylist()
    assert [(row["description"], row["amount"]) for row in table] == wanted
    assert all(row["amount__page"] and len(row["amount__box"]) == 8 for row in table)
    assert fetch(client, job, "format=json&table=/lines").json()[0]["description"] == wanted[0][0]


def test_a_workbook_leads_back_to_this_service(client: httpx.Client, job: dict[str, Any]) -> None:
    """To the job in the review screen."""
    sheet = openpyxl.load_workbook(io.BytesIO(fetch(client, job, "format=xlsx").content))["records"]
    target = sheet["C2"].hyperlink.target
    assert target == f"{client.base_url}/review/{job['job_id']}"


@pytest.mark.parametrize(
    ("query", "media_type", "name"),
    [
        ("format=csv", "text/csv", "Rechnung № 7.csv"),
        ("format=csv&table=/lines", "text/csv", "Rechnung № 7.lines.csv"),
        ("format=xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "Rechnung № 7.xlsx"),
        ("format=parquet", "application/vnd.apache.parquet", "Rechnung № 7.parquet"),
        ("format=jsonl", "application/jsonl", "Rechnung № 7.jsonl"),
    ],
)
def test_a_file_has_a_type_and_the_documents_name(
    client: httpx.Client, job: dict[str, Any], query: str, media_type: str, name: str
) -> None:
    """Whatever the script of the name."""
    answer = fetch(client, job, query)
    assert answer.headers["content-type"].partition(";")[0] == media_type
    plain, exact = answer.headers["content-disposition"].split("; ")[1:]
    assert plain == f'filename="{name.replace("№", "_")}"'
    assert unquote(exact.removeprefix("filename*=UTF-8''")) == name


def test_the_dialect_is_taken(client: httpx.Client, job: dict[str, Any]) -> None:
    """A decimal comma brings the semicolon along."""
    text = fetch(client, job, "format=csv&decimal=comma&bom=true").content
    assert text.startswith(b"\xef\xbb\xbf_job_id;_file;")
    total = str(job["records"][0]["values"]["total"]).replace(".", ",")
    assert total in text.decode().split("\r\n")[1].split(";")


def test_a_table_that_is_not_there_is_named(client: httpx.Client, job: dict[str, Any]) -> None:
    """With those that are."""
    answer = client.get(f"/api/v1/jobs/{job['job_id']}/result?format=csv&table=lines")
    assert (answer.status_code, error_of(answer)["param"]) == (400, "table")
    assert "'/lines'" in error_of(answer)["message"]


@pytest.mark.parametrize("name", ['a"b\\c%.csv', "a\r\nSet-Cookie: x.csv", "x'y; z.csv", "\ud800.csv", "简体.csv"])
def test_no_name_breaks_out_of_its_header(name: str) -> None:
    """Quotes, line ends, half characters."""
    header = content_disposition(name)
    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2
    assert " " not in header.partition("filename*=")[2]
