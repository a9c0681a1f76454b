"""Batches over REST: the books balance, archives are guarded, nothing is taken twice."""

from __future__ import annotations

import csv
import io
import json
import stat
import zipfile
from collections.abc import Mapping
from typing import Any

import httpx
import openpyxl
import pytest

from tests.api.conftest import Starter
from tests.api.job_calls import SCHEMA, error_of, letter

API = "/api/v1"


def open_batch(client: httpx.Client, **said: object) -> str:
    """The id of a new batch."""
    answer = client.post(f"{API}/batches", json={"schema": SCHEMA, **said})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def archive(files: Mapping[str, bytes]) -> bytes:
    """A zip of files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return out.getvalue()


def send(client: httpx.Client, batch: str, data: bytes) -> httpx.Response:
    """Hand in an archive."""
    return client.post(f"{API}/batches/{batch}/archive", files={"file": ("pile.zip", data)})


def books(batch: Mapping[str, Any]) -> dict[str, int]:
    """What the counts say, once they were seen to add up."""
    counts = batch["counts"]
    assert counts["total"] == sum(counts["jobs"].values()) + counts["deleted"] + counts["refused"]
    return {name: count for name, count in counts["jobs"].items() if count} | {"refused": counts["refused"]}


def test_files_one_by_one_and_an_archive_are_counted_together(client: httpx.Client) -> None:
    """Then closed, waited for, and fetched as one table."""
    batch = open_batch(client, name="Monday", external_id="post-17", metadata={"desk": 4})
    files = {"file": ("one.pdf", letter("Letter number: A-1"))}
    assert client.post(f"{API}/jobs", files=files, data={"batch_id": batch}).status_code == 202
    pile = {f"in/{n}/letter.pdf": letter(f"Letter number: B-{n}") for n in range(3)}
    sent = send(client, batch, archive({**pile, "notes.bin": b"\x00\x01nothing", "__MACOSX/._x": b"x"})).json()
    assert {k: sent[k] for k in ("jobs", "refused", "repeated", "ignored")} == {
        "jobs": 3, "refused": 1, "repeated": 0, "ignored": 1,
    }  # fmt: skip
    closed = client.post(f"{API}/batches/{batch}/close").json()
    assert closed["state"] in ("closed", "finished")
    done = client.get(f"{API}/batches/{batch}?wait=100").json()
    assert (done["state"], done["name"], done["external_id"]) == ("finished", "Monday", "post-17")
    assert books(done) == {"succeeded": 4, "refused": 1}
    assert done["counts"]["pages"] == 4
    refused = client.get(f"{API}/batches/{batch}/refused").json()["refused"]
    assert [(entry["path"], entry["code"]) for entry in refused] == [("notes.bin", "unsupported_format")]
    listed = client.get(f"{API}/jobs", params={"batch": batch}).json()["jobs"]
    assert {job["batch_id"] for job in listed} == {batch}
    assert {job["options"]["priority"] for job in listed} == {"bulk"}
    rows = list(csv.DictReader(io.StringIO(client.get(f"{API}/batches/{batch}/result?format=csv").text, newline="")))
    assert [(row["_file"], row["number"]) for row in rows] == [
        ("one.pdf", "A-1"),
        *((name, f"B-{n}") for n, name in enumerate(pile)),
    ]


def test_an_archive_sent_twice_is_taken_once(client: httpx.Client) -> None:
    """Also what was refused of it; a file that changed is another one."""
    batch = open_batch(client)
    pile = {"a.pdf": letter("Letter number: A-1"), "b.pdf": letter("Letter number: A-1"), "c.txt": b""}
    first = send(client, batch, archive(pile)).json()
    again = send(client, batch, archive({**pile, "a.pdf": letter("Letter number: A-2")})).json()
    assert (first["jobs"], first["refused"], first["repeated"]) == (2, 1, 0)
    assert (again["jobs"], again["refused"], again["repeated"]) == (1, 0, 2)
    assert again["batch"]["counts"]["total"] == 4


def test_a_batch_takes_nothing_once_it_is_closed(client: httpx.Client) -> None:
    """Neither a job nor an archive."""
    batch = open_batch(client)
    client.post(f"{API}/batches/{batch}/close")
    assert client.post(f"{API}/batches/{batch}/close").json()["state"] == "finished"
    job = client.post(f"{API}/jobs", files={"file": ("a.pdf", letter())}, data={"batch_id": batch})
    pile = send(client, batch, archive({"a.pdf": letter()}))
    for answer in (job, pile):
        assert answer.status_code == 409
        assert error_of(answer)["code"] == "wrong_state"
    assert client.get(f"{API}/batches/{batch}").json()["counts"]["total"] == 0


def test_what_a_job_says_goes_before_what_its_batch_says(client: httpx.Client) -> None:
    """Its schema and each option; the rest is the batch's."""
    batch = open_batch(client, pages_per_chunk=3, absent="omit")
    own = {"name": "note", "schema": {"type": "object", "properties": {"to": {"type": "string"}}}}
    said = {"batch_id": batch, "schema": json.dumps(own), "absent": "null", "priority": "high"}
    job = client.post(f"{API}/jobs", files={"file": ("a.pdf", letter())}, data=said).json()
    assert job["schema"]["name"] == "note"
    assert {k: job["options"][k] for k in ("pages_per_chunk", "absent", "priority")} == {
        "pages_per_chunk": 3, "absent": "null", "priority": "high",
    }  # fmt: skip


def test_a_named_schema_is_held_at_the_version_it_had(client: httpx.Client) -> None:
    """All jobs of a batch are made alike, whenever they come."""
    client.put(f"{API}/schemas/note_of_batch", json=SCHEMA["schema"])
    batch = client.post(f"{API}/batches", json={"schema_ref": "note_of_batch"}).json()
    client.put(f"{API}/schemas/note_of_batch", json={"type": "object", "properties": {"x": {"type": "string"}}})
    files = {"file": ("a.pdf", letter())}
    job = client.post(f"{API}/jobs", files=files, data={"batch_id": batch["id"]}).json()
    assert job["schema"] == {"name": "note_of_batch", "version": 1}


@pytest.mark.parametrize(
    ("said", "status", "code", "param"),
    [
        ({"schema": {"type": "object", "properties": {"a": {"type": "nope"}}}}, 400, "invalid_schema", "/properties/a"),
        ({"schema_ref": "nothing"}, 404, "schema_not_found", "schema_ref"),
        ({"schema_ref": "invoice", "model": "nobody"}, 400, "unknown_model", "model"),
        ({"priority": "now"}, 400, "invalid_option", "priority"),
        ({"file_id": "file_1"}, 400, "invalid_option", "file_id"),
    ],
)
def test_a_batch_that_no_job_could_follow_is_refused(
    client: httpx.Client, said: dict[str, object], status: int, code: str, param: str
) -> None:
    """When it is opened, not with its first file."""
    answer = client.post(f"{API}/batches", json=said)
    assert answer.status_code == status
    error = error_of(answer)
    assert (error["code"], error["param"]) == (code, param)


def test_cancelling_ends_all_and_retrying_starts_what_is_not_done(start: Starter) -> None:
    """Both are said of the batch alone; a finished job is left as it is."""
    client, _ = start(working=False)
    batch = open_batch(client)
    send(client, batch, archive({f"{n}.pdf": letter(f"Letter number: {n}") for n in range(5)}))
    cancelled = client.post(f"{API}/batches/{batch}/cancel").json()
    assert books(cancelled) == {"cancelled": 5, "refused": 0}
    assert cancelled["state"] == "finished"
    again = client.post(f"{API}/batches/{batch}/retry")
    assert again.status_code == 202
    assert books(again.json()) == {"queued": 5, "refused": 0}
    deleted = client.get(f"{API}/jobs", params={"batch": batch}).json()["jobs"][0]["id"]
    client.delete(f"{API}/jobs/{deleted}")
    left = client.get(f"{API}/batches/{batch}").json()
    assert (left["counts"]["deleted"], left["counts"]["total"], left["state"]) == (1, 5, "closed")


def bomb() -> bytes:
    """A megabyte of nothing in a kilobyte, three times."""
    return archive({f"{n}.pdf": b"%PDF-1.4\n" + bytes(1_000_000) for n in range(3)})


def encrypted() -> bytes:
    """A zip whose file says that it is encrypted."""
    whole = bytearray(archive({"a.pdf": letter()}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        whole[whole.index(mark) + at] |= 1
    return bytes(whole)


def link() -> bytes:
    """A zip with a symbolic link to a file of the machine."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        entry = zipfile.ZipInfo("a.pdf")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(entry, "/etc/passwd")
    return out.getvalue()


def damaged() -> bytes:
    """A zip whose file does not fit its checksum."""
    whole = bytearray(archive({"a.pdf": letter(compressed=False)}))
    whole[60] ^= 0xFF
    return bytes(whole)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (encrypted(), "password_required"),
        (link(), "unsupported_format"),
        (damaged(), "damaged_file"),
        (archive({"inner.zip": archive({"a.pdf": letter()})}), "unsupported_format"),
        (archive({"../../a.pdf": b""}), "empty_file"),
    ],
    ids=["encrypted", "link", "damaged", "zip in zip", "empty, with a path that leads out"],
)
def test_a_file_that_cannot_be_taken_is_named_and_the_rest_goes_on(
    client: httpx.Client, data: bytes, code: str
) -> None:
    """The archive is taken; what is wrong with one file stands in the list."""
    batch = open_batch(client)
    sent = send(client, batch, data)
    assert sent.status_code == 200, sent.text
    assert (sent.json()["jobs"], sent.json()["refused"]) == (0, 1)
    assert [entry["code"] for entry in client.get(f"{API}/batches/{batch}/refused").json()["refused"]] == [code]
    assert send(client, batch, archive({"b.pdf": letter()})).json()["jobs"] == 1


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [(bomb(), 400, "file_too_large"), (b"PK\x03\x04 no zip", 422, "damaged_file"), (b"", 400, "empty_file")],
    ids=["bomb", "no zip", "empty"],
)
def test_an_archive_that_is_none_or_too_much_is_refused(start: Starter, data: bytes, status: int, code: str) -> None:
    """It is counted by what comes out of it, not by what it says; and no byte of it stays."""
    client, service = start(working=False, max_archive_bytes=1_500_000)
    answer = send(client, open_batch(client), data)
    assert answer.status_code == status
    error = error_of(answer)
    assert (error["code"], error["param"]) == (code, "file")
    kept = [path for path in (service.settings.home / "blobs").rglob("*") if path.is_file()]
    assert not any(path.read_bytes()[:2] == b"PK" for path in kept)


def test_a_document_that_is_a_zip_itself_survives_being_sent_as_an_archive(start: Starter) -> None:
    """An office file kept as an upload shares its bytes with the archive, and outlives it."""
    client, _ = start(working=False)
    out = io.BytesIO()
    openpyxl.Workbook().save(out)
    upload = client.post(f"{API}/files", files={"file": ("book.xlsx", out.getvalue())}).json()
    send(client, open_batch(client), out.getvalue())
    assert client.get(f"{API}/files/{upload['id']}/content").content == out.getvalue()


def test_batches_are_found_page_by_page(start: Starter) -> None:
    """Newest first."""
    client, _ = start(working=False)
    made = [open_batch(client, name=f"batch {n}") for n in range(5)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = client.get(f"{API}/batches", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        seen += [batch["id"] for batch in page["batches"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == made[::-1]


def test_a_batch_of_several_schemas_gives_a_table_for_each(client: httpx.Client) -> None:
    """Without a name it says which there are."""
    batch = open_batch(client)
    own = {"name": "note", "schema": {"type": "object", "properties": {"from": {"type": "string"}}}}
    files = {"file": ("a.pdf", letter("Letter number: L-1"))}
    client.post(f"{API}/jobs?wait=110", files=files, data={"batch_id": batch})
    client.post(f"{API}/jobs?wait=110", files=files, data={"batch_id": batch, "schema": json.dumps(own)})
    error = error_of(client.get(f"{API}/batches/{batch}/result"))
    assert error["param"] == "schema"
    assert "letter" in error["message"]
    assert "note" in error["message"]
    letters = client.get(f"{API}/batches/{batch}/result", params={"schema": "letter"}).json()
    assert [record["values"] for record in letters] == [{"number": "L-1"}]
    notes = client.get(f"{API}/batches/{batch}/result", params={"schema": "note", "format": "xlsx"}).content
    header, *rows = openpyxl.load_workbook(io.BytesIO(notes))["records"].values
    assert "from" in header
    assert len(rows) == 1


def test_what_is_not_there_is_said_by_name(client: httpx.Client) -> None:
    """On every route of a batch."""
    missing = f"{API}/batches/batch_none"
    answers = [client.get(missing), client.get(f"{missing}/refused"), client.get(f"{missing}/result")]
    answers += [client.post(f"{missing}/{action}") for action in ("close", "cancel", "retry")]
    answers.append(send(client, "batch_none", archive({"a.pdf": letter()})))
    answers.append(client.post(f"{API}/jobs", files={"file": ("a.pdf", letter())}, data={"batch_id": "batch_none"}))
    for answer in answers:
        assert answer.status_code == 404
        assert error_of(answer)["code"] == "batch_not_found"
