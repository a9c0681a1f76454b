"""Exports over REST: each record goes to a receiver once, is not lost on the way, and comes again when it changed."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from typing import Any

import anyio
import httpx
import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message, Scope

from service.api.routes.result_files import FileAnswer
from tests.api.job_calls import error_of, letter
from tests.fakes.local_service import LocalService

API = "/api/v1"


@pytest.fixture
def client(shared: tuple[httpx.Client, LocalService]) -> httpx.Client:
    """The shared service; each test has a schema of its own."""
    return shared[0]


def make(client: httpx.Client, schema: str, number: str, *, kind: str = "string") -> str:
    """The id of a job whose run is over."""
    fields = {"number": {"type": kind, "description": "Letter number"}}
    source = {"name": schema, "schema": {"type": "object", "properties": fields}}
    job = client.post(f"{API}/files", files={"file": ("a.pdf", letter(f"Letter number: {number}"))}).json()
    made = client.post(f"{API}/jobs?wait=110", json={"file_id": job["id"], "schema": source})
    assert made.status_code == 200, made.text
    return made.json()["job_id"]


def approve(client: httpx.Client, job: str) -> None:
    """As a reviewer does."""
    answer = client.post(f"{API}/jobs/{job}/approve", json={"accept_unseen": True})
    assert answer.status_code == 200, answer.text


def take(client: httpx.Client, schema: str, **said: object) -> dict[str, Any] | None:
    """The next export, or None if nothing is new."""
    answer = client.post(f"{API}/exports", json={"schema": schema, **said})
    assert answer.status_code in (201, 204), answer.text
    return answer.json() if answer.status_code == 201 else None


def rows(client: httpx.Client, export: dict[str, Any]) -> list[dict[str, str]]:
    """Its records as a receiver reads them."""
    text = client.get(export["links"]["content"], params={"format": "csv"}).text
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_what_was_approved_goes_once(client: httpx.Client) -> None:
    """Until it is confirmed the same is handed out again; afterwards only what is new."""
    schema = "once"
    first, second = make(client, schema, "A-1"), make(client, schema, "A-2")
    assert take(client, schema) is None
    approve(client, first)
    export = take(client, schema)
    assert export is not None
    assert export["jobs"] == 1
    approve(client, second)
    assert take(client, schema) == export
    held = rows(client, export)
    assert [(row["number"], row["_export_id"], row["_job_id"]) for row in held] == [("A-1", export["id"], first)]
    confirmed = client.post(export["links"]["confirm"]).json()
    assert confirmed["confirmed_at"] is not None
    assert client.post(export["links"]["confirm"]).json() == confirmed
    following = take(client, schema)
    assert following is not None
    assert [row["number"] for row in rows(client, following)] == ["A-2"]
    client.post(following["links"]["confirm"])
    assert take(client, schema) is None
    assert rows(client, export) == held


def test_a_number_of_any_length_goes_as_it_is(client: httpx.Client) -> None:
    """It neither loses digits nor keeps the others from going."""
    schema = "long_numbers"
    approve(client, make(client, schema, "1180591620717411303424", kind="integer"))
    export = take(client, schema)
    assert export is not None
    assert [row["number"] for row in rows(client, export)] == ["1180591620717411303424"]


def test_receivers_keep_books_of_their_own(client: httpx.Client) -> None:
    """What went to one is new for another."""
    schema = "two_receivers"
    approve(client, make(client, schema, "B-1"))
    for receiver in ("ledger", "archive"):
        export = take(client, schema, receiver=receiver)
        assert export is not None
        assert [row["number"] for row in rows(client, export)] == ["B-1"]
        client.post(export["links"]["confirm"])
        assert take(client, schema, receiver=receiver) is None


def test_a_record_that_is_corrected_afterwards_goes_again(client: httpx.Client) -> None:
    """With a higher revision, as approved anew; the first export still holds what it held."""
    schema = "corrected"
    job = make(client, schema, "C-1")
    approve(client, job)
    export = take(client, schema)
    assert export is not None
    client.post(export["links"]["confirm"])
    client.post(f"{API}/jobs/{job}/reopen")
    record = client.get(f"{API}/jobs/{job}/result").json()["records"][0]
    operation = {"id": "op-1", "op": "set", "record": record["id"], "path": "/number", "old": "C-1", "value": "C-9"}
    answer = client.post(f"{API}/jobs/{job}/corrections", json={"operations": [operation]})
    assert answer.status_code == 200, answer.text
    assert take(client, schema) is None
    approve(client, job)
    again = take(client, schema)
    assert again is not None
    before, after = rows(client, export)[0], rows(client, again)[0]
    assert (before["number"], after["number"]) == ("C-1", "C-9")
    assert int(after["_revision"]) > int(before["_revision"])
    exports = client.get(f"{API}/jobs/{job}").json()["exports"]
    assert [(e["export_id"], e["confirmed_at"] is not None) for e in exports] == [
        (export["id"], True),
        (again["id"], False),
    ]


def test_what_nobody_needs_to_look_at_can_go_too(client: httpx.Client) -> None:
    """`passed`: approved, or without a reason for a review."""
    schema = "passed"
    job = make(client, schema, "D-1")
    state = client.get(f"{API}/jobs/{job}").json()["review"]["state"]
    export = take(client, schema, release="passed")
    assert (export is not None) == (state == "not_needed")
    approve(client, job)
    whole = take(client, schema, release="passed")
    assert whole is not None
    assert [record["values"]["number"] for record in client.get(whole["links"]["content"]).json()] == ["D-1"]


def test_a_deleted_job_leaves_its_exports(client: httpx.Client) -> None:
    """No value of it can be fetched any more."""
    schema = "deleted"
    kept, gone = make(client, schema, "E-1"), make(client, schema, "E-2")
    approve(client, kept)
    approve(client, gone)
    export = take(client, schema)
    assert export is not None
    client.delete(f"{API}/jobs/{gone}")
    assert [row["number"] for row in rows(client, export)] == ["E-1"]


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv", "xlsx", "parquet"])
def test_an_export_comes_in_every_format(client: httpx.Client, kind: str) -> None:
    """Also one that holds nothing any more."""
    schema = f"format_{kind}"
    job = make(client, schema, "F-1")
    approve(client, job)
    export = take(client, schema)
    assert export is not None
    answer = client.get(export["links"]["content"], params={"format": kind})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="{export["id"]}.{kind}"')
    client.delete(f"{API}/jobs/{job}")
    empty = client.get(export["links"]["content"], params={"format": kind})
    assert empty.status_code == 200
    assert len(empty.content) < len(answer.content)


@pytest.mark.parametrize("leaves", [True, False])
def test_a_file_is_closed_once_it_is_answered(leaves: bool) -> None:
    """By whoever sends it, also when the caller is gone before the first byte."""
    file = io.BytesIO(b"a,b")
    sent: list[Message] = []

    async def send(message: Message) -> None:
        if leaves:
            raise OSError("gone")
        sent.append(message)

    async def receive() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    answer = FileAnswer(file, "text/csv", {})
    scope: Scope = {"type": "http", "method": "GET", "asgi": {"spec_version": "2.4"}}
    with suppress(ClientDisconnect):
        anyio.run(answer, scope, receive, send)
    assert file.closed
    assert b"".join(message.get("body", b"") for message in sent) == (b"" if leaves else b"a,b")


def test_bad_questions_are_refused(client: httpx.Client) -> None:
    """What is wrong, which one."""
    for said, param in (
        ({}, "schema"),
        ({"schema": "x", "release": "all"}, "release"),
        ({"schema": "x", "most": 0}, "most"),
    ):
        answer = client.post(f"{API}/exports", json=said)
        assert answer.status_code == 400
        assert error_of(answer)["param"] == param
    for path in ("", "/content"):
        assert error_of(client.get(f"{API}/exports/export_none{path}"))["code"] == "export_not_found"
    assert error_of(client.post(f"{API}/exports/export_none/confirm"))["code"] == "export_not_found"
