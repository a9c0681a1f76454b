"""A request is a job that is waited for: retries are attached, many wait at once, and nobody's job runs for ever."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.api.job_calls import letter
from tests.dropin.conftest import KEY, Live, Starter
from tests.dropin.vendor_calls import CHAT, EXTRACTION, body, content_of
from tests.fakes.http_server import http_server
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import Clock, wait_until

MANY = 64
PLACES = 4
TOO_SHORT = httpx.Timeout(60.0, read=0.001)
"""For a request whose answer the model keeps back."""


def jobs_of(live: Live) -> list[dict[str, Any]]:
    """The list that a person sees."""
    jobs: list[dict[str, Any]] = httpx.get(f"{live.url}/api/v1/jobs?limit=200", timeout=60).json()["jobs"]
    return jobs


def waiters(live: Live) -> int:
    """How many wait for an answer on the vendor's paths, as every answer there tells."""
    headers = live.client.get("/v1/models").headers
    return int(headers["x-upstage-ratelimit-limit-requests"]) - int(headers["x-upstage-ratelimit-remaining-requests"])


def leaves_early(live: Live) -> bool:
    """Starts to read a stream and goes away; whether there was a place for it."""
    with live.client.stream("POST", CHAT, json=body(letter("Letter number: S-3"), stream=True)) as stream:
        return next(stream.iter_lines()).startswith(":")


def out_of_time(live: Live) -> Callable[[str, Any], None]:
    """Ends a request's time for reading once its job is listed: to be given as `trace`, beside a tiny time."""

    def trace(event: str, _info: Any) -> None:
        if event == "http11.receive_response_headers.started":
            wait_until(lambda: bool(jobs_of(live)))

    return trace


def first_in_vain(live: Live, let_go: Callable[[], None]) -> Callable[[Any], None]:
    """Ends the first request's time once there is its job; the model answers when the second is sent."""
    sent = 0

    def before(request: Any) -> None:
        nonlocal sent
        sent += 1
        if sent == 1:
            request.extensions |= {"trace": out_of_time(live), "timeout": TOO_SHORT.as_dict()}
        else:
            wait_until(lambda: waiters(live) == 0)
            let_go()

    return before


def test_a_client_that_retries_after_a_timeout_gets_the_running_job(start: Starter) -> None:
    """OpenAI's client, whose time is shorter than the job: it asks again by itself, and there is one job."""
    with ModelStub() as stub:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage")
        stub.hold()
        connections = openai.DefaultHttpxClient(event_hooks={"request": [first_in_vain(live, stub.let_go)]})
        with OpenAI(base_url=live.base_url, api_key=KEY, max_retries=1, http_client=connections) as client:
            answer = client.chat.completions.create(**body())
        assert answer.choices[0].finish_reason == "stop"
        assert stub.stats()["requests"] == 1
    assert len(jobs_of(live)) == 1


def test_two_that_ask_the_same_at_once_share_a_job_and_a_third_later_does_not(start: Starter) -> None:
    """The same bytes from the same caller; another file, or the same one after the answer was read, is another job."""
    with ModelStub() as stub:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage")
        stub.hold()
        asked = body()
        with ThreadPoolExecutor(3) as threads:
            same = [threads.submit(live.client.post, CHAT, json=asked) for _ in range(2)]
            other = threads.submit(live.client.post, CHAT, json=body(letter("Letter number: O-1")))
            wait_until(lambda: (waiters(live), len(jobs_of(live))) == (3, 2))
            stub.let_go()
            answers = [future.result() for future in (*same, other)]
        assert [answer.status_code for answer in answers] == [200] * 3
        first, second, third = (answer.headers["x-fieldmark-job"] for answer in answers)
        assert first == second != third
        wait_until(lambda: waiters(live) == 0)
        later = live.client.post(CHAT, json=asked).headers["x-fieldmark-job"]
        assert later not in (first, third)
    assert len(jobs_of(live)) == 3
    files = {job["file_id"] for job in jobs_of(live)}
    assert len(files) == 3


def test_an_answer_that_nobody_had_waits_for_the_retry(start: Starter) -> None:
    """The client was gone when the job ended; asking again costs no second run."""
    with ModelStub() as stub:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage")
        stub.hold()
        with pytest.raises(httpx.ReadTimeout):
            live.client.post(CHAT, json=body(), timeout=TOO_SHORT, extensions={"trace": out_of_time(live)})
        wait_until(lambda: waiters(live) == 0)
        stub.let_go()
        wait_until(lambda: jobs_of(live)[0]["status"] == "succeeded")
        assert live.client.post(CHAT, json=body()).status_code == 200
        assert stub.stats()["requests"] == 1
    assert len(jobs_of(live)) == 1


def cut_at_the_end(live: Live) -> ASGIApp:
    """The same service behind connections that are gone once the job is over."""
    app = live.service.app()

    async def cut(scope: Scope, receive: Receive, send: Send) -> None:
        async def hear() -> Message:
            over = scope["type"] == "http" and [job["status"] for job in jobs_of(live)] == ["succeeded"]
            return {"type": "http.disconnect"} if over else await receive()

        await app(scope, hear, send)

    return cut


def test_an_answer_made_for_a_connection_that_is_gone_waits_for_the_retry_too(start: Starter) -> None:
    """The client left between the last look for its job and the answer."""
    with ModelStub() as stub:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage")
        with http_server(cut_at_the_end(live)) as url:
            httpx.post(url + CHAT, json=body(), headers=live.client.headers, timeout=120)
        assert live.client.post(CHAT, json=body()).status_code == 200
        assert stub.stats()["requests"] == 1
    assert len(jobs_of(live)) == 1


def gone_after_asking(live: Live) -> ASGIApp:
    """The same service behind connections that are gone once the request is read."""
    app = live.service.app()

    async def gone(scope: Scope, receive: Receive, send: Send) -> None:
        async def hear() -> Message:
            nonlocal more
            message: Message = await receive() if more else {"type": "http.disconnect"}
            more = more and message.get("more_body", False)
            return message

        more = True
        await app(scope, hear, send)

    return gone


def test_who_is_gone_before_there_is_a_job_makes_none(start: Starter) -> None:
    """The file was slow to fetch, and the retry has its answer: another job, and another call, would be nobody's."""
    with ModelStub() as stub:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage")
        assert live.client.post(CHAT, json=body()).status_code == 200
        wait_until(lambda: waiters(live) == 0)
        with http_server(gone_after_asking(live)) as url:
            httpx.post(url + CHAT, json=body(), headers=live.client.headers, timeout=120)
        assert stub.stats()["requests"] == 1
    assert len(jobs_of(live)) == 1


def not_asked_for(live: Live, since: float) -> int:
    """Requests for whose jobs nobody looked since then."""
    with live.service.services.store.read() as rows:
        return len(rows.idempotency.untouched("", since, MANY))


def test_a_job_that_everybody_left_is_cancelled_after_a_time_of_grace(start: Starter) -> None:
    """Two minutes; and one that is waited for is not, however long it takes."""
    clock = Clock()
    with ModelStub() as stub:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage", clock=clock)
        stub.hold()
        with ThreadPoolExecutor(1) as threads:
            patient = threads.submit(live.client.post, CHAT, json=body(letter("Letter number: P-1")))
            with live.client.stream("POST", CHAT, json=body(stream=True)) as stream:
                assert next(stream.iter_lines()).startswith(":")
            wait_until(lambda: waiters(live) == 1)
            for _ in range(4):
                clock.forward(40)
                wait_until(lambda: not_asked_for(live, clock() - 20) <= 1)
            wait_until(lambda: "cancelled" in {job["status"] for job in jobs_of(live)})
            stub.let_go()
            assert patient.result().status_code == 200
        states = sorted(job["status"] for job in jobs_of(live))
    assert states == ["cancelled", "succeeded"]


def test_a_job_that_is_cancelled_ends_the_wait_for_good(start: Starter) -> None:
    """409, which clients are told not to send again by themselves."""
    with ModelStub() as stub:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage")
        stub.hold()
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(live.client.post, CHAT, json=body())
            wait_until(lambda: bool(jobs_of(live)))
            httpx.post(f"{live.url}/api/v1/jobs/{jobs_of(live)[0]['id']}/cancel", timeout=60)
            answer = waiting.result()
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "wrong_state")
    assert answer.headers["x-should-retry"] == "false"


def test_a_wait_that_takes_too_long_says_how_to_go_on(start: Starter) -> None:
    """504, on which clients ask again and are attached."""
    live = start(working=False, dropin_wait_s=0.3)
    answer = live.client.post(CHAT, json=body())
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "model_timeout")
    assert answer.headers["retry-after"] == "1"
    assert live.client.post(CHAT, json=body()).json()["error"]["message"] == answer.json()["error"]["message"]
    assert len(jobs_of(live)) == 1


def test_sixty_four_clients_at_once_are_all_served(start: Starter) -> None:
    """Each has its own answer."""
    live = start()
    names = [f"M-{number}" for number in range(MANY)]

    def ask(name: str) -> str:
        with OpenAI(base_url=live.base_url, api_key=KEY, max_retries=0, timeout=200) as client:
            answer = client.chat.completions.create(**body(letter(f"Letter number: {name}")))
        return str(content_of(answer.model_dump())["number"])

    with ThreadPoolExecutor(MANY) as threads:
        assert list(threads.map(ask, names)) == names
    assert len(jobs_of(live)) == MANY


def test_beyond_the_places_clients_are_told_when_to_come_back(start: Starter) -> None:
    """429 with both headers, and every client that comes back is served."""
    with ModelStub() as stub, ThreadPoolExecutor(MANY) as threads:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage", dropin_waiting=PLACES)
        stub.hold()

        def ask(number: int) -> httpx.Response:
            return httpx.post(live.url + EXTRACTION, json=body(letter(f"Letter number: T-{number}")), timeout=120)

        asked = [threads.submit(ask, number) for number in range(MANY)]
        wait_until(lambda: sum(one.done() for one in asked) == MANY - PLACES)
        stub.let_go()
        answers = [one.result() for one in asked]
        wait_until(lambda: waiters(live) == 0)
        assert ask(1000).status_code == 200
    assert Counter(answer.status_code for answer in answers) == {200: PLACES, 429: MANY - PLACES}
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.json()["error"]["type"] == "rate_limit_error"
    assert int(refused.headers["retry-after"]) >= 1
    assert int(refused.headers["x-upstage-ratelimit-retry-after-requests"]) >= int(time.time()) - 60
    with OpenAI(base_url=live.base_url, api_key=KEY, max_retries=0) as client, pytest.raises(openai.NotFoundError):
        client.models.list()


def test_a_stream_holds_its_place_to_its_end_and_no_longer(start: Starter) -> None:
    """The only place is taken while the answer is out, free afterwards, and free again when a reader left early."""
    with ModelStub() as stub:
        live = start(upstage_base_url=stub.base_url, upstage_api_key="up_test", model="upstage", dropin_waiting=1)
        stub.hold()
        with live.client.stream("POST", CHAT, json=body(stream=True)) as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith(":")
            assert live.client.post(CHAT, json=body(letter("Letter number: S-2"))).status_code == 429
            stub.let_go()
            assert [line for line in lines if line][-1] == "data: [DONE]"
        wait_until(lambda: leaves_early(live))
        wait_until(lambda: live.client.post(CHAT, json=body(letter("Letter number: S-4"))).status_code == 200)


def test_a_request_is_a_job_like_any_other(live: Live) -> None:
    """Listed, with its usage, its result and its review."""
    answer = live.client.post(EXTRACTION, json=body())
    job_id = answer.headers["x-fieldmark-job"]
    with httpx.Client(base_url=live.url, timeout=60) as client:
        job = client.get(f"/api/v1/jobs/{job_id}").json()
        result = client.get(f"/api/v1/jobs/{job_id}/result").json()
    assert job["status"] == "succeeded"
    assert result["records"][0]["values"]["number"] == content_of(answer.json())["number"] == "L-17"
    assert result["records"][0]["values"]["fax"] is None
    assert result["usage"]["total_tokens"] == answer.json()["usage"]["total_tokens"]
    assert result["review"]["state"] in ("needed", "not_needed")
