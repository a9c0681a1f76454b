"""A browser's sign-in: the key rides in a cookie that no script reads and that no other site's page can send."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from service.auth.links import COOKIE_PREFIX, LinkSigner
from service.domain.errors import AccessError

COOKIE = "fieldmark_key"
COOKIE_S = 12 * 3600
"""A working day; closing the browser does not end it, signing out does."""


def link_of(cookies: Mapping[str, str], signer: LinkSigner, named: Mapping[str, object], now: float) -> str | None:
    """The `Authorization` that a signed link stands for, if one is about the document that a request names.

    Args:
        cookies: of the request.
        signer: of this installation.
        named: the ids in the request's path.
        now: Unix seconds.
    """
    for name, token in cookies.items():
        if name.startswith(COOKIE_PREFIX):
            with suppress(AccessError):
                if signer.read(token, now).allows(named):
                    return f"Bearer {token}"
    return None


def authorization_of(authorization: str | None, cookies: Mapping[str, str]) -> str | None:
    """The `Authorization` of a request: its own, or the one that its session stands for."""
    if authorization is not None:
        return authorization
    key = cookies.get(COOKIE)
    return f"Bearer {key}" if key else None
