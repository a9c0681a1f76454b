"""Asking twice makes one job."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx

from service.jobs.intake.idempotency import release_key, reserve_key
from tests.api.job_calls import error_of, hand_in, letter
from tests.fakes.local_service import LocalService

Idle = tuple[httpx.Client, LocalService]


def keyed(client: httpx.Client, key: str, data: bytes, **fields: str) -> httpx.Response:
    """Hand in under a key."""
    return hand_in(client, data, headers={"Idempotency-Key": key}, **fields)


def test_the_same_request_with_the_same_key_makes_one_job(idle: Idle) -> None:
    """And the second answer says that it is the second."""
    data = letter()
    first, second = (keyed(idle[0], "k-1", data, model="embedded") for _ in range(2))
    assert first.json()["id"] == second.json()["id"]
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert len(idle[0].get("/api/v1/jobs").json()["jobs"]) == 1


def test_another_request_with_the_same_key_is_refused(idle: Idle) -> None:
    """Another file, another schema, another option: each is another request."""
    data = letter()
    keyed(idle[0], "k-2", data)
    other_schema = json.dumps({"type": "object", "properties": {"other": {"type": "string"}}})
    for answer in (
        keyed(idle[0], "k-2", letter("another letter")),
        keyed(idle[0], "k-2", data, schema=other_schema),
        keyed(idle[0], "k-2", data, priority="low"),
    ):
        assert (answer.status_code, error_of(answer)["code"]) == (422, "idempotency_mismatch")


def test_a_request_that_failed_frees_its_key(idle: Idle) -> None:
    """The corrected one may use it."""
    data = letter()
    assert keyed(idle[0], "k-3", data, schema="{").status_code == 400
    assert keyed(idle[0], "k-3", data).status_code == 202


def test_a_key_that_made_a_job_is_not_given_back(idle: Idle) -> None:
    """Though its request was cut off before it could answer."""
    client, service = idle
    data = letter()
    first = keyed(client, "k-6", data).json()["id"]
    release_key(service.services, "local", "k-6")
    assert keyed(client, "k-6", data).json()["id"] == first


def test_a_key_in_use_is_told_to_wait(idle: Idle) -> None:
    """While the first request is still being read."""
    client, service = idle
    assert reserve_key(service.services, "local", "k-4") is None
    answer = keyed(client, "k-4", letter())
    assert (answer.status_code, error_of(answer)["code"]) == (409, "idempotency_in_flight")
    assert error_of(answer)["retryable"] is True
    assert answer.headers["retry-after"] == "1"


def test_many_at_once_make_one_job(idle: Idle) -> None:
    """Whoever comes while it is being made is told to wait, never given a second job."""
    data = letter()
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(keyed, idle[0], "k-5", data) for _ in range(8)]
        answers = [call.result() for call in calls]
    assert {answer.status_code for answer in answers} <= {202, 409}
    assert len(idle[0].get("/api/v1/jobs").json()["jobs"]) == 1


def test_a_key_that_cannot_be_one_is_refused(idle: Idle) -> None:
    """It is stored and compared: 1 to 255 printable characters."""
    for key in ("", "x" * 256):
        answer = keyed(idle[0], key, letter())
        assert error_of(answer)["param"] == "Idempotency-Key"
