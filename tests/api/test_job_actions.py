"""Cancel, retry, rerun and delete."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from tests.api.conftest import Starter
from tests.api.job_calls import error_of, hand_in, letter, sample
from tests.fakes.leftovers import files_with
from tests.fakes.local_service import LocalService
from tests.fakes.pipeline import wait_until

Idle = tuple[httpx.Client, LocalService]


def test_a_queued_job_is_cancelled_for_good(idle: Idle) -> None:
    """Cancelling it again is fine; its result says what it is."""
    client, _ = idle
    job = hand_in(client, letter()).json()
    for _ in range(2):
        answer = client.post(job["links"]["cancel"])
        assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    result = client.get(job["links"]["result"]).json()
    assert (result["status"], result["records"]) == ("cancelled", [])


def test_what_is_over_cannot_be_cancelled_and_what_is_good_not_retried(client: httpx.Client) -> None:
    """409 with the state."""
    job = hand_in(client, letter(), "?wait=110").json()["job_id"]
    for action in ("cancel", "retry"):
        answer = client.post(f"/api/v1/jobs/{job}/{action}")
        assert (answer.status_code, error_of(answer)["code"]) == (409, "wrong_state")


def test_a_failed_job_is_retried_as_its_next_run(client: httpx.Client) -> None:
    """The same file is as bad as before, but it was tried."""
    failed = hand_in(client, letter(encrypt="x"), "?wait=110").json()
    answer = client.post(f"/api/v1/jobs/{failed['job_id']}/retry")
    assert (answer.status_code, answer.json()["run"]) == (202, 2)
    over = client.get(f"/api/v1/jobs/{failed['job_id']}?wait=110").json()
    assert (over["status"], over["error"]["code"]) == ("failed", "password_required")


def test_a_rerun_takes_another_schema_and_reads_nothing_again(client: httpx.Client) -> None:
    """The new run answers the new question."""
    job = hand_in(client, letter(), "?wait=110").json()["job_id"]
    schema = {"type": "object", "properties": {"reference": {"type": "string", "description": "Letter number"}}}
    answer = client.post(f"/api/v1/jobs/{job}/rerun", json={"schema": schema, "absent": "omit"})
    assert (answer.status_code, answer.json()["run"]) == (202, 2)
    assert answer.json()["options"]["absent"] == "omit"
    assert client.get(f"/api/v1/jobs/{job}?wait=110").json()["status"] == "succeeded"
    result = client.get(f"/api/v1/jobs/{job}/result").json()
    assert set(result["records"][0]["fields"]) == {"/reference"}


def test_a_rerun_with_boundaries_gives_a_record_for_each_document(client: httpx.Client) -> None:
    """As a person sees them."""
    job = hand_in(client, letter(pages=3), "?wait=110").json()["job_id"]
    documents = [{"first": 1, "last": 2}, {"first": 3, "last": 3}]
    assert client.post(f"/api/v1/jobs/{job}/rerun", json={"documents": documents}).status_code == 202
    client.get(f"/api/v1/jobs/{job}?wait=110")
    records = client.get(f"/api/v1/jobs/{job}/result").json()["records"]
    assert [record["pages"] for record in records] == [[1, 2], [3]]


def test_a_rerun_turns_pages_and_the_history_tells_it(client: httpx.Client) -> None:
    """Words and picture follow, the picture of before can still be had; what cannot be turned changes nothing."""
    job = hand_in(client, letter(pages=2), "?wait=110").json()["job_id"]
    wrong = ([{"page": 3, "degrees": 90}], [{"page": 1, "degrees": 45}], [{"page": 1, "degrees": 90}] * 2)
    for turn in wrong:
        refused = client.post(f"/api/v1/jobs/{job}/rerun", json={"turn": turn})
        assert (refused.status_code, error_of(refused)["code"]) == (400, "invalid_request_body"), turn
    answer = client.post(f"/api/v1/jobs/{job}/rerun", json={"turn": [{"page": 2, "degrees": 180}]})
    assert (answer.status_code, answer.json()["run"]) == (202, 2)
    assert client.get(f"/api/v1/jobs/{job}?wait=110").json()["status"] == "succeeded"
    file = client.get(f"/api/v1/jobs/{job}/result").json()["file"]
    assert [page["rotation"] for page in file["pages"]] == [0, 180]
    pages = f"/api/v1/files/{file['id']}/pages"
    assert client.get(f"{pages}/2").json()["rotation"] == 180
    now, same, before = (
        client.get(f"{pages}/2/image?dpi=72{how}").content for how in ("", "&rotation=180", "&rotation=0")
    )
    assert now == same != before
    [event] = client.get(f"/api/v1/jobs/{job}/history").json()["events"]
    assert (event["action"], event["detail"]) == ("mend", {"turned": {"2": 180}, "read_again": []})


def test_a_rerun_without_a_body_is_the_same_again(client: httpx.Client) -> None:
    """Nothing is different, but it is run."""
    job = hand_in(client, letter(), "?wait=110").json()["job_id"]
    answer = client.post(f"/api/v1/jobs/{job}/rerun")
    assert (answer.status_code, answer.json()["run"]) == (202, 2)


@pytest.mark.parametrize(
    ("body", "code", "param"),
    [
        ({"documents": [{"first": 3, "last": 1}]}, "invalid_request_body", "documents.0"),
        ({"documents": [{"first": 0, "last": 1}]}, "invalid_request_body", "documents.0.first"),
        ({"documents": [{"first": 1, "last": 1, "name": "a"}]}, "invalid_option", "documents.0.name"),
        ({"documents": []}, "invalid_request_body", "documents"),
        ({"password": "x"}, "invalid_option", "password"),
        ({"schemas": []}, "invalid_option", "schemas"),
        ({"model": "oracle:1"}, "unknown_model", "model"),
        ({"schema": {"type": "object"}}, "invalid_schema", "/"),
    ],
)
def test_a_rerun_that_cannot_be_is_refused_by_name(
    client: httpx.Client, body: dict[str, object], code: str, param: str
) -> None:
    """And the old run stands."""
    job = hand_in(client, letter(), "?wait=110").json()["job_id"]
    answer = client.post(f"/api/v1/jobs/{job}/rerun", json=body)
    assert (answer.status_code, error_of(answer)["code"], error_of(answer)["param"]) == (400, code, param)
    assert client.get(f"/api/v1/jobs/{job}").json()["run"] == 1


def test_a_deleted_job_leaves_a_receipt_and_no_byte(start: Starter) -> None:
    """Not of the file, not of its words, not of its pictures."""
    client, service = start()
    planted = "QUOKKA-4711"
    schema = json.dumps({"type": "object", "properties": {"number": {"type": "string"}}})
    done = hand_in(client, letter(f"Letter number: {planted}", compressed=False), "?wait=110", schema=schema).json()
    client.get(f"/api/v1/files/{done['file']['id']}/pages/1/image")
    assert bytes_with(service.settings.home, planted)
    answer = client.delete(f"/api/v1/jobs/{done['job_id']}")
    assert answer.status_code == 200
    assert (answer.json()["job_id"], answer.json()["file_sha256"]) == (done["job_id"], done["file"]["sha256"])
    wait_until(lambda: bytes_with(service.settings.home, planted) == [])
    for path in ("", "/result", "/completion", "/events"):
        gone = client.get(f"/api/v1/jobs/{done['job_id']}{path}")
        assert (gone.status_code, error_of(gone)["code"]) == (410, "expired")
    assert client.get(f"/api/v1/files/{done['file']['id']}").status_code == 404


def test_a_file_that_another_job_stands_on_outlives_the_first(client: httpx.Client) -> None:
    """Counted references."""
    data, schema = sample("form")
    first = hand_in(client, data, "?wait=110", schema=schema).json()
    body = {"file_id": first["file"]["id"], "schema": json.loads(schema)}
    second = client.post("/api/v1/jobs?wait=110", json=body).json()
    client.delete(f"/api/v1/jobs/{first['job_id']}")
    assert client.get(f"/api/v1/files/{second['file']['id']}/content").content == data
    assert client.get(f"/api/v1/jobs/{second['job_id']}/result").status_code == 200


def bytes_with(home: Path, text: str) -> list[str]:
    """Files under a folder that hold the text."""
    return files_with(home, {text.encode()})
