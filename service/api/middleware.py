"""What every request and answer goes through: its id, where it may come from, safe headers, HEAD, and a count."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.context import REQUEST_ID
from service.api.errors import error_response, unexpected_response
from service.api.metrics import Metrics
from service.auth.origin import OriginRule
from service.domain.errors import AccessError

_SANE_ID = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_SAFE: Sequence[tuple[str, str]] = (
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("cache-control", "no-store"),
)
"""Unless an answer brings its own."""


class Envelope:
    """ASGI middleware around the whole app; it never looks into a body."""

    def __init__(self, app: ASGIApp, *, rule: OriginRule, metrics: Metrics) -> None:
        self._app = app
        self._rule = rule
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if _SANE_ID.fullmatch(given) else f"req_{uuid.uuid4().hex}"
        answer = _Answer(send, request_id, head_only=scope["method"] == "HEAD")
        scope = {**scope, REQUEST_ID: request_id}  # a copy: the server still has to know that HEAD was asked
        if answer.head_only:
            scope["method"] = "GET"
        started = time.perf_counter()
        try:
            self._rule.check(host=headers.get("host"), origin=headers.get("origin"), scheme=scope["scheme"])
            await self._app(scope, receive, answer.send)
        except AccessError as error:
            await error_response(error, request_id)(scope, receive, answer.send)
        except Exception as error:  # the edge: whatever is not foreseen becomes a 500
            if _has_left(error):
                return
            if answer.started:
                raise  # half an answer is out: the server cuts the connection
            await unexpected_response(error, request_id)(scope, receive, answer.send)
        finally:
            self._metrics.count(scope, answer.status, time.perf_counter() - started)


class _Answer:
    """Passes an answer on with the headers that each has, without its body for HEAD."""

    def __init__(self, send: Send, request_id: str, *, head_only: bool) -> None:
        self._send = send
        self._request_id = request_id
        self.head_only = head_only
        self.started = False
        self.status = 499
        """What was sent; as it stands when the other end left first."""

    async def send(self, message: Message) -> None:
        """See ASGI."""
        if message["type"] == "http.response.start":
            self.started, self.status = True, message["status"]
            headers = MutableHeaders(raw=list(message["headers"]))
            headers["x-request-id"] = self._request_id
            for name, value in _SAFE:
                headers.setdefault(name, value)
            message = {**message, "headers": headers.raw}
        elif self.head_only:
            endless = message.get("more_body", False)
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            if endless:
                raise ClientDisconnect
            return
        await self._send(message)


def _has_left(error: BaseException) -> bool:
    """Whether the other end is gone, or asked for the head alone and has it."""
    if isinstance(error, BaseExceptionGroup):
        return all(_has_left(inner) for inner in error.exceptions)
    return isinstance(error, ClientDisconnect)
