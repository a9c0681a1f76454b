"""How long jobs are kept: as they, their schema or the installation say, unless they are on hold."""

from __future__ import annotations

import json

import httpx
import pytest

from service.auth.keys import create_key
from service.domain.access import Role
from service.jobs.control.sweep import sweep
from tests.api.conftest import Starter
from tests.api.job_calls import SCHEMA, error_of, hand_in, letter
from tests.fakes.local_service import LocalService
from tests.fakes.pipeline import later

DAY_S = 86_400.0
SETTINGS = "/api/v1/schemas/letter/settings"


@pytest.fixture
def kept(start: Starter) -> tuple[httpx.Client, LocalService]:
    """A service that keeps jobs for 30 days, with a schema of its own."""
    client, service = start(retention_days=30)
    client.put("/api/v1/schemas/letter", json=SCHEMA["schema"]).raise_for_status()
    return client, service


def finished(client: httpx.Client, number: str, **fields: str) -> str:
    """Id of a job that is over."""
    answer = client.post(
        "/api/v1/jobs?wait=110",
        files={"file": ("a.pdf", letter(f"Letter number: {number}"))},
        data={"schema_ref": "letter", **fields},
    )
    job_id: str = answer.json()["job_id"]
    return job_id


def left(client: httpx.Client, service: LocalService, days: float) -> set[str]:
    """Jobs that are there once so many days have passed."""
    sweep(later(service.services, days * DAY_S))
    return {job["id"] for job in client.get("/api/v1/jobs").json()["jobs"]}


def test_the_jobs_own_word_goes_before_its_schemas_and_that_before_the_installations(
    kept: tuple[httpx.Client, LocalService],
) -> None:
    """Days are counted from the end of the run."""
    client, service = kept
    by_schema, own = finished(client, "1"), finished(client, "2", retention_days="2")
    other = json.dumps(SCHEMA["schema"])
    by_default = hand_in(client, letter("Letter number: 3"), "?wait=110", schema=other).json()["job_id"]
    longer = finished(client, "4", retention_days="100")
    assert client.get(f"/api/v1/jobs/{own}").json()["options"]["retention_days"] == 2
    assert client.put(SETTINGS, json={"retention_days": 7}).json() == {"schema_name": "letter", "retention_days": 7}
    assert left(client, service, 1.9) == {by_schema, own, by_default, longer}
    assert left(client, service, 2.1) == {by_schema, by_default, longer}
    assert left(client, service, 7.1) == {by_default, longer}
    assert left(client, service, 30.1) == {longer}
    assert left(client, service, 100.1) == set()
    gone = error_of(client.get(f"/api/v1/jobs/{own}"))
    assert (gone["code"], "retention" in gone["message"]) == ("expired", True)


def test_a_changed_setting_holds_for_jobs_that_are_there(kept: tuple[httpx.Client, LocalService]) -> None:
    """Longer as well as shorter."""
    client, service = kept
    job_id = finished(client, "1")
    client.put(SETTINGS, json={"retention_days": 90})
    assert left(client, service, 60) == {job_id}
    client.put(SETTINGS, json={"retention_days": None})
    assert client.get(SETTINGS).json()["retention_days"] is None
    assert left(client, service, 29) == {job_id}
    assert left(client, service, 31) == set()


def test_a_held_job_is_deleted_neither_by_hand_nor_by_time(kept: tuple[httpx.Client, LocalService]) -> None:
    """Its result stays to be read; once the hold ends, its time counts again."""
    client, service = kept
    job_id = finished(client, "1")
    held = client.post(f"/api/v1/jobs/{job_id}/hold", json={"reason": "Case 17"}).json()
    assert (held["hold"]["by"], held["hold"]["reason"]) == ("local", "Case 17")
    again = client.post(f"/api/v1/jobs/{job_id}/hold", json={"reason": "another"}).json()
    assert again["hold"] == held["hold"]
    refused = client.delete(f"/api/v1/jobs/{job_id}")
    assert (refused.status_code, error_of(refused)["code"]) == (409, "on_hold")
    assert left(client, service, 59) == {job_id}
    assert client.get(f"/api/v1/jobs/{job_id}/result").status_code == 200
    assert client.delete(f"/api/v1/jobs/{job_id}/hold").json()["hold"] is None
    told = [e["data"]["held"] for e in client.get("/api/v1/events").json()["events"] if e["type"] == "job.hold"]
    assert told == [True, False]
    assert left(client, service, 59) == set()


def test_what_two_jobs_stand_on_stays_for_the_one_on_hold(kept: tuple[httpx.Client, LocalService]) -> None:
    """The receipt of the other tells that its file was not removed."""
    client, _ = kept
    upload = client.post("/api/v1/files", files={"file": ("a.pdf", letter("Letter number: 9"))}).json()["id"]
    jobs = [
        client.post("/api/v1/jobs?wait=110", json={"file_id": upload, "schema_ref": "letter"}).json()["job_id"]
        for _ in range(2)
    ]
    client.post(f"/api/v1/jobs/{jobs[0]}/hold", json={"reason": "Case 17"})
    assert client.delete(f"/api/v1/jobs/{jobs[1]}").json()["removed"]["file"] == 0
    assert client.get(f"/api/v1/files/{upload}/content").content == letter("Letter number: 9")


def test_holds_and_settings_are_for_admins(kept: tuple[httpx.Client, LocalService]) -> None:
    """Who hands in may delete, but not what an admin holds."""
    client, service = kept
    job_id = finished(client, "1")
    key = create_key(service.services, user="anna", role=Role.SUBMIT).secret
    headers = {"Authorization": f"Bearer {key}"}
    for answer in (
        client.post(f"/api/v1/jobs/{job_id}/hold", json={"reason": "x"}, headers=headers),
        client.delete(f"/api/v1/jobs/{job_id}/hold", headers=headers),
        client.put(SETTINGS, json={"retention_days": 1}, headers=headers),
        client.post("/api/v1/webhooks", json={"url": "https://example.com"}, headers=headers),
    ):
        assert error_of(answer)["code"] == "forbidden"


def test_settings_are_of_schemas_that_there_are(kept: tuple[httpx.Client, LocalService]) -> None:
    """The ready ones too."""
    client, _ = kept
    assert client.put("/api/v1/schemas/invoice/settings", json={"retention_days": 9}).status_code == 200
    missing = client.put("/api/v1/schemas/none-such/settings", json={"retention_days": 9})
    assert error_of(missing)["code"] == "schema_not_found"
    refused = client.put(SETTINGS, json={"retention_days": 0})
    assert error_of(refused)["code"] == "invalid_request_body"
