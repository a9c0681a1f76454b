"""A browser's sign-in: the key rides in a cookie that no script reads and that no other site's page can send."""

from __future__ import annotations

from collections.abc import Mapping

COOKIE = "fieldmark_key"
COOKIE_S = 12 * 3600
"""A working day; closing the browser does not end it, signing out does."""


def authorization_of(authorization: str | None, cookies: Mapping[str, str]) -> str | None:
    """The `Authorization` of a request: its own, or the one that its session stands for."""
    if authorization is not None:
        return authorization
    key = cookies.get(COOKIE)
    return f"Bearer {key}" if key else None
