"""Webhooks as they are asked for and shown."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from service.api.payloads import examples
from service.api.payloads.base import API, Payload, moment
from service.api.payloads.events import DeliveryPayload
from service.domain.events import EventType
from service.domain.records import Json, JsonObject
from service.domain.webhooks import WEBHOOK_EVENTS, Webhook


class WebhookRequest(BaseModel):
    """A new webhook."""

    model_config = ConfigDict(extra="forbid")

    url: str = Field(min_length=1, max_length=2000, description="An https address on the public internet.")
    types: list[EventType] = Field(list(WEBHOOK_EVENTS), min_length=1, description="What is sent; all if left out.")
    description: str = Field("", max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")


class WebhookPayload(Payload):
    """A webhook."""

    id: str
    """`jobs`: the secret that signs what goes to the addresses that came with jobs."""
    url: str
    types: list[EventType]
    description: str
    secret: str | None
    """`whsec_…`; shown once, when it is made, and null ever after."""
    old_secret_until: datetime | None
    """Until then the secret before this one signs too."""
    disabled_at: datetime | None
    """When its receiver answered with 410; nothing is sent until it is enabled."""
    created_at: datetime
    created_by: str
    links: dict[str, str]

    @classmethod
    def of(cls, webhook: Webhook, *, shown: bool = False) -> WebhookPayload:
        """From the domain; `shown`: with its secret."""
        here = f"{API}/webhooks/{webhook.id}"
        return cls(
            id=webhook.id,
            url=webhook.url,
            types=list(webhook.types),
            description=webhook.description,
            secret=webhook.secret if shown else None,
            old_secret_until=None if webhook.old_secret is None else moment(webhook.old_until),
            disabled_at=None if webhook.disabled_at is None else moment(webhook.disabled_at),
            created_at=moment(webhook.created_at),
            created_by=webhook.created_by,
            links={"self": here} | {name: f"{here}/{name}" for name in ("deliveries", "test", "rotate", "enable")},
        )


class WebhookListPayload(Payload):
    """All webhooks, oldest first."""

    webhooks: list[WebhookPayload]


class DeliveryListPayload(Payload):
    """Deliveries, newest first."""

    deliveries: list[DeliveryPayload]
    next_cursor: str | None


_TYPES: list[Json] = list(WEBHOOK_EVENTS)
_ID = "wh_1f2e3d4c5b6a79880716f5e4d3c2b1a0"
WEBHOOK: JsonObject = {
    "id": _ID,
    "url": "https://hooks.example.com/fieldmark",
    "types": _TYPES,
    "description": "Accounting",
    "secret": None,
    "old_secret_until": None,
    "disabled_at": None,
    "created_at": "2026-11-30T09:00:00.120Z",
    "created_by": "anna",
    "links": {
        "self": f"{API}/webhooks/{_ID}",
        "deliveries": f"{API}/webhooks/{_ID}/deliveries",
        "test": f"{API}/webhooks/{_ID}/test",
        "rotate": f"{API}/webhooks/{_ID}/rotate",
        "enable": f"{API}/webhooks/{_ID}/enable",
    },
}
FRESH_WEBHOOK = WEBHOOK | {"secret": "whsec_3q2+7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}
WEBHOOK_REQUEST: JsonObject = {"url": "https://hooks.example.com/fieldmark", "types": ["job.status"]}
EXAMPLES = ((WebhookPayload, WEBHOOK), (DeliveryPayload, examples.DELIVERY), (WebhookRequest, WEBHOOK_REQUEST))
