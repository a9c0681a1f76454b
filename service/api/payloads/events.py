"""The event log and its deliveries as callers get them."""

from __future__ import annotations

from datetime import datetime

from service.api.payloads.base import Payload, moment
from service.domain.events import Event, EventType
from service.domain.records import JsonObject
from service.domain.webhooks import Delivery, DeliveryState


class EventPayload(Payload):
    """An entry of the log."""

    id: str
    """The same in polling, in streams and in webhooks, where it is the `webhook-id`."""
    position: int
    """Order over all jobs; the cursor of polling."""
    seq: int
    """Order within the job; the id in the job's stream."""
    job_id: str
    type: EventType
    data: JsonObject
    at: datetime

    @classmethod
    def of(cls, event: Event) -> EventPayload:
        """From the domain."""
        return cls(
            id=event.id,
            position=event.position,
            seq=event.seq,
            job_id=event.job_id,
            type=event.type,
            data=event.data,
            at=moment(event.at),
        )


class EventListPayload(Payload):
    """Events, oldest first."""

    events: list[EventPayload]
    next_after: int
    """Send it as `after` for what follows."""


class DeliveryPayload(Payload):
    """One event on its way to a webhook's receiver; all its tries have the same id and body."""

    id: str
    webhook_id: str
    event_id: str
    """The header `webhook-id`."""
    type: str
    job_id: str | None
    host: str
    state: DeliveryState
    attempts: int
    next_attempt_at: datetime | None
    """Null once it is delivered or dead."""
    status_code: int | None
    """Of the last answer; null: there was none."""
    fault: str | None
    """Why the last try failed."""
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, delivery: Delivery) -> DeliveryPayload:
        """From the domain."""
        waits = delivery.state is DeliveryState.WAITING
        return cls(
            id=delivery.id,
            webhook_id=delivery.webhook_id,
            event_id=delivery.event_id,
            type=delivery.type,
            job_id=delivery.job_id,
            host=delivery.host,
            state=delivery.state,
            attempts=delivery.attempt,
            next_attempt_at=moment(delivery.not_before) if waits else None,
            status_code=delivery.status_code,
            fault=delivery.fault,
            created_at=moment(delivery.created_at),
            finished_at=None if delivery.finished_at is None else moment(delivery.finished_at),
        )
