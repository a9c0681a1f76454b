"""The pages, their files, and signing in; no page holds data, each asks the API for it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Path, Request, Response

from service.auth.keys import Authenticator
from service.auth.sessions import COOKIE, COOKIE_S, authorization_of
from service.domain.errors import AccessError

_TYPES: Mapping[str, str] = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
    "Referrer-Policy": "same-origin",  # with none a form of ours would come from the origin `null`, which is refused
}
_MOST_FORM_BYTES = 4096
_PART = re.compile(r"[a-z-]{1,40}\.(css|js|svg)")
_SEE_OTHER = 303


def ui_router(authenticator: Authenticator) -> APIRouter:
    """The routes of the screen; not part of the OpenAPI document.

    Args:
        authenticator: tells whether a browser has signed in, where keys exist.
    """
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def inbox(request: Request) -> Response:
        return _page(request, authenticator, "inbox.html")

    @router.get("/review/{job_id}")
    def document(request: Request, job_id: Annotated[str, Path(max_length=64)]) -> Response:
        return _page(request, authenticator, "review.html")

    @router.get("/sign-in")
    def sign_in(request: Request) -> Response:
        return _file(request, "sign-in.html")

    @router.post("/sign-in")
    async def take_key(request: Request) -> Response:
        return _signed_in(request, authenticator, await _form_key(request))

    @router.post("/sign-out")
    def sign_out() -> Response:
        answer = _see("/sign-in")
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return answer

    @router.get("/ui/{name}")
    def file(request: Request, name: str) -> Response:
        return _file(request, name if _PART.fullmatch(name) else "")

    return router


def _page(request: Request, authenticator: Authenticator, name: str) -> Response:
    """A page for someone who may look; others are sent to sign in."""
    client = request.client.host if request.client else None
    key = authorization_of(request.headers.get("authorization"), request.cookies)
    try:
        authenticator.authenticate(key, client)
    except AccessError:
        return _see("/sign-in")
    return _file(request, name, signed_in=COOKIE in request.cookies)


async def _form_key(request: Request) -> str:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_FORM_BYTES:
            return ""
    return parse_qs(body.decode("utf-8", errors="replace")).get("key", [""])[0].strip()


def _signed_in(request: Request, authenticator: Authenticator, key: str) -> Response:
    client = request.client.host if request.client else None
    try:
        authenticator.authenticate(f"Bearer {key}", client)
    except AccessError:
        return _see("/sign-in?refused")
    answer = _see("/")
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, key, COOKIE_S, path="/", httponly=True, samesite="strict", secure=secure)
    return answer


def _see(place: str) -> Response:
    return Response(status_code=_SEE_OTHER, headers={**_HEADERS, "Location": place})


def _file(request: Request, name: str, *, signed_in: bool = False) -> Response:
    body, tag = _read(name, signed_in)
    if body is None:
        return Response(status_code=404, headers=_HEADERS)
    headers = {**_HEADERS, "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    kind = _TYPES[name.rpartition(".")[2]]
    return Response(body, media_type=f"{kind}; charset=utf-8", headers=headers)


@cache
def _read(name: str, signed_in: bool) -> tuple[bytes | None, str]:
    """A file of this package and its tag; a page says whether there is a session that can be ended."""
    found = resources.files("service.ui") / "static" / name
    if not name or not found.is_file():
        return None, ""
    body = found.read_bytes()
    if signed_in:
        body = body.replace(b'<body class="', b'<body class="signed-in ', 1)
    return body, f'"{hashlib.sha256(body).hexdigest()[:20]}"'
