"""Webhooks over REST: addresses to which the event log is sent, and what became of each sending."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import Field

from service.api.bodies import read_object
from service.api.context import Admin, ServicesOf, refuse_query
from service.api.documentation import errors, json_body, success
from service.api.faults import check_body
from service.api.payloads import examples
from service.api.payloads.base import API, PageQuery
from service.api.payloads.events import DeliveryPayload
from service.api.payloads.job_requests import IN_IDS
from service.api.payloads.webhooks import (
    FRESH_WEBHOOK,
    WEBHOOK,
    WEBHOOK_REQUEST,
    DeliveryListPayload,
    WebhookListPayload,
    WebhookPayload,
    WebhookRequest,
)
from service.domain.errors import ErrorCode
from service.domain.webhooks import DeliveryState, Webhook
from service.jobs.events import webhooks as use

router = APIRouter(tags=["webhooks"])
_NO_QUERY = Depends(refuse_query)
WebhookId = Annotated[str, Path(description="Id of a webhook, or `jobs`.", max_length=64, pattern=IN_IDS)]
DeliveryId = Annotated[str, Path(description="Id of a delivery.", max_length=64, pattern=IN_IDS)]


class DeliveryQuery(PageQuery):
    """Which deliveries are shown."""

    state: DeliveryState | None = Field(None, description="`dead`: the dead-letter list.")


_ONE = errors(ErrorCode.WEBHOOK_NOT_FOUND)


@router.post(
    "/webhooks",
    status_code=201,
    summary="Make a webhook",
    dependencies=[_NO_QUERY],
    responses=errors(ErrorCode.WRONG_STATE)
    | success(WebhookPayload, FRESH_WEBHOOK, "Made; its secret is shown this once.", status=201),
    openapi_extra=json_body(WebhookRequest, WEBHOOK_REQUEST),
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
    responses=errors() | success(WebhookListPayload, {"webhooks": [WEBHOOK]}, "All."),
)
def read_all(services: ServicesOf, caller: Admin) -> WebhookListPayload:
    """All webhooks, without their secrets."""
    found = use.list_webhooks(services, caller.tenant_id)
    return WebhookListPayload(webhooks=[WebhookPayload.of(webhook) for webhook in found])


@router.get(
    "/webhooks/{webhook_id}",
    summary="A webhook",
    dependencies=[_NO_QUERY],
    responses=_ONE | success(WebhookPayload, WEBHOOK, "It."),
)
def read(webhook_id: WebhookId, services: ServicesOf, caller: Admin) -> WebhookPayload:
    """One webhook, without its secret."""
    return WebhookPayload.of(use.get_webhook(services, caller.tenant_id, webhook_id))


@router.delete(
    "/webhooks/{webhook_id}",
    summary="Delete a webhook",
    dependencies=[_NO_QUERY],
    responses=_ONE | success(WebhookPayload, WEBHOOK, "As it was."),
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
    responses=_ONE | success(WebhookPayload, FRESH_WEBHOOK, "The new secret, shown this once."),
)
def rotate(webhook_id: WebhookId, services: ServicesOf, caller: Admin) -> WebhookPayload:
    """Sign with a new secret; for a day the old one signs too. `jobs` has the secret for the jobs' own addresses."""
    return WebhookPayload.of(use.rotate_secret(services, caller.tenant_id, webhook_id), shown=True)


@router.post(
    "/webhooks/{webhook_id}/enable",
    summary="Send again",
    dependencies=[_NO_QUERY],
    responses=_ONE | success(WebhookPayload, WEBHOOK, "It is sent to from now on."),
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
