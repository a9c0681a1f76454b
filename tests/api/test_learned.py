"""Quality, memory, cases, signed links, questions and early values over HTTP."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from service.auth.keys import create_key
from service.domain.access import Role
from tests.api.conftest import Starter
from tests.api.job_calls import error_of, hand_in
from tests.fakes.layouts import SCHEMA, specimens
from tests.fakes.local_service import LocalService

API = "/api/v1"
Result = dict[str, Any]


@pytest.fixture
def started(start: Starter) -> tuple[httpx.Client, LocalService]:
    """A service of the test's own."""
    return start(model="embedded", review_return_origins="https://erp.example.test")


def approved(client: httpx.Client) -> str:
    """A document in which one value was corrected; the id of its job."""
    specimen = specimens(1, 1)[0]
    form = json.dumps({"name": "invoice", "schema": SCHEMA})
    result: Result = hand_in(client, specimen.data, "?wait=110", schema=form).json()
    old = result["records"][0]["values"]["total"]
    change = {"op": "set", "id": "a", "path": "/total", "old": old, "value": specimen.truth["total"]}
    job: str = result["job_id"]
    client.post(f"{API}/jobs/{job}/corrections", json={"operations": [change]}).raise_for_status()
    client.post(f"{API}/jobs/{job}/approve", json={"accept_unseen": True}).raise_for_status()
    return job


def test_what_was_learned_is_shown_and_forgotten(started: tuple[httpx.Client, LocalService]) -> None:
    """The memory names words and a value of the document; forgetting it twice says that it is gone."""
    client, _ = started
    job = approved(client)
    [memory] = client.get(f"{API}/memory", params={"schema": "invoice"}).json()["memories"]
    assert (memory["job_id"], memory["created_by"]) == (job, "local")
    assert [lesson["path"] for lesson in memory["lessons"]] == ["/total"]
    assert client.get(f"{API}/memory", params={"schema": "other"}).json() == {"memories": []}
    found = client.get(f"{API}/quality").json()
    assert (found["documents"], [field["field"] for field in found["fields"]]) == (1, ["/total"])
    [case] = client.get(f"{API}/reviewed").json()["cases"]
    assert (case["job_id"], list(case["truth"])) == (job, ["total"])
    assert client.delete(f"{API}/memory/{memory['id']}").json() == {"id": memory["id"], "forgotten": True}
    gone = client.delete(f"{API}/memory/{memory['id']}")
    assert (gone.status_code, error_of(gone)["code"]) == (404, "memory_not_found")


def test_another_tenant_learns_and_sees_nothing(started: tuple[httpx.Client, LocalService]) -> None:
    """Memory and figures are bound to their tenant."""
    client, service = started
    approved(client)
    [memory] = client.get(f"{API}/memory").json()["memories"]
    key = create_key(service.services, user="eve", role=Role.ADMIN, tenant_id="other").secret
    headers = {"Authorization": f"Bearer {key}"}
    assert client.get(f"{API}/memory", headers=headers).json() == {"memories": []}
    assert client.get(f"{API}/quality", headers=headers).json()["documents"] == 0
    assert client.delete(f"{API}/memory/{memory['id']}", headers=headers).status_code == 404


def test_a_link_is_for_one_document_and_for_a_time(started: tuple[httpx.Client, LocalService]) -> None:
    """As a bearer it opens its job and its file, no list, no deletion, no further link; a changed one opens nothing."""
    client, service = started
    job = approved(client)
    key = create_key(service.services, user="erp", role=Role.ADMIN).secret
    admin = {"Authorization": f"Bearer {key}"}
    asked = {"user": "mia", "return_url": "https://erp.example.test/17"}
    link = client.post(f"{API}/jobs/{job}/review-link", json=asked, headers=admin).json()["url"].partition("link=")[2]
    shown = {"Authorization": f"Bearer {link}"}
    file = client.get(f"{API}/jobs/{job}", headers=shown).json()["file_id"]
    answers = {
        ("GET", f"/jobs/{job}/result"): 200,
        ("GET", f"/files/{file}"): 200,
        ("GET", "/jobs"): 403,
        ("GET", "/jobs/job_other"): 403,
        ("GET", "/quality"): 403,
        ("DELETE", f"/jobs/{job}"): 403,
        ("POST", f"/jobs/{job}/review-link"): 403,
    }
    for (method, path), status in answers.items():
        assert client.request(method, API + path, headers=shown).status_code == status, path
    reopened = client.post(f"{API}/jobs/{job}/reopen", headers=shown).json()
    assert reopened["review"]["claimed_by"] == "mia"
    changed = {"Authorization": f"Bearer {link[:-2]}xx"}
    assert client.get(f"{API}/jobs/{job}", headers=changed).status_code == 401
    assert client.get("/v1/information-extraction/jobs", headers=shown).status_code in (401, 403)


@pytest.mark.parametrize(
    "url",
    ["https://elsewhere.test/", "javascript:alert(1)", "https://erp.example.test.evil.test/", "//erp.example.test"],
)
def test_a_link_leads_back_to_allowed_places_alone(started: tuple[httpx.Client, LocalService], url: str) -> None:
    """By their whole origin."""
    client, _ = started
    job = approved(client)
    refused = client.post(f"{API}/jobs/{job}/review-link", json={"return_url": url})
    assert refused.status_code in (400, 422)


def test_values_so_far_of_a_job_that_is_over_are_its_values(started: tuple[httpx.Client, LocalService]) -> None:
    """Without places or confidence, and said to be provisional."""
    client, _ = started
    job = approved(client)
    found = client.get(f"{API}/jobs/{job}/provisional").json()
    machine = client.get(f"{API}/jobs/{job}/result", params={"version": "machine"}).json()
    assert found["provisional"] is True
    assert [record["values"] for record in found["records"]] == [machine["records"][0]["values"]]


def test_frames_are_allowed_by_setting_alone(start: Starter) -> None:
    """Of the origins that are named, and of no others."""
    client, _ = start(frame_ancestors="https://erp.example.test")
    headers = client.get("/").headers
    assert "frame-ancestors https://erp.example.test" in headers["content-security-policy"]
    assert "x-frame-options" not in headers
