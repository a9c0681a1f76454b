"""Forms as they come over the wire: in any pieces, whole or broken."""

from __future__ import annotations

from collections.abc import Iterable

import httpx
import pytest

from tests.fakes.local_service import SAMPLES, LocalService

PDF = (SAMPLES / "form" / "document.pdf").read_bytes()
SCHEMA = b'{"type":"object","properties":{"a":{"type":"string"}}}'
HEADERS = {"Content-Type": "multipart/form-data; boundary=b0"}


def part(name: str, value: bytes, more: str = "") -> bytes:
    """One part of a form."""
    return f'--b0\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + value + b"\r\n"


FILE = part("file", PDF, '; filename="a.pdf"')
END = b"--b0--\r\n"


def send(client: httpx.Client, body: bytes | Iterable[bytes], path: str = "/api/v1/jobs") -> httpx.Response:
    """Post it as it is."""
    return client.post(path, content=body, headers=HEADERS)


@pytest.mark.parametrize("order", ["before", "behind"])
def test_fields_may_stand_before_or_behind_the_file(idle: tuple[httpx.Client, LocalService], order: str) -> None:
    """Clients write them as they like."""
    fields = part("schema", SCHEMA) + part("external_id", b"x-1")
    body = fields + FILE + END if order == "before" else FILE + fields + END
    answer = send(idle[0], body)
    assert answer.status_code == 202, answer.text
    assert answer.json()["external_id"] == "x-1"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_pieces_in_which_a_body_comes_do_not_matter(idle: tuple[httpx.Client, LocalService], size: int) -> None:
    """A boundary may be cut anywhere."""
    body = FILE[:200] + b"\r\n--b" + FILE[200:400] + b"\r\n" + part("schema", SCHEMA) + END
    pieces = (body[at : at + size] for at in range(0, len(body), size))
    answer = send(idle[0], pieces)
    assert answer.status_code == 202, answer.text


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (FILE, "ends before"),
        (FILE + part("schema", SCHEMA), "ends before"),
        (b"no form at all", "malformed"),
        (FILE + FILE + END, "one file"),
        (FILE + part("schema", SCHEMA) + part("schema", SCHEMA) + END, "once"),
        (b"".join(part(f"f{n}", b"1") for n in range(70)) + END, "64"),
        (part("external_id", b"\xff\xfe") + END, "UTF-8"),
        (part("external_id", b"x" * 5_000_000) + END, "larger than"),
        (part("document", b"%PDF-1.7\n%\xe2\xe3", '; filename="a.pdf"') + END, "sent as the field `file`"),
        (part("document", b"x" * 5_000_000, '; filename="a.pdf"') + END, "sent as the field `file`"),
        (b"--b0\r\nContent-Type: text/plain\r\n\r\nx\r\n" + END, "no name"),
    ],
)
def test_a_broken_form_is_told_so(bare: tuple[httpx.Client, LocalService], body: bytes, why: str) -> None:
    """And nothing is made of it."""
    client, _ = bare
    answer = send(client, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request_body")
    assert why in answer.json()["error"]["message"]
    assert client.get("/api/v1/jobs").json()["jobs"] == []


def test_a_schema_may_be_sent_as_a_file_and_a_file_without_a_name(idle: tuple[httpx.Client, LocalService]) -> None:
    """As command line tools and programs do."""
    client, _ = idle
    answer = send(client, part("schema", SCHEMA, '; filename="schema.json"') + part("file", PDF) + END)
    assert answer.status_code == 202, answer.text
    assert client.get(answer.json()["links"]["file"]).json()["name"] == "document"


def test_a_form_without_boundary_is_told_so(bare: tuple[httpx.Client, LocalService]) -> None:
    """The header, not the body, is at fault."""
    answer = bare[0].post("/api/v1/files", content=FILE + END, headers={"Content-Type": "multipart/form-data"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request_body")


def test_an_upload_takes_no_other_field(bare: tuple[httpx.Client, LocalService]) -> None:
    """An option that would be ignored is refused."""
    answer = send(bare[0], FILE + part("model", b"embedded") + END, "/api/v1/files")
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "model")


@pytest.mark.parametrize("path", ["/api/v1/jobs", "/api/v1/files"])
def test_a_file_whose_request_comes_to_nothing_is_not_kept(bare: tuple[httpx.Client, LocalService], path: str) -> None:
    """Nobody would ever delete it."""
    client, service = bare
    for rest in (part("schema", b"{") + END, part("colour", b"red") + END, b""):
        assert send(client, FILE + rest, path).status_code == 400
    assert not [p for p in (service.settings.home / "blobs").rglob("*") if p.is_file()]


def test_a_connection_that_breaks_leaves_nothing(idle: tuple[httpx.Client, LocalService]) -> None:
    """Half a file is no file."""
    client, service = idle

    def breaking() -> object:
        yield FILE[: len(FILE) // 2]
        raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        send(client, breaking())
    assert client.get("/api/v1/jobs").json()["jobs"] == []
    assert not [p for p in (service.settings.home / "blobs").rglob("*") if p.is_file()]
