"""Who sent an event, and when.

Source: https://github.com/standard-webhooks/standard-webhooks (specification 1.0.0), read 2026-11-30.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Mapping

from pydantic import ValidationError

from fieldmark_client.errors import WebhookError
from fieldmark_client.models import Event

_PREFIX = "whsec_"
TOLERANCE_S = 300.0
"""An older request may be one that somebody kept and sends again."""


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes | str, *, tolerance_s: float = TOLERANCE_S
) -> Event:
    """The event of a request, if the service sent it.

    Args:
        secret: `whsec_…`, as the service showed it when the webhook was made.
        headers: of the request, in any case.
        body: of the request, byte for byte as it came.
        tolerance_s: how far the two clocks may be apart, and how old a request may be.

    Raises:
        WebhookError: a header is missing, the signature is another, the time is too far off, or it is no event.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, sent_at = given["webhook-id"], given["webhook-timestamp"]
        signatures, age = given["webhook-signature"].split(), abs(time.time() - int(sent_at))
        key = base64.b64decode(secret.removeprefix(_PREFIX))
    except (KeyError, ValueError, binascii.Error) as error:
        raise WebhookError(f"The request has no usable signature ({error}).") from error
    if age > tolerance_s:
        raise WebhookError(f"The request is {age:.0f} seconds off; {tolerance_s:.0f} are allowed.")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{sent_at}.".encode() + raw
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(f"v1,{expected}".encode(), one.encode()) for one in signatures):
        raise WebhookError("The signature is not that of this secret.")
    try:
        return Event.model_validate_json(raw)
    except ValidationError as error:
        raise WebhookError("The body is no event.") from error
