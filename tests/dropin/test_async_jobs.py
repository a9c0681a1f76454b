"""The vendor's asynchronous jobs, as its documentation describes them."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from service.protocol.async_job import ExtractionJob, JobList
from tests.api.job_calls import letter
from tests.dropin import openai_objects
from tests.dropin.conftest import Live, Starter
from tests.dropin.vendor_calls import EXTRACTION, SCHEMA, content_of, leaves_of, wait_until_over
from tests.fakes.pipeline import wait_until

BROKEN = b"%PDF-1.7\nnothing of a PDF follows"


def submit(live: Live, *files: bytes, **fields: str) -> httpx.Response:
    """Files named a.pdf, b.pdf, … with the bare schema."""
    parts = [("documents", (f"{chr(97 + number)}.pdf", data)) for number, data in enumerate(files)]
    form = {"model": "information-extract", "schema": json.dumps(SCHEMA), **fields}
    return live.client.post(f"{EXTRACTION}/async", files=parts or {"x": ("", "")}, data=form)


def test_files_are_submitted_polled_and_read(live: Live) -> None:
    """Options as form fields; results in the synchronous form, in the order of the files."""
    receipt = submit(
        live,
        letter(),
        letter("Letter number: B-2"),
        confidence="true",
        location="true",
        location_granularity="word",
        chunking='{"pages_per_chunk": 2}',
    ).json()
    assert {*receipt} == {"job_id", "status", "created_at", "message"}
    assert receipt["status"] == "CREATED"
    assert receipt["created_at"].endswith("Z")
    job = wait_until_over(live.client, receipt["job_id"])
    ExtractionJob.model_validate(job)
    assert list(job) == [
        *("job_id", "status", "model", "total_documents", "completed_documents"),
        *("created_at", "started_at", "completed_at", "batches"),
    ]
    assert (job["status"], job["total_documents"], job["completed_documents"]) == ("COMPLETED", 2, 2)
    assert job["model"] == "information-extract-261101"
    assert [(batch["id"], batch["file_name"], batch["status"]) for batch in job["batches"]] == [
        (1, "a.pdf", "COMPLETED"),
        (2, "b.pdf", "COMPLETED"),
    ]
    results = [batch["result"] for batch in job["batches"]]
    assert [content_of(result)["number"] for result in results] == ["L-17", "B-2"]
    assert content_of(results[0])["fax"] == ""
    assert list(leaves_of(results[0])["number"]) == ["_value", "confidence", "page", "word_coordinates"]
    assert {batch["failure_message"] for batch in job["batches"]} == {""}


def test_a_file_that_fails_fails_alone(live: Live) -> None:
    """PARTIALLY_COMPLETED with the reason; all bad is FAILED."""
    job = wait_until_over(live.client, submit(live, BROKEN, letter()).json()["job_id"])
    assert (job["status"], job["completed_documents"]) == ("PARTIALLY_COMPLETED", 1)
    bad, good = job["batches"]
    assert (bad["status"], "result" in bad) == ("FAILED", False)
    assert bad["failure_message"].startswith("damaged_file: ")
    assert content_of(good["result"])["number"] == "L-17"
    assert wait_until_over(live.client, submit(live, BROKEN).json()["job_id"])["status"] == "FAILED"


def test_results_come_only_when_asked_for_and_jobs_are_listed(live: Live) -> None:
    """The list has the newest first, without results."""
    job_id = submit(live, letter()).json()["job_id"]
    wait_until_over(live.client, job_id)
    plain = live.client.get(f"{EXTRACTION}/jobs/{job_id}").json()
    assert "result" not in plain["batches"][0]
    listed = live.client.get(f"{EXTRACTION}/jobs").json()
    assert listed["jobs"][0] == plain
    assert JobList.model_validate(listed).jobs[0].status == "COMPLETED"


def test_states_before_the_end(start: Starter) -> None:
    """CREATED while nobody works on it, CANCELED when a person ended it, gone when it was deleted."""
    live = start(working=False)
    job_id = submit(live, letter()).json()["job_id"]
    job = live.client.get(f"{EXTRACTION}/jobs/{job_id}?with_result=true").json()
    assert (job["status"], job["started_at"], job["completed_at"]) == ("CREATED", None, None)
    assert job["batches"][0]["status"] == "CREATED"
    (listed,) = httpx.get(f"{live.url}/api/v1/jobs", timeout=60).json()["jobs"]
    httpx.post(f"{live.url}/api/v1/jobs/{listed['id']}/cancel", timeout=60)
    job = live.client.get(f"{EXTRACTION}/jobs/{job_id}").json()
    assert (job["status"], job["batches"][0]["status"]) == ("CANCELED", "FAILED")
    httpx.delete(f"{live.url}/api/v1/jobs/{listed['id']}", timeout=60)
    gone = live.client.get(f"{EXTRACTION}/jobs/{job_id}")
    assert (gone.status_code, gone.json()["error"]["code"]) == (410, "expired")
    assert live.client.get(f"{EXTRACTION}/jobs").json() == {"jobs": []}


@pytest.mark.parametrize(
    ("files", "fields", "code"),
    [
        ([], {}, "no_file"),
        ([letter()], {"schema": "{"}, "invalid_request_body"),
        ([letter()], {"schema": '{"type": "string"}'}, "invalid_schema"),
        ([letter()], {"model": "gpt-5"}, "invalid_request_body"),
        ([letter()], {"model": ""}, "invalid_request_body"),
        ([letter()], {"mode": "fast"}, "invalid_request_body"),
        ([letter()] * 21, {}, "invalid_request_body"),
    ],
)
def test_what_cannot_be_taken_makes_no_job(
    start: Starter, files: list[bytes], fields: dict[str, Any], code: str
) -> None:
    """And leaves no file."""
    live = start(working=False)
    answer = submit(live, *files, **fields)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    openai_objects.assert_is(openai_objects.ERROR, answer.json())
    assert httpx.get(f"{live.url}/api/v1/jobs", timeout=60).json()["jobs"] == []
    blobs = live.service.settings.home / "blobs"
    wait_until(lambda: not [path for path in blobs.rglob("*") if path.is_file()])


def test_a_job_that_is_nowhere_is_not_found(live: Live) -> None:
    """Nor is one of the other API's jobs here."""
    answer = live.client.get(f"{EXTRACTION}/jobs/00000000-0000-4000-8000-000000000000")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "job_not_found")
