"""Signatures of webhooks: HMAC-SHA256 over id, time and body, one for each secret that is in force.

Source: https://github.com/standard-webhooks/standard-webhooks (specification 1.0.0), read 2026-11-30.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence

_PREFIX = "whsec_"
_SECRET_BYTES = 32


def new_secret() -> str:
    """A fresh signing secret, as its receiver keeps it."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def signed_headers(keys: Sequence[str], message_id: str, now: float, body: bytes) -> Mapping[str, str]:
    """The headers that let the receiver tell who sent a body, and when.

    Args:
        keys: `whsec_…`, the current one first.
        message_id: the same at each try.
        now: of this try, Unix seconds.
        body: as it is sent, byte for byte.
    """
    timestamp = str(int(now))
    signed = b".".join([message_id.encode(), timestamp.encode(), body])
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{_signature(key, signed)}" for key in keys),
    }


def _signature(key: str, signed: bytes) -> str:
    raw = base64.b64decode(key.removeprefix(_PREFIX))
    return base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()
