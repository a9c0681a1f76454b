"""Webhooks of a tenant: made, tried, given new secrets, ended; and their deliveries, asked for and asked for again."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from urllib.parse import urlsplit

import orjson

from service.domain.errors import ErrorCode, StateError
from service.domain.events import EventType
from service.domain.jobs import JobOptions
from service.domain.records import JsonObject
from service.domain.webhooks import JOBS_WEBHOOK, PING, WEBHOOK_EVENTS, Delivery, DeliveryState, Webhook
from service.jobs.paging import read_page
from service.jobs.services import Services
from service.messaging.signing import new_secret
from service.storage.store import Rows

MOST_WEBHOOKS = 50
OLD_SECRET_S = 86_400.0
"""So long the secret before the current one signs too."""


def add_webhook(
    services: Services, tenant_id: str, url: str, types: Sequence[EventType], *, description: str, by: str
) -> Webhook:
    """Send what happens from now on to an address.

    Raises:
        InputError: `invalid_option`, nothing can be sent there.
        StateError: `wrong_state`, the tenant has too many.
    """
    services.open_poster().check(url, "url")
    with services.store.write(durable=True) as rows:
        if rows.webhooks.count(tenant_id) >= MOST_WEBHOOKS:
            raise StateError(ErrorCode.WRONG_STATE, f"There are {MOST_WEBHOOKS} webhooks already; delete one first.")
        webhook = Webhook(
            tenant_id=tenant_id,
            id=f"wh_{uuid.uuid4().hex}",
            url=url,
            types=tuple(dict.fromkeys(types)) or WEBHOOK_EVENTS,
            secret=new_secret(),
            description=description,
            after=rows.events.last_position(tenant_id),
            created_at=services.clock(),
            created_by=by,
        )
        rows.webhooks.add(webhook)
    return webhook


def list_webhooks(services: Services, tenant_id: str) -> tuple[Webhook, ...]:
    """All of a tenant, oldest first."""
    with services.store.read() as rows:
        return rows.webhooks.all_of(tenant_id)


def get_webhook(services: Services, tenant_id: str, webhook_id: str) -> Webhook:
    """One of a tenant.

    Raises:
        StateError: `webhook_not_found`.
    """
    with services.store.read() as rows:
        return _found(rows, tenant_id, webhook_id)


def remove_webhook(services: Services, tenant_id: str, webhook_id: str) -> None:
    """Send nothing more; what was sent is forgotten.

    Raises:
        StateError: `webhook_not_found`.
    """
    with services.store.write(durable=True) as rows:
        if not rows.webhooks.remove(tenant_id, webhook_id):
            raise _unknown(webhook_id)


def rotate_secret(services: Services, tenant_id: str, webhook_id: str) -> Webhook:
    """Give a webhook a new secret; the old one signs too for a day. That of the jobs' own addresses is made if need be.

    Raises:
        StateError: `webhook_not_found`.
    """
    now = services.clock()
    with services.store.write(durable=True) as rows:
        if webhook_id == JOBS_WEBHOOK:
            keep_jobs_webhook(rows, tenant_id, now)
        old = _found(rows, tenant_id, webhook_id, lock=True)
        webhook = replace(old, secret=new_secret(), old_secret=old.secret, old_until=now + OLD_SECRET_S)
        rows.webhooks.save(webhook)
    return webhook


def enable_webhook(services: Services, tenant_id: str, webhook_id: str) -> Webhook:
    """Send to an address again that had answered with 410; what happened in between is in the event log.

    Raises:
        StateError: `webhook_not_found`.
    """
    with services.store.write(durable=True) as rows:
        webhook = _found(rows, tenant_id, webhook_id, lock=True)
        if webhook.disabled_at is not None:
            webhook = replace(webhook, disabled_at=None, after=rows.events.last_position(tenant_id))
            rows.webhooks.save(webhook)
    return webhook


def ping_webhook(services: Services, tenant_id: str, webhook_id: str) -> Delivery:
    """Send a trial, once; the delivery tells what came of it.

    Raises:
        StateError: `webhook_not_found`; `wrong_state`, it has no address or is disabled.
    """
    now = services.clock()
    with services.store.write(durable=True) as rows:
        webhook = _found(rows, tenant_id, webhook_id)
        if webhook.id == JOBS_WEBHOOK:
            raise StateError(ErrorCode.WRONG_STATE, "The addresses of jobs come with the jobs; there is none to try.")
        _refuse_disabled(webhook)
        event_id = f"evt_test_{uuid.uuid4().hex}"
        data: JsonObject = {"webhook_id": webhook.id}
        delivery = make_delivery(webhook, event_id, PING, body_of(event_id, PING, now, data), now)
        rows.deliveries.add([delivery])
    return delivery


def list_deliveries(
    services: Services,
    tenant_id: str,
    webhook_id: str,
    state: DeliveryState | None,
    *,
    cursor: str | None,
    most: int,
) -> tuple[tuple[Delivery, ...], str | None]:
    """Deliveries of a webhook, newest first, and the cursor of those behind; the dead ones are the dead-letter list.

    Raises:
        StateError: `webhook_not_found`.
        InputError: `invalid_option`, the cursor is not one of ours.
    """
    with services.store.read() as rows:
        _found(rows, tenant_id, webhook_id)
        return read_page(partial(rows.deliveries.newest, tenant_id, webhook_id, state), cursor, most)


def redeliver(services: Services, tenant_id: str, delivery_id: str) -> Delivery:
    """Begin the tries of a delivery anew, now; its id and body stay, so that its receiver can tell.

    Raises:
        StateError: `delivery_not_found`; `wrong_state`, its webhook is disabled.
    """
    now = services.clock()
    with services.store.write(durable=True) as rows:
        delivery = rows.deliveries.find(tenant_id, delivery_id, lock=True)
        if delivery is None:
            raise StateError(ErrorCode.DELIVERY_NOT_FOUND, f"There is no delivery {delivery_id!r}.")
        _refuse_disabled(_found(rows, tenant_id, delivery.webhook_id))
        anew = replace(
            delivery,
            state=DeliveryState.WAITING,
            attempt=0,
            not_before=now,
            owner=None,
            lease_until=0.0,
            status_code=None,
            fault=None,
            finished_at=None,
        )
        rows.deliveries.save(anew)
    return anew


def check_webhook(services: Services, options: JobOptions) -> None:
    """Refuse an address of a job to which nothing can be sent.

    Raises:
        InputError: `invalid_option`.
    """
    if options.webhook_url is not None:
        services.open_poster().check(options.webhook_url, "webhook_url")


def keep_jobs_webhook(rows: Rows, tenant_id: str, now: float) -> None:
    """Make sure that there is a secret which signs what goes to the addresses of jobs."""
    if rows.webhooks.find(tenant_id, JOBS_WEBHOOK) is None:
        webhook = Webhook(
            tenant_id=tenant_id,
            id=JOBS_WEBHOOK,
            url="",
            types=(EventType.JOB_STATUS,),
            secret=new_secret(),
            description="Addresses that came with jobs",
            after=rows.events.last_position(tenant_id),
            created_at=now,
            created_by="",
        )
        rows.webhooks.add(webhook)


def make_delivery(
    webhook: Webhook, event_id: str, kind: str, body: str, now: float, *, job: tuple[str, str] | None = None
) -> Delivery:
    """A delivery that waits for its first try.

    Args:
        webhook: whose it is.
        event_id: of the event.
        kind: of the event.
        body: what is sent.
        now: Unix seconds.
        job: the job's id, and the address it is sent to; None: it is of no job.
    """
    url = webhook.url or (job[1] if job else "")
    return Delivery(
        id=f"del_{uuid.uuid4().hex}",
        tenant_id=webhook.tenant_id,
        webhook_id=webhook.id,
        event_id=event_id,
        type=kind,
        job_id=job[0] if job else None,
        url=url,
        host=(urlsplit(url).hostname or "")[:255],
        body=body,
        not_before=now,
        created_at=now,
    )


def body_of(event_id: str, kind: str, at: float, data: JsonObject) -> str:
    """What is sent of an event: ids and states, never a value of the document."""
    when = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return orjson.dumps({"id": event_id, "type": kind, "timestamp": when, "data": data}).decode()


def _found(rows: Rows, tenant_id: str, webhook_id: str, *, lock: bool = False) -> Webhook:
    webhook = rows.webhooks.find(tenant_id, webhook_id, lock=lock)
    if webhook is None:
        raise _unknown(webhook_id)
    return webhook


def _unknown(webhook_id: str) -> StateError:
    return StateError(
        ErrorCode.WEBHOOK_NOT_FOUND, f"There is no webhook {webhook_id[:100]!r}; GET /webhooks lists all."
    )


def _refuse_disabled(webhook: Webhook) -> None:
    if webhook.disabled_at is not None:
        raise StateError(
            ErrorCode.WRONG_STATE,
            f"The webhook {webhook.id!r} is disabled: its receiver answered with 410. Enable it first.",
        )
