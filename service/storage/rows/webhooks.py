"""Rows of webhooks and of their deliveries: made from the event log, claimed with a lease, tried until delivered."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from service.domain.webhooks import Delivery, DeliveryState, Webhook
from service.storage import tables
from service.storage.codec import from_json, to_columns
from service.storage.rows.paging import Cursor, newest_first
from service.storage.rows.upsert import upsert

_OUTCOME = ("state", "attempt", "owner", "lease_until", "status_code", "fault", "finished_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Deliveries that wait for a try, by tenant and host."""

    tenant_id: str
    host: str


class WebhookRows:
    """Webhooks of a tenant."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, webhook: Webhook) -> bool:
        """Keep a new one; False if there is one of that id."""
        query = upsert(self._connection, tables.webhooks).values(to_columns(webhook)).on_conflict_do_nothing()
        return self._connection.execute(query.returning(tables.webhooks.c.id)).first() is not None

    def find(self, tenant_id: str, webhook_id: str, *, lock: bool = False) -> Webhook | None:
        """One of this tenant, or None."""
        query = select(tables.webhooks).where(*_is(tenant_id, webhook_id))
        row = self._connection.execute(query.with_for_update() if lock else query).mappings().one_or_none()
        return from_json(Webhook, row) if row else None

    def all_of(self, tenant_id: str) -> tuple[Webhook, ...]:
        """Those of a tenant, oldest first."""
        hook = tables.webhooks.c
        query = select(tables.webhooks).where(hook.tenant_id == tenant_id).order_by(hook.created_at, hook.id)
        return tuple(from_json(Webhook, row) for row in self._connection.execute(query).mappings())

    def count(self, tenant_id: str) -> int:
        """How many a tenant has."""
        query = select(func.count()).select_from(tables.webhooks).where(tables.webhooks.c.tenant_id == tenant_id)
        return self._connection.execute(query).scalar_one()

    def behind(self) -> tuple[Webhook, ...]:
        """Those of all tenants for which the event log has something new."""
        hook, event = tables.webhooks.c, tables.events.c
        newer = select(event.position).where(event.tenant_id == hook.tenant_id, event.position > hook.after).exists()
        query = select(tables.webhooks).where(hook.disabled_at.is_(None), newer)
        return tuple(from_json(Webhook, row) for row in self._connection.execute(query).mappings())

    def save(self, webhook: Webhook) -> None:
        """Write one that was loaded under a lock."""
        self._connection.execute(
            update(tables.webhooks).where(*_is(webhook.tenant_id, webhook.id)).values(to_columns(webhook))
        )

    def remove(self, tenant_id: str, webhook_id: str) -> bool:
        """Forget one with its deliveries; whether there was one."""
        row = tables.webhook_deliveries
        mine = row.c.tenant_id == tenant_id, row.c.webhook_id == webhook_id
        self._connection.execute(delete(row).where(*mine))
        return self._connection.execute(delete(tables.webhooks).where(*_is(tenant_id, webhook_id))).rowcount > 0


class DeliveryRows:
    """Deliveries of all tenants; every question of a caller names the tenant."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, deliveries: Sequence[Delivery]) -> None:
        """Insert new ones; one of an event that its webhook already has is left as it is."""
        rows = [to_columns(delivery) for delivery in deliveries]
        if rows:
            self._connection.execute(upsert(self._connection, tables.webhook_deliveries).on_conflict_do_nothing(), rows)

    def find(self, tenant_id: str, delivery_id: str, *, lock: bool = False) -> Delivery | None:
        """One of this tenant, or None."""
        row = tables.webhook_deliveries.c
        query = select(tables.webhook_deliveries).where(row.id == delivery_id, row.tenant_id == tenant_id)
        found = self._connection.execute(query.with_for_update() if lock else query).mappings().one_or_none()
        return from_json(Delivery, found) if found else None

    def newest(
        self, tenant_id: str, webhook_id: str, state: DeliveryState | None, before: Cursor | None, most: int
    ) -> tuple[Delivery, ...]:
        """Those of a webhook, newest first, older than the cursor (created_at, id)."""
        row = tables.webhook_deliveries.c
        query = select(tables.webhook_deliveries).where(row.tenant_id == tenant_id, row.webhook_id == webhook_id)
        if state is not None:
            query = query.where(row.state == state)
        found = self._connection.execute(newest_first(query, tables.webhook_deliveries, before, most))
        return tuple(from_json(Delivery, item) for item in found.mappings())

    def of_job(self, job_id: str, webhook_id: str) -> tuple[Delivery, ...]:
        """What a webhook was sent about a job, oldest first."""
        row = tables.webhook_deliveries.c
        query = select(tables.webhook_deliveries).where(row.job_id == job_id, row.webhook_id == webhook_id)
        found = self._connection.execute(query.order_by(row.created_at, row.id)).mappings()
        return tuple(from_json(Delivery, item) for item in found)

    def hosts_due(self, now: float) -> tuple[Due, ...]:
        """Whose deliveries wait for a try."""
        row = tables.webhook_deliveries.c
        query = select(row.tenant_id, row.host).where(*_due(now)).distinct()
        return tuple(Due(tenant_id=tenant_id, host=host) for tenant_id, host in self._connection.execute(query))

    def claim(self, due: Due, owner: str, now: float, lease_until: float, most: int) -> tuple[Delivery, ...]:
        """Take the oldest of those that wait; what another took meanwhile is passed over."""
        table, row = tables.webhook_deliveries, tables.webhook_deliveries.c
        mine = (row.tenant_id == due.tenant_id, row.host == due.host, *_due(now))
        oldest = select(row.id).where(*mine).order_by(row.not_before, row.id).limit(most)
        ids = self._connection.execute(oldest.with_for_update(skip_locked=True)).scalars().all()
        taken = update(table).where(row.id.in_(ids), *_due(now))
        changed = taken.values(owner=owner, lease_until=lease_until, attempt=row.attempt + 1)
        found = self._connection.execute(changed.returning(*row)).mappings()
        return tuple(from_json(Delivery, item) for item in found)

    def settle(self, delivery: Delivery, owner: str) -> bool:
        """Write what came of a try, unless the claim was lost."""
        table, row = tables.webhook_deliveries, tables.webhook_deliveries.c
        held = update(table).where(row.id == delivery.id, row.owner == owner, row.state == DeliveryState.WAITING)
        values = {name: value for name, value in to_columns(delivery).items() if name in {*_OUTCOME, "not_before"}}
        return self._connection.execute(held.values(values)).rowcount == 1

    def save(self, delivery: Delivery) -> None:
        """Write one that was loaded under a lock."""
        query = update(tables.webhook_deliveries).where(tables.webhook_deliveries.c.id == delivery.id)
        self._connection.execute(query.values(to_columns(delivery)))

    def bury(self, tenant_id: str, webhook_id: str, url: str, fault: str, now: float) -> None:
        """Give up all that waits for an address that wants nothing more."""
        table, row = tables.webhook_deliveries, tables.webhook_deliveries.c
        mine = row.tenant_id == tenant_id, row.webhook_id == webhook_id, row.url == url
        waiting = update(table).where(*mine, row.state == DeliveryState.WAITING)
        self._connection.execute(waiting.values(state=DeliveryState.DEAD, fault=fault, finished_at=now, owner=None))

    def gone_jobs(self, tenant_id: str, webhook_id: str, job_ids: Collection[str]) -> frozenset[str]:
        """Those of the jobs whose address answered that it wants nothing more."""
        row = tables.webhook_deliveries.c
        query = select(row.job_id).where(row.tenant_id == tenant_id, row.webhook_id == webhook_id)
        found = self._connection.execute(query.where(row.job_id.in_(job_ids), row.status_code == 410))
        return frozenset(job_id for job_id in found.scalars() if job_id)

    def remove_before(self, at: float) -> None:
        """Forget old ones, of all tenants."""
        row = tables.webhook_deliveries
        self._connection.execute(delete(row).where(row.c.created_at < at))


def _is(tenant_id: str, webhook_id: str) -> tuple[ColumnElement[bool], ...]:
    hook = tables.webhooks.c
    return hook.tenant_id == tenant_id, hook.id == webhook_id


def _due(now: float) -> tuple[ColumnElement[bool], ...]:
    row = tables.webhook_deliveries.c
    return row.state == DeliveryState.WAITING, row.not_before <= now, row.lease_until <= now
