"""From the event log to the receivers: deliveries are made, claimed, tried, and tried again until they are delivered.

Any process may send; a claim with a lease lets one try a delivery at a time, and one whose sender died is tried anew.
"""

from __future__ import annotations

import logging
import random
import threading
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from service.domain.errors import ServiceError
from service.domain.events import Event, EventType
from service.domain.jobs import JobStatus
from service.domain.records import JsonObject
from service.domain.webhooks import JOBS_WEBHOOK, PING, Delivery, DeliveryState, Webhook
from service.jobs.events.webhooks import body_of, make_delivery
from service.jobs.services import Services
from service.messaging.signing import signed_headers
from service.storage.store import Rows

if TYPE_CHECKING:
    from service.clients.urls.webhook_post import PostAnswer, WebhookPoster

_log = logging.getLogger(__name__)
BACK_OFF_S = (5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800)
"""Wait before the second, third, … try; together a day, less a few minutes."""
JITTER = 0.2
"""Share by which a wait is longer or shorter, so that what failed together is not tried together."""
GONE = 410
_EVENTS_AT_ONCE = 500
_IN_FLIGHT = 32
_STOP_S = 60.0
_PER_HOST = 8
"""Tries at once for one host of a tenant: one that hangs takes no more places than these."""
_PATH = "/api/v1/jobs"


def make_deliveries(services: Services) -> int:
    """Turn what is new in the event log into deliveries; how many were made."""
    with services.store.read() as rows:
        behind = rows.webhooks.behind()
    return sum(_catch_up(services, webhook) for webhook in behind)


def _catch_up(services: Services, seen: Webhook) -> int:
    now = services.clock()
    with services.store.write(durable=True) as rows:
        webhook = rows.webhooks.find(seen.tenant_id, seen.id, lock=True)
        if webhook is None or webhook.disabled_at is not None:
            return 0
        events = rows.events.after(webhook.tenant_id, webhook.after, _EVENTS_AT_ONCE)
        made = tuple(_deliveries(rows, webhook, events, now))
        rows.deliveries.add(made)
        if events:
            rows.webhooks.save(replace(webhook, after=events[-1].position))
    return len(made)


def _deliveries(rows: Rows, webhook: Webhook, events: tuple[Event, ...], now: float) -> Iterator[Delivery]:
    wanted = [event for event in events if event.type in webhook.types and not _is_progress(event)]
    urls = _urls_of_jobs(rows, webhook, wanted) if webhook.id == JOBS_WEBHOOK else None
    for event in wanted:
        url = webhook.url if urls is None else urls.get(event.job_id)
        if url is not None:
            links: JsonObject = {name: f"{_PATH}/{event.job_id}{rest}" for name, rest in _LINKS.items()}
            body = body_of(event.id, event.type, event.at, {"job_id": event.job_id, **event.data, "links": links})
            yield make_delivery(webhook, event.id, event.type, body, now, job=(event.job_id, url))


_LINKS: Mapping[str, str] = {"self": "", "result": "/result"}


def _is_progress(event: Event) -> bool:
    """Where a run stands between its beginning and its end is for those who follow it."""
    return event.type is EventType.JOB_STATUS and not JobStatus(str(event.data["status"])).is_terminal


def _urls_of_jobs(rows: Rows, webhook: Webhook, events: list[Event]) -> Mapping[str, str]:
    ids = {event.job_id for event in events}
    gone = rows.deliveries.gone_jobs(webhook.tenant_id, webhook.id, ids)
    jobs = rows.jobs.find_all(webhook.tenant_id, ids - gone)
    return {job.id: job.options.webhook_url for job in jobs.values() if job.options.webhook_url is not None}


def after_try(delivery: Delivery, answer: PostAnswer, now: float, jitter: float) -> Delivery:
    """A delivery after one more try.

    Args:
        delivery: as it was claimed.
        answer: what came of the try.
        now: Unix seconds.
        jitter: -1 to 1: how much of `JITTER` its next wait is longer.
    """
    tried = replace(delivery, owner=None, lease_until=0.0, status_code=answer.status_code, fault=answer.fault)
    if answer.fault is None:
        return replace(tried, state=DeliveryState.DELIVERED, finished_at=now)
    if answer.status_code == GONE or delivery.type == PING or delivery.attempt > len(BACK_OFF_S):
        return replace(tried, state=DeliveryState.DEAD, finished_at=now)
    back_off = BACK_OFF_S[delivery.attempt - 1] * (1 + JITTER * jitter)
    return replace(tried, not_before=now + max(back_off, answer.retry_after_s or 0.0))


@dataclass(frozen=True, slots=True)
class _Try:
    """A claimed delivery, and the headers that its try has."""

    delivery: Delivery
    headers: Mapping[str, str]


class WebhookSender:
    """Sends in a thread of its own until it is stopped."""

    def __init__(self, services: Services, *, every_s: float = 1.0) -> None:
        self._services = services
        self._every_s = every_s
        self._owner = f"{services.process_id}:{uuid.uuid4().hex[:8]}"
        self._chance = random.Random()  # noqa: S311 - no secret
        self._flying: dict[Future[PostAnswer], Delivery] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    @cached_property
    def _poster(self) -> WebhookPoster:
        """Made at the first delivery: most installations have none."""
        return self._services.open_poster()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; what is on its way is cut and given back, so that another sender has it at once."""
        self._stopped.set()
        self._thread.join(timeout=_STOP_S)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self.send_round()
            except ServiceError as error:
                _log.warning("a round of webhooks ended early: %s", error.message)
            except Exception:  # the database may be away for a while; the next round does it
                _log.exception("a round of webhooks failed")
            self._stopped.wait(0 if self._flying else self._every_s)
        try:
            self._give_back()
        except Exception:  # the leases run out, and that is right
            _log.exception("deliveries could not be given back")

    def send_round(self) -> int:
        """Make deliveries, begin what can be begun, and settle what has ended, for which it waits a moment.

        Returns:
            How many are still on their way.
        """
        make_deliveries(self._services)
        for begun in self._claim():
            post = self._poster.post(begun.delivery.url, begun.headers, begun.delivery.body.encode())
            self._flying[self._services.loop.submit(post)] = begun.delivery
        if self._flying:
            ended, _ = wait(self._flying, timeout=self._every_s, return_when=FIRST_COMPLETED)
            for post in ended:
                self._settle(self._flying.pop(post), post)
        return len(self._flying)

    def _claim(self) -> list[_Try]:
        services, now = self._services, self._services.clock()
        with services.store.read() as rows:
            hosts = rows.deliveries.hosts_due(now)
        if not hosts:
            return []
        busy = Counter((delivery.tenant_id, delivery.host) for delivery in self._flying.values())
        free = _IN_FLIGHT - len(self._flying)
        lease_until = now + services.limits.webhook_timeout_s + services.rule.lease_s
        begun: list[_Try] = []
        with services.store.write(durable=True) as rows:
            for due in hosts:
                most = min(_PER_HOST - busy[(due.tenant_id, due.host)], free - len(begun))
                for delivery in rows.deliveries.claim(due, self._owner, now, lease_until, most) if most > 0 else ():
                    webhook = rows.webhooks.find(delivery.tenant_id, delivery.webhook_id)
                    if webhook is not None:
                        keys = webhook.secrets(now)
                        begun.append(_Try(delivery, _headers(services, keys, delivery, now)))
        return begun

    def _settle(self, delivery: Delivery, post: Future[PostAnswer]) -> None:
        answer = post.result()
        now = self._services.clock()
        settled = after_try(delivery, answer, now, self._chance.uniform(-1, 1))
        with self._services.store.write(durable=True) as rows:
            if rows.deliveries.settle(settled, self._owner) and answer.status_code == GONE:
                _end_address(rows, delivery, answer.fault or "", now)

    def _give_back(self) -> None:
        for post in self._flying:
            post.cancel()
        wait(self._flying, timeout=self._every_s)
        for post, delivery in self._flying.items():
            try:
                self._settle(delivery, post)
            except (CancelledError, TimeoutError):
                untried = replace(delivery, attempt=delivery.attempt - 1, owner=None, lease_until=0.0)
                with self._services.store.write(durable=True) as rows:
                    rows.deliveries.settle(untried, self._owner)
        self._flying.clear()


def _headers(services: Services, keys: tuple[str, ...], delivery: Delivery, now: float) -> Mapping[str, str]:
    signed = signed_headers(keys, delivery.event_id, now, delivery.body.encode())
    return {"content-type": "application/json", "user-agent": f"Fieldmark/{services.engine}", **signed}


def _end_address(rows: Rows, delivery: Delivery, fault: str, now: float) -> None:
    """Its receiver wants nothing more: neither what waits, nor what is to come."""
    webhook = rows.webhooks.find(delivery.tenant_id, delivery.webhook_id, lock=True)
    if webhook is not None and webhook.id != JOBS_WEBHOOK and webhook.url == delivery.url:
        rows.webhooks.save(replace(webhook, disabled_at=now))
    rows.deliveries.bury(delivery.tenant_id, delivery.webhook_id, delivery.url, fault, now)
