"""Jobs from hand-in to result, on the sample documents."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.api.job_calls import SCHEMA, error_of, hand_in, letter, sample
from tests.fakes.http_server import http_server
from tests.fakes.local_service import LocalService


def leaves(value: Any, path: str = "") -> list[str]:
    """JSON Pointer of every scalar."""
    if isinstance(value, dict):
        return [leaf for key, child in value.items() for leaf in leaves(child, f"{path}/{key}")]
    if isinstance(value, list):
        return [leaf for index, child in enumerate(value) for leaf in leaves(child, f"{path}/{index}")]
    return [path]


@pytest.mark.parametrize("name", ["invoice", "bank_statement", "receipt"])
def test_a_sample_comes_back_with_a_place_for_every_value(client: httpx.Client, name: str) -> None:
    """One request: the file goes in, the record comes out."""
    data, schema = sample(name)
    answer = hand_in(client, data, "?wait=100", schema=schema)
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert result["status"] == "succeeded"
    record = result["records"][0]
    assert set(leaves(record["values"])) == set(record["fields"])
    found = [field for field in record["fields"].values() if field["verdict"] == "found" and field["page"]]
    assert found
    assert all(len(field["coordinates"]) == 4 for field in found)
    assert [row["page"] for row in result["coverage"]] == [page["page"] for page in result["file"]["pages"]]
    assert answer.headers["cache-control"] == "no-store"


def test_a_job_is_taken_at_once_and_found_under_its_location(client: httpx.Client) -> None:
    """202 says where; waiting there says when it is over."""
    answer = hand_in(
        client, letter(), external_id="order-17", metadata='{"team": "accounts", "run": 98765432109876543210}'
    )
    assert answer.status_code == 202
    name = answer.json()["file_name"]
    assert client.get(answer.json()["links"]["file"]).json()["name"] == name
    job = client.get(answer.headers["location"], params={"wait": 110}).json()
    assert job["status"] == "succeeded"
    (listed,) = client.get("/api/v1/jobs", params={"external_id": "order-17"}).json()["jobs"]
    for told in (job, listed):
        assert (told["file_name"], told["page_count"], told["schema_names"]) == (name, 1, ["letter"])
    assert (job["external_id"], job["metadata"]) == ("order-17", {"team": "accounts", "run": 98765432109876543210})
    assert job["schema"] == {"name": "letter", "version": None}
    assert job["progress"]["pages_read"] == job["progress"]["pages_total"] == 1
    assert job["timing"]["finished_at"] is not None
    assert client.get(job["links"]["result"]).json()["job_id"] == job["id"]


def test_views_of_a_result_leave_out_what_they_say(client: httpx.Client) -> None:
    """values: no fields; compact: no word boxes."""
    job = hand_in(client, letter(), "?wait=110").json()["job_id"]
    views = {
        view: client.get(f"/api/v1/jobs/{job}/result?view={view}").json()["records"][0]
        for view in ("values", "compact", "full")
    }
    assert "fields" not in views["values"]
    assert "word_coordinates" in views["full"]["fields"]["/number"]
    assert "word_coordinates" not in views["compact"]["fields"]["/number"]
    assert views["values"]["values"] == views["full"]["values"]


def test_the_completion_has_one_choice_a_record(client: httpx.Client) -> None:
    """In the form in which models answer."""
    job = hand_in(client, letter(), "?wait=110").json()["job_id"]
    completion = client.get(f"/api/v1/jobs/{job}/completion").json()
    assert completion["object"] == "chat.completion"
    content = json.loads(completion["choices"][0]["message"]["content"])
    assert set(content) == {"number"}


def test_a_file_is_uploaded_once_and_used_often(client: httpx.Client) -> None:
    """By JSON with its id."""
    file = client.post("/api/v1/files", files={"file": ("a.pdf", letter())}).json()
    body = {"file_id": file["id"], "schema": SCHEMA, "pages_per_chunk": "auto", "priority": "high"}
    jobs = [client.post("/api/v1/jobs", json=body).json() for _ in range(2)]
    assert jobs[0]["id"] != jobs[1]["id"]
    assert {job["file_id"] for job in jobs} == {file["id"]}
    assert jobs[0]["options"]["priority"] == "high"


def test_too_early_says_when_to_come_back(idle: tuple[httpx.Client, LocalService]) -> None:
    """409 with Retry-After; waiting in vain gives the job as it stands."""
    client, _ = idle
    answer = hand_in(client, letter(), "?wait=1")
    assert (answer.status_code, answer.json()["status"]) == (202, "queued")
    early = client.get(answer.json()["links"]["result"])
    assert early.status_code == 409
    assert error_of(early)["code"] == "not_finished"
    assert error_of(early)["retryable"] is True
    assert early.headers["retry-after"] == "1"


def test_a_job_that_is_nowhere_is_not_found(client: httpx.Client) -> None:
    """In every route that names one."""
    for path in ("", "/result", "/completion", "/events"):
        answer = client.get(f"/api/v1/jobs/job_none{path}")
        assert (answer.status_code, error_of(answer)["code"]) == (404, "job_not_found")


@pytest.mark.parametrize(
    ("data", "fields", "code"),
    [
        (letter(encrypt="open"), {}, "password_required"),
        (letter(encrypt="open"), {"password": "shut"}, "password_wrong"),
        (b"%PDF-1.7\nnothing of a PDF follows", {}, "damaged_file"),
    ],
)
def test_a_file_that_turns_out_bad_fails_its_job_with_the_reason(
    client: httpx.Client, data: bytes, fields: dict[str, str], code: str
) -> None:
    """With wait, in the job, and in the result: never `please wait`."""
    answer = hand_in(client, data, "?wait=110", headers=None, **fields)
    assert answer.status_code == 200
    result = answer.json()
    assert (result["status"], result["error"]["code"]) == ("failed", code)
    assert result["records"] == []
    job = client.get(f"/api/v1/jobs/{result['job_id']}").json()
    assert (job["status"], job["error"]["code"]) == ("failed", code)


def test_a_password_opens_a_file_and_is_shown_nowhere(client: httpx.Client) -> None:
    """Not in the job, not in the result."""
    answer = hand_in(client, letter(encrypt="sesame-17"), "?wait=110", password="sesame-17")
    assert answer.json()["status"] == "succeeded"
    assert "sesame-17" not in answer.text + client.get(f"/api/v1/jobs/{answer.json()['job_id']}").text


def test_too_many_pages_is_an_end_with_a_reason(start: Any) -> None:
    """A refused job says why."""
    client, _ = start(max_pages=1)
    data, schema = sample("bank_statement")
    result = hand_in(client, data, "?wait=110", schema=schema).json()
    assert (result["status"], result["error"]["code"]) == ("failed", "too_many_pages")


@pytest.mark.parametrize(
    ("fields", "code", "param"),
    [
        ({"schema": "{"}, "invalid_schema", "schema"),
        ({"schema": "[]"}, "invalid_schema", "schema"),
        ({"schema": '{"type": "object", "properties": {"a": {"type": "date"}}}'}, "invalid_schema", "/properties/a"),
        ({"schema": '{"type": "string"}'}, "invalid_schema", "/"),
        ({"schema": '{"name": "a\\u0000b", "schema": {"properties": {"a": {}}}}'}, "invalid_schema", "schema"),
        ({"model": "oracle"}, "unknown_model", "model"),
        ({"model": ""}, "invalid_option", "model"),
        ({"split_documents": "perhaps"}, "invalid_option", "split_documents"),
        ({"pages_per_chunk": "0"}, "invalid_option", "pages_per_chunk"),
        ({"pages_per_chunk": "many"}, "invalid_option", "pages_per_chunk"),
        ({"mode": "best"}, "invalid_option", "mode"),
        ({"priority": "now"}, "invalid_option", "priority"),
        ({"absent": "zero"}, "invalid_option", "absent"),
        ({"colour": "red"}, "invalid_option", "colour"),
        ({"schema_ref": "invoice"}, "invalid_request_body", "schema_ref"),
        ({"schemas": "[1]"}, "invalid_option", "schemas"),
        ({"url": "https://a.example/a.pdf"}, "option_not_supported", "url"),
        ({"metadata": "x"}, "invalid_request_body", "metadata"),
        ({"metadata": '{"a": "' + "x" * 70_000 + '"}'}, "invalid_request_body", "metadata"),
        ({"external_id": "a\nb"}, "invalid_request_body", "external_id"),
        ({"external_id": "x" * 201}, "invalid_request_body", "external_id"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(
    bare: tuple[httpx.Client, LocalService], fields: dict[str, str], code: str, param: str
) -> None:
    """Nothing that was asked for is ever ignored."""
    answer = hand_in(bare[0], letter(), headers=None, **fields)
    assert answer.status_code == 400
    assert (error_of(answer)["code"], error_of(answer)["param"]) == (code, param)
    assert bare[0].get("/api/v1/jobs").json()["jobs"] == []


@pytest.mark.parametrize(
    ("content", "code", "param"),
    [
        (b"", "no_file", "file"),
        (b"{", "invalid_request_body", "body"),
        (b"[1]", "invalid_request_body", "body"),
        (b'{"schema": {"properties": {"a": {}}}}', "no_file", "file"),
        (b'{"file_id": "file_none"}', "file_not_found", None),
        (b'{"file_id": 7}', "invalid_request_body", "file_id"),
        (b'{"schema": "text"}', "invalid_schema", "schema"),
        (b'{"url": "https://a.example/a.pdf"}', "option_not_supported", "url"),
        (b" " * 4_100_000, "invalid_request_body", "body"),
    ],
)
def test_a_json_body_is_checked_as_well(
    bare: tuple[httpx.Client, LocalService], content: bytes, code: str, param: str | None
) -> None:
    """The same codes as for a form."""
    answer = bare[0].post("/api/v1/jobs", content=content, headers={"Content-Type": "application/json"})
    assert (error_of(answer)["code"], error_of(answer)["param"]) == (code, param)


def test_another_media_type_is_told_so(bare: tuple[httpx.Client, LocalService]) -> None:
    """A page may post text/plain anywhere without asking: it is not taken for JSON."""
    answer = bare[0].post("/api/v1/jobs", content=b"{}", headers={"Content-Type": "text/plain"})
    assert error_of(answer)["code"] == "invalid_request_body"
    assert "application/json" in error_of(answer)["message"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/jobs?wait=121", "invalid_option"),
        ("/jobs?limit=0", "invalid_option"),
        ("/jobs?status=done", "invalid_option"),
        ("/jobs?cursor=zzz", "invalid_option"),
        ("/jobs?created_after=yesterday", "invalid_option"),
        ("/jobs?created_after=2026-01-31T12:00:00", "invalid_option"),
        ("/jobs/x/result?format=doc", "invalid_option"),
        ("/jobs/x/result?bom=true", "invalid_option"),
        ("/jobs/x/result?format=xlsx&separator=tab", "invalid_option"),
        ("/jobs/x/result?format=csv&decimal=comma&separator=comma", "invalid_option"),
        ("/jobs/x/result?view=all", "invalid_option"),
        ("/jobs/x?wiat=3", "invalid_option"),
        ("/models?all=1", "invalid_option"),
    ],
)
def test_query_options_are_known_or_refused(client: httpx.Client, path: str, code: str) -> None:
    """A typing error does not pass for the default."""
    answer = client.get(f"/api/v1{path}")
    assert (answer.status_code, error_of(answer)["code"]) == (400, code)


def test_jobs_are_listed_newest_first_page_by_page(idle: tuple[httpx.Client, LocalService]) -> None:
    """Each once, whatever the size of a page; filters leave only what fits."""
    client, _ = idle
    ids = [hand_in(client, letter(), external_id=f"e{n % 2}").json()["id"] for n in range(5)]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = client.get("/api/v1/jobs", params={"limit": 2, **cursor}).json()
        seen += [job["id"] for job in page["jobs"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert list(reversed(ids)) == seen
    for query, count in [
        ("external_id=e1", 2),
        ("status=queued", 5),
        ("status=failed", 0),
        ("schema=letter", 5),
        ("schema=other", 0),
        ("review=needed", 0),
        ("created_after=2000-01-01T00:00:00Z", 5),
        ("created_before=2000-01-01T00:00:00Z", 0),
    ]:
        assert len(client.get(f"/api/v1/jobs?{query}").json()["jobs"]) == count, query


def test_two_apps_over_one_home_see_the_same_jobs(shared: tuple[httpx.Client, LocalService]) -> None:
    """No state in a process: any of several may answer."""
    client, service = shared
    job = hand_in(client, letter()).json()["id"]
    with http_server(service.app()) as other_url, httpx.Client(base_url=other_url, timeout=120) as other:
        assert other.get(f"/api/v1/jobs/{job}?wait=110").json()["status"] == "succeeded"
        assert other.get(f"/api/v1/jobs/{job}/result").json() == client.get(f"/api/v1/jobs/{job}/result").json()
