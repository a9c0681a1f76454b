"""Webhooks over REST: addresses to which the event log is sent, and what became of each sending."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from service.api.bodies import read_object
from service.api.context import Admin, ServicesOf, refuse_query
from service.api.documentation import errors, json_body, success
from service.api.faults import check_body
from service.api.payloads import examples
from service.api.payloads.base import API, PageQuery, Payload, moment
from service.api.payloads.events import DeliveryPayload
from service.api.payloads.job_requests import IN_IDS
from service.domain.errors import ErrorCode
from service.domain.events import EventType
from service.domain.records import Json, JsonObject
from service.domain.webhooks import WEBHOOK_EVENTS, DeliveryState, Webhook
from service.jobs.events import webhooks as use

router = APIRouter(tags=["webhooks"])
_NO_QUERY = Depends(refuse_query)
WebhookId = Annotated[str, Path(description="Id of a webhook, or `jobs`.", max_length=64, pattern=IN_IDS)]
DeliveryId = Annotated[str, Path(description="Id of a delivery.", max_length=64, pattern=IN_IDS)]


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


class DeliveryQuery(PageQuery):
    """Which deliveries are shown."""

    state: DeliveryState | None = Field(None, description="`dead`: the dead-letter list.")


_TYPES: list[Json] = list(WEBHOOK_EVENTS)
_ID = "wh_1f2e3d4c5b6a79880716f5e4d3c2b1a0"
_EXAMPLE: JsonObject = {
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
_FRESH = _EXAMPLE | {"secret": "whsec_3q2+7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}
_REQUEST: JsonObject = {"url": "https://hooks.example.com/fieldmark", "types": ["job.status"]}
_ONE = errors(ErrorCode.WEBHOOK_NOT_FOUND)
EXAMPLES = ((WebhookPayload, _EXAMPLE), (DeliveryPayload, examples.DELIVERY), (WebhookRequest, _REQUEST))


@router.post(
    "/webhooks",
    status_code=201,
    summary="Make a webhook",
    dependencies=[_NO_QUERY],
    responses=errors(ErrorCode.WRONG_STATE)
    | success(WebhookPayload, _FRESH, "Made; its secret is shown this once.", status=201),
    openapi_extra=json_body(WebhookRequest, _REQUEST),
)
async def make(request: Request, services: ServicesOf, caller: Admin, response: Response) -> WebhookPayload:
    """Send what happens from now on to an address, signed after the Standard Webhooks specification."""
    wanted = check_body(WebhookRequest, await read_object(request))

    def add() -> Webhook:
        return use.add_webhook(
            services,
            caller.tenant_id,
            wanted.url,
            wanted.types,
            description=wanted.description,
            by=caller.user,
        )

    webhook = await to_thread.run_sync(add)
    response.headers["Location"] = f"{API}/webhooks/{webhook.id}"
    return WebhookPayload.of(webhook, shown=True)


@router.get(
    "/webhooks",
    summary="List webhooks",
    dependencies=[_NO_QUERY],
    responses=errors() | success(WebhookListPayload, {"webhooks": [_EXAMPLE]}, "All."),
)
def read_all(services: ServicesOf, caller: Admin) -> WebhookListPayload:
    """All webhooks, without their secrets."""
    found = use.list_webhooks(services, caller.tenant_id)
    return WebhookListPayload(webhooks=[WebhookPayload.of(webhook) for webhook in found])


@router.get(
    "/webhooks/{webhook_id}",
    summary="A webhook",
    dependencies=[_NO_QUERY],
    responses=_ONE | success(WebhookPayload, _EXAMPLE, "It."),
)
def read(webhook_id: WebhookId, services: ServicesOf, caller: Admin) -> WebhookPayload:
    """One webhook, without its secret."""
    return WebhookPayload.of(use.get_webhook(services, caller.tenant_id, webhook_id))


@router.delete(
    "/webhooks/{webhook_id}",
    summary="Delete a webhook",
    dependencies=[_NO_QUERY],
    responses=_ONE | success(WebhookPayload, _EXAMPLE, "As it was."),
)
def delete(webhook_id: WebhookId, services: ServicesOf, caller: Admin) -> WebhookPayload:
    """Send nothing more, and forget what was sent."""
    webhook = use.get_webhook(services, caller.tenant_id, webhook_id)
    use.remove_webhook(services, caller.tenant_id, webhook_id)
    return WebhookPayload.of(webhook)


@router.post(
    "/webhooks/{webhook_id}/rotate",
    summary="Give it a new secret",
    dependencies=[_NO_QUERY],
    responses=_ONE | success(WebhookPayload, _FRESH, "The new secret, shown this once."),
)
def rotate(webhook_id: WebhookId, services: ServicesOf, caller: Admin) -> WebhookPayload:
    """Sign with a new secret; for a day the old one signs too. `jobs` has the secret for the jobs' own addresses."""
    return WebhookPayload.of(use.rotate_secret(services, caller.tenant_id, webhook_id), shown=True)


@router.post(
    "/webhooks/{webhook_id}/enable",
    summary="Send again",
    dependencies=[_NO_QUERY],
    responses=_ONE | success(WebhookPayload, _EXAMPLE, "It is sent to from now on."),
)
def enable(webhook_id: WebhookId, services: ServicesOf, caller: Admin) -> WebhookPayload:
    """Send to a receiver again that had answered with 410; what it missed is in GET /events."""
    return WebhookPayload.of(use.enable_webhook(services, caller.tenant_id, webhook_id))


@router.post(
    "/webhooks/{webhook_id}/test",
    status_code=202,
    summary="Try a webhook",
    dependencies=[_NO_QUERY],
    responses=errors(ErrorCode.WEBHOOK_NOT_FOUND, ErrorCode.WRONG_STATE)
    | success(DeliveryPayload, examples.DELIVERY, "The delivery; its list tells what came of it.", status=202),
)
def ping(webhook_id: WebhookId, services: ServicesOf, caller: Admin) -> DeliveryPayload:
    """Send one `webhook.test`, which is not repeated when it fails."""
    return DeliveryPayload.of(use.ping_webhook(services, caller.tenant_id, webhook_id))


@router.get(
    "/webhooks/{webhook_id}/deliveries",
    summary="Deliveries of a webhook",
    responses=_ONE
    | success(DeliveryListPayload, {"deliveries": [examples.DELIVERY], "next_cursor": None}, "Those that fit."),
)
def read_deliveries(
    webhook_id: WebhookId, wanted: Annotated[DeliveryQuery, Query()], services: ServicesOf, caller: Admin
) -> DeliveryListPayload:
    """Deliveries, newest first; with `state=dead` those that were given up."""
    found, cursor = use.list_deliveries(
        services, caller.tenant_id, webhook_id, wanted.state, cursor=wanted.cursor, most=wanted.limit
    )
    return DeliveryListPayload(deliveries=[DeliveryPayload.of(delivery) for delivery in found], next_cursor=cursor)


@router.post(
    "/deliveries/{delivery_id}/redeliver",
    status_code=202,
    summary="Deliver again",
    dependencies=[_NO_QUERY],
    responses=errors(ErrorCode.DELIVERY_NOT_FOUND, ErrorCode.WEBHOOK_NOT_FOUND, ErrorCode.WRONG_STATE)
    | success(DeliveryPayload, examples.DELIVERY, "It waits for its first try.", status=202),
)
def deliver_again(delivery_id: DeliveryId, services: ServicesOf, caller: Admin) -> DeliveryPayload:
    """Begin the tries of a delivery anew, with the same id and body."""
    return DeliveryPayload.of(use.redeliver(services, caller.tenant_id, delivery_id))
