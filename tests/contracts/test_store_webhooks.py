"""Rows of webhooks and deliveries, on every database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from service.domain.events import EventType
from service.domain.webhooks import Delivery, DeliveryState, Webhook
from service.storage.rows.webhooks import Due
from service.storage.store import Store
from tests.fakes.rows import OTHER, TENANT, a_file, a_job

HOOK = Webhook(
    tenant_id=TENANT,
    id="wh_1",
    url="https://a.example/x",
    types=(EventType.JOB_STATUS,),
    secret="whsec_x",
    description="",
    after=0,
    created_at=1.0,
    created_by="anna",
)
DUE = Due(tenant_id=TENANT, host="a.example")


def a_delivery(number: int, **changes: object) -> Delivery:
    """One that waits."""
    delivery = Delivery(
        id=f"del_{number}",
        tenant_id=TENANT,
        webhook_id=HOOK.id,
        event_id=f"evt_{number}",
        type="job.status",
        job_id="job-1",
        url=HOOK.url,
        host=DUE.host,
        body='{"ü": 1}',
        not_before=10.0,
        created_at=float(number),
    )
    return replace(delivery, **changes)


def test_a_webhook_comes_back_and_is_its_tenants_alone(store: Store) -> None:
    """Also changed."""
    with store.write() as rows:
        assert rows.webhooks.add(HOOK)
        assert not rows.webhooks.add(HOOK)
        rows.webhooks.save(replace(HOOK, after=7, old_secret="whsec_old", old_until=9.5, disabled_at=3.0))
    with store.read() as rows:
        found = rows.webhooks.find(TENANT, HOOK.id)
        assert found == replace(HOOK, after=7, old_secret="whsec_old", old_until=9.5, disabled_at=3.0)
        assert rows.webhooks.find(OTHER, HOOK.id) is None
        assert rows.webhooks.all_of(OTHER) == ()


def test_webhooks_are_behind_once_their_tenant_has_a_new_event(store: Store) -> None:
    """Not by the events of others, and not while they are disabled."""
    with store.write() as rows:
        rows.files.add(a_file())
        rows.webhooks.add(HOOK)
        rows.webhooks.add(replace(HOOK, tenant_id=OTHER))
        rows.webhooks.add(replace(HOOK, id="wh_off", disabled_at=1.0))
        rows.jobs.add(a_job(), None)
        rows.events.append(a_job(), EventType.JOB_STATUS, {"status": "queued"}, 1.0)
    with store.read() as rows:
        assert rows.webhooks.behind() == (HOOK,)


def test_an_event_is_one_delivery_of_a_webhook(store: Store) -> None:
    """However often it is made of it."""
    with store.write() as rows:
        rows.deliveries.add([a_delivery(1)])
        rows.deliveries.add([replace(a_delivery(1), id="del_again"), a_delivery(2)])
        page = rows.deliveries.newest(TENANT, HOOK.id, None, before=None, most=9)
    assert page == (a_delivery(2), a_delivery(1))


def test_a_claim_is_one_senders_until_its_lease_ends(store: Store) -> None:
    """Whoever claims at the same time gets others, or none."""
    with store.write() as rows:
        rows.deliveries.add([a_delivery(n) for n in range(40)])

    def claim(owner: int) -> list[str]:
        with store.write() as rows:
            return [one.id for one in rows.deliveries.claim(DUE, f"owner-{owner}", 20.0, 30.0, 8)]

    with ThreadPoolExecutor(8) as pool:
        claimed = [one for found in pool.map(claim, range(8)) for one in found]
    while more := claim(9):
        claimed += more
    assert sorted(claimed) == sorted(f"del_{n}" for n in range(40))
    with store.write() as rows:
        assert rows.deliveries.hosts_due(29.0) == ()
        assert rows.deliveries.hosts_due(31.0) == (DUE,)
        (again,) = rows.deliveries.claim(DUE, "late", 31.0, 41.0, 1)
        assert (again.attempt, again.owner) == (2, "late")
        done = replace(again, state=DeliveryState.DELIVERED, owner=None, lease_until=0.0, finished_at=32.0)
        assert not rows.deliveries.settle(done, "somebody else")
        assert rows.deliveries.settle(done, "late")
        assert not rows.deliveries.settle(done, "late")


def test_what_waits_for_an_address_is_given_up_together(store: Store) -> None:
    """Others, and what is done, stay."""
    with store.write() as rows:
        rows.deliveries.add([a_delivery(1), a_delivery(2, url="https://b.example/", state=DeliveryState.WAITING)])
        rows.deliveries.add([a_delivery(3, state=DeliveryState.DELIVERED)])
        rows.deliveries.bury(TENANT, HOOK.id, HOOK.url, "gone", 50.0)
        states = {d.id: d.state for d in rows.deliveries.newest(TENANT, HOOK.id, None, before=None, most=9)}
    assert states == {"del_1": "dead", "del_2": "waiting", "del_3": "delivered"}


def test_deliveries_go_with_their_webhook(store: Store) -> None:
    """And the webhook of another tenant stays."""
    with store.write() as rows:
        for tenant in (TENANT, OTHER):
            rows.webhooks.add(replace(HOOK, tenant_id=tenant))
            rows.deliveries.add([a_delivery(1, id=f"del_{tenant}", tenant_id=tenant)])
        assert rows.webhooks.remove(TENANT, HOOK.id)
        assert not rows.webhooks.remove(TENANT, HOOK.id)
        assert rows.deliveries.find(TENANT, f"del_{TENANT}") is None
        assert rows.deliveries.find(OTHER, f"del_{OTHER}") is not None
