"""Uploads, their bytes, words and pictures."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import httpx
import pytest
from PIL import Image

from service.api.routes.files import download_name
from tests.fakes.local_service import SAMPLES, LocalService

INVOICE = (SAMPLES / "invoice" / "document.pdf").read_bytes()


def upload(client: httpx.Client, data: bytes, name: str = "invoice.pdf") -> dict[str, Any]:
    """What POST /files says of it."""
    answer = client.post("/api/v1/files", files={"file": (name, data)})
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.fixture
def read_file(client: httpx.Client) -> str:
    """An upload that a job has read."""
    schema = (SAMPLES / "invoice" / "schema.json").read_text()
    answer = client.post("/api/v1/jobs?wait=110", files={"file": ("a.pdf", INVOICE)}, data={"schema": schema})
    assert answer.status_code == 200, answer.text
    return answer.json()["file"]["id"]


def test_an_upload_is_hashed_measured_and_its_kind_is_found(client: httpx.Client) -> None:
    """By its bytes: the name says something else."""
    file = upload(client, INVOICE, "holiday.jpg")
    assert hashlib.sha256(INVOICE).hexdigest() == file["sha256"]
    assert len(INVOICE) == file["size_bytes"]
    assert file["kind"] == "pdf"
    assert client.get(file["links"]["self"]).json() == file


@pytest.mark.parametrize("name", ['résumé "x".pdf', "日本語.pdf", "../../etc/passwd", "a;b=c.pdf", "x" * 200])
def test_a_name_of_any_kind_comes_back_and_the_bytes_are_a_download(client: httpx.Client, name: str) -> None:
    """A name is for show: it is no path, and no header is broken by it."""
    file = upload(client, INVOICE, name)
    assert name == file["name"]
    answer = client.get(file["links"]["content"])
    assert answer.content == INVOICE
    assert answer.headers["content-disposition"].startswith("attachment; filename")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"] == "application/pdf"


def test_a_name_is_sent_in_the_form_of_rfc_8187(client: httpx.Client) -> None:
    """Every browser saves it under its own letters."""
    file = upload(client, INVOICE, 'résumé "x".pdf')
    sent = client.get(file["links"]["content"]).headers["content-disposition"]
    assert "filename*=utf-8''r%C3%A9sum%C3%A9%20%22x%22.pdf" in sent


@pytest.mark.parametrize(
    ("name", "saved_as"),
    [("../../etc/passwd", "passwd"), ("C:\\tmp\\a.pdf", "a.pdf"), ("..", "document"), ("", "document"), (".a", "a")],
)
def test_a_download_never_names_a_folder(name: str, saved_as: str) -> None:
    """Whatever system the name came from."""
    assert saved_as == download_name(name)


def test_a_range_of_a_file_can_be_fetched(client: httpx.Client) -> None:
    """As viewers of large files do."""
    link = upload(client, INVOICE)["links"]["content"]
    answer = client.get(link, headers={"Range": "bytes=0-4"})
    assert answer.status_code == 206
    assert answer.content == b"%PDF-"


def test_words_stand_where_they_are_printed(client: httpx.Client, read_file: str) -> None:
    """Fractions of the page as displayed."""
    page = client.get(f"/api/v1/files/{read_file}/pages/1").json()
    assert page["text"] == "digital"
    assert page["width"] == pytest.approx(595.3, abs=1)
    assert page["words"]
    for word in page["words"]:
        assert all(0 <= point[axis] <= 1 for point in word["coordinates"] for axis in "xy")


def test_a_picture_has_the_size_that_was_asked_for(client: httpx.Client, read_file: str) -> None:
    """Dots per inch of the page, and a crop of it."""
    whole = client.get(f"/api/v1/files/{read_file}/pages/1/image?dpi=72")
    part = client.get(f"/api/v1/files/{read_file}/pages/1/image?dpi=72&crop=0,0,0.5,0.25&format=webp")
    assert whole.headers["content-type"] == "image/jpeg"
    assert part.headers["content-type"] == "image/webp"
    width, height = Image.open(io.BytesIO(whole.content)).size
    assert (width, height) == (pytest.approx(595, abs=2), pytest.approx(842, abs=2))
    assert Image.open(io.BytesIO(part.content)).size == (
        pytest.approx(width / 2, abs=2),
        pytest.approx(height / 4, abs=2),
    )


@pytest.mark.parametrize("query", ["dpi=300", "dpi=x", "crop=0,0,1", "crop=0.5,0,0.5,1", "crop=0,0,2,1", "format=png"])
def test_pictures_of_other_kinds_are_refused(client: httpx.Client, read_file: str, query: str) -> None:
    """A fixed list: nobody can make the service draw without end."""
    answer = client.get(f"/api/v1/files/{read_file}/pages/1/image?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_option"
    assert answer.json()["error"]["param"] == query.partition("=")[0]


def test_a_page_before_any_job_is_too_early(client: httpx.Client) -> None:
    """And says when to come back."""
    answer = client.get(upload(client, INVOICE)["links"]["self"] + "/pages/1")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_finished")
    assert answer.headers["retry-after"] == "1"


def test_pages_and_files_that_do_not_exist_are_named(client: httpx.Client, read_file: str) -> None:
    """Counting from 1."""
    answer = client.get(f"/api/v1/files/{read_file}/pages/99")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "page_not_found")
    for path, code in [
        (f"{read_file}/pages/0", "page_not_found"),
        (f"{read_file}/pages/first", "page_not_found"),
        ("file_none", "file_not_found"),
        ("%00", "file_not_found"),
        ("x" * 3000, "file_not_found"),
    ]:
        answer = client.get(f"/api/v1/files/{path}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, code)


def kept_blobs(service: LocalService) -> set[str]:
    """Names of all blobs in the store."""
    return {path.name for path in (service.settings.home / "blobs").rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (b"", 400, "empty_file"),
        (b"not a document, whatever its name", 415, "unsupported_format"),
        (b"%PDF-1.7\n" + bytes(2000), 400, "file_too_large"),
    ],
)
def test_a_bad_file_is_refused_and_not_kept(start: Any, data: bytes, status: int, code: str) -> None:
    """Nothing of it stays in the store."""
    client, service = start(working=False, max_file_bytes=1000)
    answer = client.post("/api/v1/files", files={"file": ("a.pdf", data)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert kept_blobs(service) == set()
