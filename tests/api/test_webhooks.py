"""Webhooks: signed as the specification says, tried until they are delivered, and never sent to an inner address."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from service.jobs.events.send_webhooks import BACK_OFF_S, WebhookSender
from tests.api.conftest import Starter
from tests.api.job_calls import error_of, hand_in, letter
from tests.fakes.local_service import LocalService
from tests.fakes.pipeline import later, wait_until
from tests.fakes.receiver import Received, Receiver, receiver

HOSTS = {"webhook_hosts": "localhost,127.0.0.1", "webhook_timeout_s": 100.0}
HOOKS = "/api/v1/webhooks"


@pytest.fixture
def target() -> Generator[Receiver]:
    """Somebody who receives."""
    with receiver() as running:
        yield running


@pytest.fixture
def client(start: Starter) -> httpx.Client:
    """A working service that may send to this machine."""
    return start(**HOSTS)[0]


@pytest.fixture
def by_hand(start: Starter) -> tuple[httpx.Client, LocalService, WebhookSender]:
    """A service in which nothing is sent unless the test does a round."""
    client, service = start(working=False, **HOSTS)
    return client, service, WebhookSender(service.services, every_s=0.05)


def make(client: httpx.Client, target: Receiver, **more: Any) -> Any:
    """A webhook to the receiver."""
    answer = client.post(HOOKS, json={"url": f"{target.base_url}/in?token=geheim", **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def deliveries(client: httpx.Client, webhook_id: str, query: str = "") -> list[Any]:
    """Newest first."""
    found: list[Any] = client.get(f"{HOOKS}/{webhook_id}/deliveries{query}").json()["deliveries"]
    return found


def rounds(sender: WebhookSender) -> None:
    """Send what can be sent now, to the end."""
    for _ in range(2):
        while sender.send_round():
            pass


def at(service: LocalService, seconds: float) -> WebhookSender:
    """A sender whose clock is ahead."""
    return WebhookSender(later(service.services, seconds), every_s=0.05)


def stopped_at(service: LocalService, moment: float) -> WebhookSender:
    """A sender whose clock stands, however long the test takes."""
    return WebhookSender(replace(service.services, clock=lambda: moment), every_s=0.05)


def test_the_end_of_a_run_is_told_and_the_reference_verifies_it(client: httpx.Client, target: Receiver) -> None:
    """A thin body: ids and states; nothing on the way there, and not a value of the document."""
    hook = make(client, target)
    job_id = hand_in(client, letter("Letter number: QUINCE-55"), "?wait=110").json()["job_id"]
    (one,) = target.wait_for(1)
    body = Webhook(hook["secret"]).verify(one.body, dict(one.headers))
    event = client.get("/api/v1/events").json()["events"][-1]
    assert body == {
        "id": event["id"],
        "type": "job.status",
        "timestamp": body["timestamp"],
        "data": {
            "job_id": job_id,
            "status": "succeeded",
            "run": 1,
            "revision": 2,
            "links": {"self": f"/api/v1/jobs/{job_id}", "result": f"/api/v1/jobs/{job_id}/result"},
        },
    }
    assert one.event_id == event["id"]
    assert one.path == "/in?token=geheim"
    assert b"QUINCE" not in one.body
    client.delete(f"/api/v1/jobs/{job_id}")
    assert target.wait_for(2)[1].event["type"] == "job.deleted"


def test_only_wanted_types_are_sent_and_nothing_from_before(client: httpx.Client, target: Receiver) -> None:
    """A webhook begins with what happens after it was made; deliveries may come in any order."""
    early = hand_in(client, letter("Letter number: 1"), "?wait=110").json()["job_id"]
    make(client, target, types=["job.deleted"])
    late = hand_in(client, letter("Letter number: 2"), "?wait=110").json()["job_id"]
    client.delete(f"/api/v1/jobs/{late}")
    client.delete(f"/api/v1/jobs/{early}")
    assert {one.event["data"]["job_id"] for one in target.wait_for(2)} == {late, early}


def test_both_secrets_sign_after_a_rotation_and_the_old_one_ends(
    by_hand: tuple[httpx.Client, LocalService, WebhookSender], target: Receiver
) -> None:
    """Receivers change their secret within a day, without a gap."""
    client, service, sender = by_hand
    old = make(client, target)
    new = client.post(f"{HOOKS}/{old['id']}/rotate").json()
    assert new["secret"] != old["secret"]
    client.post(f"{HOOKS}/{old['id']}/test")
    rounds(sender)
    (one,) = target.received
    for secret in (old["secret"], new["secret"]):
        assert Webhook(secret).verify(one.body, dict(one.headers))["type"] == "webhook.test"
    client.post(f"{HOOKS}/{old['id']}/test")
    tomorrow = at(service, 86_500)
    rounds(tomorrow)
    assert len(target.received[1].headers["webhook-signature"].split()) == 1
    with pytest.raises(WebhookVerificationError):
        Webhook(old["secret"]).verify(target.received[1].body, dict(one.headers))


def test_a_secret_is_shown_once(client: httpx.Client, target: Receiver) -> None:
    """When it is made, and never again."""
    hook = make(client, target)
    assert hook["secret"].startswith("whsec_")
    assert client.get(f"{HOOKS}/{hook['id']}").json()["secret"] is None
    assert client.get(HOOKS).json()["webhooks"] == [client.get(f"{HOOKS}/{hook['id']}").json()]


def test_a_failing_receiver_is_tried_for_a_day_then_the_delivery_is_dead(
    by_hand: tuple[httpx.Client, LocalService, WebhookSender], target: Receiver
) -> None:
    """Further and further apart, always with the same id and body; then it stands in the dead-letter list."""
    client, service, _ = by_hand
    hook = make(client, target)
    job = hand_in(client, letter()).json()["id"]
    client.post(f"/api/v1/jobs/{job}/cancel")
    target.answer = lambda _one: (500, {})
    now = time.time() + 1
    for number in range(len(BACK_OFF_S) + 1):
        rounds(stopped_at(service, now))
        (shown,) = deliveries(client, hook["id"])
        assert shown["attempts"] == number + 1
        if number < len(BACK_OFF_S):
            assert (shown["state"], shown["status_code"]) == ("waiting", 500)
            rounds(stopped_at(service, now + BACK_OFF_S[number] * 0.7))
            assert len(target.received) == number + 1
            now += BACK_OFF_S[number] * 1.2 + 1
    assert 0.9 * 86_400 < sum(BACK_OFF_S) < 1.1 * 86_400
    (dead,) = deliveries(client, hook["id"], "?state=dead")
    assert dead["fault"] == "the receiver answers with HTTP 500"
    assert len({one.event_id for one in target.received}) == len({one.body for one in target.received}) == 1

    target.answer = lambda _one: (200, {})
    again = client.post(f"/api/v1/deliveries/{dead['id']}/redeliver")
    assert (again.status_code, again.json()["state"]) == (202, "waiting")
    rounds(at(service, now - time.time() + 60))
    assert deliveries(client, hook["id"])[0]["state"] == "delivered"
    assert target.received[-1].event_id == dead["event_id"]


def test_retry_after_is_honoured(by_hand: tuple[httpx.Client, LocalService, WebhookSender], target: Receiver) -> None:
    """A receiver that asks for an hour is left alone for an hour."""
    client, service, sender = by_hand
    hook = make(client, target)
    client.post(f"/api/v1/jobs/{hand_in(client, letter()).json()['id']}/cancel")
    target.answer = lambda _one: (503, {"Retry-After": "3600"})
    rounds(sender)
    rounds(at(service, 3500))
    assert len(target.received) == 1
    target.answer = lambda _one: (204, {})
    rounds(at(service, 3700))
    assert deliveries(client, hook["id"])[0]["state"] == "delivered"


def test_gone_disables_the_webhook_until_it_is_enabled(
    by_hand: tuple[httpx.Client, LocalService, WebhookSender], target: Receiver
) -> None:
    """Neither what waits nor what happens later is sent; what was missed is in the event log."""
    client, _, sender = by_hand
    hook = make(client, target)
    target.answer = lambda _one: (410, {})
    jobs = [hand_in(client, letter(f"Letter number: {n}")).json()["id"] for n in range(2)]
    client.post(f"/api/v1/jobs/{jobs[0]}/cancel")
    rounds(sender)
    assert client.get(f"{HOOKS}/{hook['id']}").json()["disabled_at"] is not None
    (dead,) = deliveries(client, hook["id"], "?state=dead")
    assert dead["status_code"] == 410
    client.post(f"/api/v1/jobs/{jobs[1]}/cancel")
    rounds(sender)
    assert len(target.received) == 1
    for path in (f"/api/v1/deliveries/{dead['id']}/redeliver", f"{HOOKS}/{hook['id']}/test"):
        assert error_of(client.post(path))["code"] == "wrong_state"
    target.answer = lambda _one: (204, {})
    assert client.post(f"{HOOKS}/{hook['id']}/enable").json()["disabled_at"] is None
    client.delete(f"/api/v1/jobs/{jobs[1]}")
    rounds(sender)
    assert [one.event["type"] for one in target.received[1:]] == ["job.deleted"]


def test_a_redirect_is_a_failure_and_is_not_followed(
    by_hand: tuple[httpx.Client, LocalService, WebhookSender], target: Receiver
) -> None:
    """Not even one that leads to the operator's network."""
    client, _, sender = by_hand
    hook = make(client, target)
    target.answer = lambda _one: (302, {"Location": f"{target.base_url}/inner"})
    client.post(f"{HOOKS}/{hook['id']}/test")
    rounds(sender)
    assert [one.path for one in target.received] == ["/in?token=geheim"]
    (dead,) = deliveries(client, hook["id"])
    assert "not followed" in dead["fault"]


def test_a_receiver_that_hangs_is_cut_and_delays_nobody_else(start: Starter, target: Receiver) -> None:
    """After the time that is set; a host that hangs takes only its own places."""
    client, _ = start(**{**HOSTS, "webhook_timeout_s": 1.0})
    with receiver() as quick:
        target.hang_s = 600.0
        slow = make(client, target)
        elsewhere = quick.base_url.replace("127.0.0.1", "localhost")
        client.post(HOOKS, json={"url": elsewhere})
        jobs = [hand_in(client, letter(f"Letter number: {n}")).json()["id"] for n in range(12)]
        for job_id in jobs:
            client.post(f"/api/v1/jobs/{job_id}/cancel")
        quick.wait_for(12)
        wait_until(lambda: any(one["fault"] for one in deliveries(client, slow["id"])))
        faults = {one["fault"] for one in deliveries(client, slow["id"]) if one["fault"]}
        assert faults == {"no answer within 1 s"}


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/x",
        "https://10.0.0.7/x",
        "https://169.254.169.254/latest",
        "https://[::ffff:127.0.0.1]/",
        "https://user:pass@example.com/",
        "https://no-such-host.invalid/",
        "ftp://example.com/",
        "not a url",
        "https://",
    ],
)
def test_a_bad_address_is_refused_before_anything_is_taken(client: httpx.Client, url: str) -> None:
    """For a webhook, and for a job, of which nothing is kept."""
    refused = error_of(client.post(HOOKS, json={"url": url}))
    assert (refused["code"], refused["param"]) == ("invalid_option", "url")
    refused = error_of(hand_in(client, letter(), webhook_url=url))
    assert (refused["code"], refused["param"]) == ("invalid_option", "webhook_url")
    assert client.get("/api/v1/jobs").json()["jobs"] == []


def test_a_name_that_comes_to_lead_inward_gets_nothing(start: Starter, target: Receiver) -> None:
    """What was a good address once is checked again at each try."""
    client, service = start(working=False, **HOSTS)
    hook = client.post(HOOKS, json={"url": target.base_url.replace("127.0.0.1", "localhost")}).json()
    client.post(f"{HOOKS}/{hook['id']}/test")
    strict, _ = start(home=service.settings.home)
    wait_until(lambda: deliveries(strict, hook["id"])[0]["state"] == "dead")
    assert deliveries(strict, hook["id"])[0]["fault"] == "the host is not on the public internet"
    assert target.received == []


def test_the_address_of_a_job_is_told_its_end_and_the_job_shows_it(client: httpx.Client, target: Receiver) -> None:
    """Signed with the secret of the tenant's jobs, which an admin fetches by giving it a new one."""
    secret = client.post(f"{HOOKS}/jobs/rotate").json()["secret"]
    url = f"{target.base_url}/jobs/17"
    job_id = hand_in(client, letter(), "?wait=110", webhook_url=url).json()["job_id"]
    (one,) = target.wait_for(1)
    assert Webhook(secret).verify(one.body, dict(one.headers))["data"]["job_id"] == job_id
    wait_until(lambda: client.get(f"/api/v1/jobs/{job_id}").json()["deliveries"][0]["state"] == "delivered")
    (shown,) = client.get(f"/api/v1/jobs/{job_id}").json()["deliveries"]
    assert (shown["event_id"], shown["status_code"], shown["host"]) == (one.event_id, 204, "127.0.0.1")
    assert error_of(client.post(f"{HOOKS}/jobs/test"))["code"] == "wrong_state"


def test_gone_ends_what_is_sent_to_a_jobs_address_alone(
    by_hand: tuple[httpx.Client, LocalService, WebhookSender], target: Receiver
) -> None:
    """Other jobs' addresses are told all the same."""
    client, _, sender = by_hand

    def gone_for_one(one: Received) -> tuple[int, dict[str, str]]:
        return (410 if one.path == "/a" else 204), {}

    target.answer = gone_for_one
    first, second = (
        hand_in(client, letter(f"Letter number: {path}"), webhook_url=f"{target.base_url}/{path}").json()["id"]
        for path in "ab"
    )
    client.post(f"/api/v1/jobs/{first}/cancel")
    rounds(sender)
    client.post(f"/api/v1/jobs/{first}/rerun", json={})
    client.post(f"/api/v1/jobs/{first}/cancel")
    client.post(f"/api/v1/jobs/{second}/cancel")
    rounds(sender)
    assert [one.path for one in target.received] == ["/a", "/b"]


def test_webhooks_are_for_admins_and_names_that_are_not_there_are_told(client: httpx.Client, target: Receiver) -> None:
    """Their secrets sign what others believe."""
    assert error_of(client.get(f"{HOOKS}/wh_none"))["code"] == "webhook_not_found"
    assert error_of(client.delete(f"{HOOKS}/jobs"))["code"] == "webhook_not_found"
    assert error_of(client.post("/api/v1/deliveries/del_none/redeliver"))["code"] == "delivery_not_found"
    hook = make(client, target)
    assert client.delete(f"{HOOKS}/{hook['id']}").json()["id"] == hook["id"]
    assert client.get(HOOKS).json() == {"webhooks": []}
