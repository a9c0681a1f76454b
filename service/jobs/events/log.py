"""The event log, read: for polling, and for the stream of one job."""

from __future__ import annotations

from service.domain.events import Event
from service.jobs.services import Services


def read_events(services: Services, tenant_id: str, *, after: int, most: int) -> tuple[Event, ...]:
    """Events of a tenant behind a position, oldest first."""
    with services.store.read() as rows:
        return rows.events.after(tenant_id, after, most)


def read_job_events(services: Services, tenant_id: str, job_id: str, *, after_seq: int, most: int) -> tuple[Event, ...]:
    """Events of one job behind a sequence number, oldest first."""
    with services.store.read() as rows:
        return rows.events.of_job(tenant_id, job_id, after_seq, most)
