"""Headers that the vendor sends with every answer, so that clients which read them find them here too.

Source: https://console.upstage.ai/docs (rate limits), read 2026-11-30.
"""

from __future__ import annotations

import time
from math import ceil

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.context import Places

ROOT = "/v1"
_PREFIX = "x-upstage-ratelimit-"
_UNMETERED_TOKENS = 1_000_000_000
_RESET_S = 1
_CONFLICT = 409


class VendorHeaders:
    """ASGI middleware around everything below `/v1`, refusals included.

    What is limited here is how many requests wait at once. Tokens and pages are not metered: their limits are told as
    never used up.
    """

    def __init__(self, app: ASGIApp, *, places: Places, most_pages: int) -> None:
        self._app = app
        self._places = places
        self._most_pages = most_pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or not scope["path"].startswith(f"{ROOT}/"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message["headers"]))
                self._add(headers, message["status"])
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _add(self, headers: MutableHeaders, status: int) -> None:
        now = time.time()
        meters = (
            ("requests", self._places.most, self._places.free),
            ("tokens", _UNMETERED_TOKENS, _UNMETERED_TOKENS),
            ("pages", self._most_pages, self._most_pages),
        )
        for meter, limit, remaining in meters:
            headers[f"{_PREFIX}limit-{meter}"] = str(limit)
            headers[f"{_PREFIX}remaining-{meter}"] = str(remaining)
            headers[f"{_PREFIX}reset-{meter}"] = str(ceil(now) + _RESET_S)
        if "retry-after" in headers:
            headers[f"{_PREFIX}retry-after-requests"] = str(ceil(now) + int(headers["retry-after"]))
        if status == _CONFLICT:  # OpenAI's clients would send such a request again, twice
            headers["x-should-retry"] = "false"
