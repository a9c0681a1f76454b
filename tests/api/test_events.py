"""The event log: polled and followed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.api.job_calls import error_of, hand_in, letter
from tests.fakes.http_server import http_server
from tests.fakes.local_service import LocalService
from tests.fakes.pipeline import wait_until

Idle = tuple[httpx.Client, LocalService]


@contextmanager
def soon(call: Callable[[], object]) -> Generator[None]:
    """Do something from elsewhere while the block waits for it."""
    timer = threading.Timer(0.5, call)
    timer.start()
    yield
    timer.join()


def follow(
    client: httpx.Client, link: str, *, then: Callable[[], object] | None = None, **headers: str
) -> list[dict[str, str]]:
    """Every event of a stream, to its end; `then` is done once the first has come."""
    events: list[dict[str, str]] = []
    with client.stream("GET", link, headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["connection"] == "close"
        current: dict[str, str] = {}
        for line in answer.iter_lines():
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                current[name] = value
            elif current:
                events.append(current)
                current = {}
                if then is not None and len(events) == 1:
                    then()
    return events


def test_a_stream_tells_every_state_in_order_and_ends(client: httpx.Client) -> None:
    """From the beginning, whenever one begins to listen."""
    job = hand_in(client, letter()).json()
    events = follow(client, job["links"]["events"])
    assert [str(n) for n in range(1, len(events) + 1)] == [event["id"] for event in events]
    assert {event["event"] for event in events} == {"job.status"}
    states = [json.loads(event["data"])["data"]["status"] for event in events]
    assert (states[0], states[-1]) == ("queued", "succeeded")
    assert events == follow(client, job["links"]["events"])


def test_a_stream_goes_on_behind_the_last_event_that_was_received(client: httpx.Client) -> None:
    """As browsers ask after a break."""
    job = hand_in(client, letter(), "?wait=110").json()["job_id"]
    link = f"/api/v1/jobs/{job}/events"
    events = follow(client, link)
    assert [event["id"] for event in events[1:]] == [e["id"] for e in follow(client, link, **{"Last-Event-ID": "1"})]
    assert follow(client, link, **{"Last-Event-ID": str(len(events))}) == []


def test_a_stream_ends_when_its_job_is_deleted(idle: Idle) -> None:
    """And says so as its last event."""
    client, _ = idle
    job = hand_in(client, letter()).json()["links"]
    with httpx.Client(base_url=client.base_url, timeout=120) as other:
        events = follow(client, job["events"], then=lambda: other.delete(job["self"]))
    assert events[-1]["event"] == "job.deleted"


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 30])
def test_an_id_that_no_stream_gave_is_refused(client: httpx.Client, last: str) -> None:
    """Before the stream begins."""
    job = hand_in(client, letter(), "?wait=110").json()["job_id"]
    answer = client.get(f"/api/v1/jobs/{job}/events", headers={"Last-Event-ID": last})
    assert (answer.status_code, error_of(answer)["param"]) == (400, "Last-Event-ID")


def test_polling_misses_nothing_and_repeats_nothing(start: Any) -> None:
    """Whatever the size of an answer."""
    client, _ = start()
    jobs = [hand_in(client, letter(f"Letter number: L-{n}")).json()["id"] for n in range(3)]
    for job in jobs:
        client.get(f"/api/v1/jobs/{job}?wait=110")
    whole = client.get("/api/v1/events").json()
    seen: list[dict[str, Any]] = []
    after = 0
    while True:
        page = client.get(f"/api/v1/events?after={after}&limit=2").json()
        if not page["events"]:
            break
        seen += page["events"]
        after = page["next_after"]
    assert whole["events"] == seen
    assert whole["next_after"] == after == seen[-1]["position"]
    assert {event["job_id"] for event in seen} == set(jobs)


def test_a_poll_waits_for_the_next_event(idle: Idle) -> None:
    """And comes with it."""
    client, _ = idle
    hand_in(client, letter())
    after = client.get("/api/v1/events").json()["next_after"]
    with soon(lambda: hand_in(client, letter("another"))):
        answer = client.get(f"/api/v1/events?after={after}&wait=30").json()
    assert [event["data"]["status"] for event in answer["events"]] == ["queued"]


def test_a_poll_in_vain_comes_back_empty(idle: Idle) -> None:
    """With the position it came with."""
    assert idle[0].get("/api/v1/events?after=5&wait=1").json() == {"events": [], "next_after": 5}


def test_those_who_wait_do_not_keep_others_from_being_served(idle: Idle) -> None:
    """More of them than there are threads."""
    client, _ = idle
    job = hand_in(client, letter()).json()
    waiting = [
        threading.Thread(
            target=httpx.get, args=(f"{client.base_url}/api/v1/jobs/{job['id']}?wait=100",), kwargs={"timeout": 150}
        )
        for _ in range(60)
    ]
    for thread in waiting:
        thread.start()
    assert client.get("/api/v1/jobs", timeout=60).status_code == 200
    assert client.post(job["links"]["cancel"], timeout=60).json()["status"] == "cancelled"
    for thread in waiting:
        thread.join()


def test_only_so_many_may_wait_and_a_place_is_given_back(idle: Idle) -> None:
    """429 with Retry-After; asking without waiting always works."""
    _, service = idle
    with http_server(service.app(most_waiting=2)) as url, httpx.Client(base_url=url, timeout=120) as client:
        job = hand_in(client, letter()).json()["links"]
        with client.stream("GET", job["events"]), client.stream("GET", job["events"]):
            for path in (job["events"], f"{job['self']}?wait=5", "/api/v1/events?after=99&wait=5"):
                answer = client.get(path)
                assert (answer.status_code, error_of(answer)["code"]) == (429, "overloaded")
                assert answer.headers["retry-after"] == "5"
            assert client.get(job["self"]).status_code == 200
            made = hand_in(client, letter(), "?wait=5")  # not refused: asking again would make a second one
            assert (made.status_code, made.json()["status"]) == (202, "queued")
        client.post(job["cancel"])
        wait_until(lambda: client.get(job["events"]).status_code == 200)  # those who left are missed a moment later
        assert follow(client, job["events"])[-1]["event"] == "job.status"
