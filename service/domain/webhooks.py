"""Where events are sent to, and each sending of one. Times are Unix seconds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from service.domain.events import EventType

JOBS_WEBHOOK = "jobs"
"""Id of the webhook that stands for every `webhook_url` a tenant's jobs name: it holds the secret that signs them."""
PING = "webhook.test"
"""The type of what is sent to try a webhook; it is no entry of the event log."""
WEBHOOK_EVENTS = tuple(EventType)
"""What a webhook may be sent; of `job.status`, the end of a run alone."""


class DeliveryState(StrEnum):
    """Where a delivery stands; the last two are final until somebody asks for it again."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    DEAD = "dead"
    """Given up: after the last try, or because the receiver wants nothing more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """One address of a tenant to which events are sent."""

    tenant_id: str
    id: str
    url: str
    """Empty for `JOBS_WEBHOOK`, whose deliveries bring their own."""
    types: tuple[EventType, ...]
    secret: str
    """`whsec_…`; shown once, when it is made."""
    old_secret: str | None = None
    """The one before, which signs too until `old_until`."""
    old_until: float = 0.0
    description: str
    after: int
    """Position in the event log up to which deliveries were made."""
    disabled_at: float | None = None
    """When its receiver answered that it wants nothing more."""
    created_at: float
    created_by: str

    def secrets(self, now: float) -> tuple[str, ...]:
        """Those that sign now, the current one first."""
        old = self.old_secret
        return (self.secret, old) if old is not None and now < self.old_until else (self.secret,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One event on its way to one address; all its tries have the same body and id."""

    id: str
    tenant_id: str
    webhook_id: str
    event_id: str
    """The header `webhook-id`: the same at each try, and the same in polling."""
    type: str
    job_id: str | None
    url: str
    host: str
    """Of the URL; with the tenant, what tries are spread by, so that a slow receiver delays nobody else's."""
    body: str
    """JSON; sent byte for byte as it stands here."""
    state: DeliveryState = DeliveryState.WAITING
    attempt: int = 0
    """Tries that were begun."""
    not_before: float
    owner: str | None = None
    lease_until: float = 0.0
    status_code: int | None = None
    """Of the last answer; None: there was none."""
    fault: str | None = None
    """Why the last try failed."""
    created_at: float
    finished_at: float | None = None
