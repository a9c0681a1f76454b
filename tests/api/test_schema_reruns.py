"""A new version of a schema is run over the documents of older ones; what people said stays."""

from __future__ import annotations

import copy
from typing import Any

import httpx
import pytest

from tests.api.conftest import Starter
from tests.api.job_calls import error_of, letter

FIRST: dict[str, Any] = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "description": "Letter number"},
        "clerk": {"type": "string", "description": "Clerk"},
    },
}
SECOND = copy.deepcopy(FIRST)
SECOND["properties"]["subject"] = {"type": "string", "description": "Subject"}
del SECOND["properties"]["clerk"]
URL = "/api/v1/schemas/dated"


@pytest.fixture
def client(start: Starter) -> httpx.Client:
    """A service with the first version."""
    client, _ = start()
    client.put(URL, json=FIRST).raise_for_status()
    return client


def extract(client: httpx.Client, text: str) -> str:
    """Id of a finished job."""
    fields = {"schema_ref": "dated"}
    answer = client.post("/api/v1/jobs?wait=110", files={"file": ("a.pdf", letter(text))}, data=fields)
    job_id: str = answer.json()["job_id"]
    return job_id


def test_old_documents_get_the_new_version_and_the_difference_is_shown(client: httpx.Client) -> None:
    """Corrections stay; jobs that have the version already are left alone."""
    jobs = [extract(client, f"Letter number: D-{n} Subject: Quinces") for n in range(3)]
    fix = {"id": "op", "op": "set", "path": "/number", "old": None, "value": "D-fixed"}
    fix["old"] = client.get(f"/api/v1/jobs/{jobs[0]}/result").json()["records"][0]["values"]["number"]
    client.post(f"/api/v1/jobs/{jobs[0]}/corrections", json={"operations": [fix]}).raise_for_status()
    client.put(URL, json=SECOND).raise_for_status()
    begun: list[Any] = []
    cursor: str | None = None
    while True:
        params: dict[str, str | int] = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        answer = client.post(f"{URL}@2/rerun", params=params)
        assert answer.status_code == 202
        begun += answer.json()["jobs"]
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            break
    assert begun == [{"job_id": job_id, "run": 2, "from_version": 1} for job_id in jobs[::-1]]
    for job_id in jobs:
        job = client.get(f"/api/v1/jobs/{job_id}?wait=110").json()
        assert (job["status"], job["schema"]) == ("succeeded", {"name": "dated", "version": 2})
        assert job["options"]["priority"] == "bulk"
    values = client.get(f"/api/v1/jobs/{jobs[0]}/result").json()["records"][0]["values"]
    assert values["number"] == "D-fixed"
    assert "clerk" not in values
    changes = client.get(f"/api/v1/jobs/{jobs[0]}/changes").json()
    (record,) = changes["records"]
    assert (changes["from_run"], changes["run"]) == (1, 2)
    assert "/number" not in [*record["added"], *record["removed"], *(c["path"] for c in record["changed"])]
    assert record["same"] >= 1
    assert values["subject"] is None or "/subject" in record["added"]
    assert client.post(f"{URL}@2/rerun").json()["jobs"] == []


def test_what_cannot_be_compared_is_told(client: httpx.Client) -> None:
    """No earlier run, a run that is not there, a schema that is not."""
    job_id = extract(client, "Letter number: D-9")
    for query in ("", "?from_run=1", "?from_run=7"):
        assert error_of(client.get(f"/api/v1/jobs/{job_id}/changes{query}"))["code"] == "wrong_state"
    assert error_of(client.post("/api/v1/schemas/none@3/rerun"))["code"] == "schema_not_found"
