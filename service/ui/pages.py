"""The pages, their files, and signing in; no page holds data, each asks the API for it."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Path, Request, Response

from service.auth.keys import Authenticator
from service.auth.links import ReviewLink, cookie_name
from service.auth.sessions import COOKIE, COOKIE_S, authorization_of, link_of
from service.domain.errors import AccessError

_TYPES: Mapping[str, str] = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
)
_HEADERS = {
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
    "Referrer-Policy": "same-origin",  # with none a form of ours would come from the origin `null`, which is refused
}
_PAGES = {"/": "inbox.html", "/quality": "quality.html", "/schemas": "schemas.html", "/docs": "reference.html"}
_MOST_FORM_BYTES = 4096
_ID = re.compile(r"[A-Za-z0-9_-]+")
_PART = re.compile(r"[a-z-]{1,40}\.(css|js|svg)")
_SEE_OTHER, _NOT_FOUND = 303, 404


def ui_router(authenticator: Authenticator, *, frame_ancestors: str = "") -> APIRouter:
    """The routes of the screen; not part of the OpenAPI document.

    Args:
        authenticator: tells whether a browser has signed in, where keys exist.
        frame_ancestors: origins, separated by spaces, whose pages may show the screen in a frame; empty: none.
    """
    router, screen = APIRouter(include_in_schema=False), _Screen(authenticator, frame_ancestors)

    @router.get("/review/{job_id}")
    def document(request: Request, job_id: Annotated[str, Path(max_length=64)]) -> Response:
        token = request.query_params.get("link")
        return screen.document(request, job_id) if token is None else screen.enter(request, job_id, token)

    @router.post("/sign-in")
    async def take_key(request: Request) -> Response:
        return screen.sign_in(request, await _form_key(request))

    @router.post("/sign-out")
    def sign_out() -> Response:
        answer = screen.see("/sign-in")
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return answer

    @router.get("/sign-in")
    def ask_key(request: Request) -> Response:
        return screen.file(request, "sign-in.html")

    @router.get("/ui/{version}/{name}")
    def part(request: Request, version: str, name: str) -> Response:
        return screen.part(request, name if _PART.fullmatch(name) else "", version)

    for place in _PAGES:
        router.add_api_route(place, screen.page, methods=["GET"])
    return router


class _Screen:
    """Gives out pages, each with its safe headers."""

    def __init__(self, authenticator: Authenticator, frame_ancestors: str) -> None:
        self._authenticator = authenticator
        ancestors = frame_ancestors.strip() or "'none'"
        self._headers = {**_HEADERS, "Content-Security-Policy": "; ".join((*_POLICY, f"frame-ancestors {ancestors}"))}
        if ancestors == "'none'":
            self._headers["X-Frame-Options"] = "DENY"

    def page(self, request: Request) -> Response:
        """A page for someone who may look; others are sent to sign in."""
        if not self._knows(request, authorization_of(request.headers.get("authorization"), request.cookies), {}):
            return self.see("/sign-in")
        return self.file(request, _PAGES[request.url.path], _marks(request, None))

    def document(self, request: Request, job_id: str) -> Response:
        """A document's page, for those who signed in and for those with a link to it."""
        named: Mapping[str, object] = {"job_id": job_id}
        shown = authorization_of(request.headers.get("authorization"), request.cookies)
        linked = link_of(request.cookies, self._authenticator.links, named, self._authenticator.now())
        if not self._knows(request, shown or linked, named):
            return self.see("/sign-in")
        link = None if linked is None else self._authenticator.links.read(linked[7:], self._authenticator.now())
        answer = self.file(request, "review.html", _marks(request, link))
        if _ID.fullmatch(job_id):  # what the page asks for first is on its way before its modules are
            answer.headers["Link"] = f"</api/v1/jobs/{job_id}>; rel=preload; as=fetch; crossorigin"
        return answer

    def enter(self, request: Request, job_id: str, token: str) -> Response:
        """Keep a signed link in a cookie and take it out of the address, where others might see it."""
        try:
            link = self._authenticator.links.read(token, self._authenticator.now())
        except AccessError:
            return self.see("/sign-in?ended")
        if link.job_id != job_id:
            return self.see("/sign-in?ended")
        answer = self.see(f"/review/{job_id}")
        left = max(1, int(link.expires_at - self._authenticator.now()))
        # In a frame of another site only such a cookie is sent; who posts from elsewhere is refused by its Origin.
        site = "SameSite=None; Secure; Partitioned" if request.url.scheme == "https" else "SameSite=Lax"
        cookie = f"{cookie_name(job_id)}={token}; Path=/; Max-Age={left}; HttpOnly; {site}"
        answer.headers.append("set-cookie", cookie)
        return answer

    def sign_in(self, request: Request, key: str) -> Response:
        """Take a key, if it is one."""
        if not self._knows(request, f"Bearer {key}", {}):
            return self.see("/sign-in?refused")
        answer = self.see("/")
        secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, key, COOKIE_S, path="/", httponly=True, samesite="strict", secure=secure)
        return answer

    def see(self, place: str) -> Response:
        """Go elsewhere."""
        return Response(status_code=_SEE_OTHER, headers={**self._headers, "Location": place})

    def file(self, request: Request, name: str, marks: tuple[str, str] = ("", "")) -> Response:
        """A file of this package, unless the browser has it."""
        body, tag = _read(name, *marks)
        if body is None:
            return Response(status_code=_NOT_FOUND, headers=self._headers)
        headers = {**self._headers, "ETag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        kind = _TYPES[name.rpartition(".")[2]]
        return Response(body, media_type=f"{kind}; charset=utf-8", headers=headers)

    def part(self, request: Request, name: str, version: str) -> Response:
        """A part of pages, which the browser keeps: another version has another address."""
        answer = self.file(request, name)
        if version == _version() and answer.status_code != _NOT_FOUND:
            answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return answer

    def _knows(self, request: Request, shown: str | None, named: Mapping[str, object]) -> bool:
        client = request.client.host if request.client else None
        try:
            self._authenticator.authenticate(shown, client, named=named)
        except AccessError:
            return False
        return True


def _marks(request: Request, link: ReviewLink | None) -> tuple[str, str]:
    """What a page's body says of who looks at it: its classes, and where a link leads back to."""
    if link is not None:
        return "linked ", link.return_url
    return ("signed-in " if COOKIE in request.cookies else ""), ""


async def _form_key(request: Request) -> str:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_FORM_BYTES:
            return ""
    return parse_qs(body.decode("utf-8", errors="replace")).get("key", [""])[0].strip()


@cache
def _version() -> str:
    """Names what is in the parts of all pages: pages lead to it, and their modules to one another within it."""
    parts = sorted(resources.files("service.ui").joinpath("static").iterdir(), key=lambda part: part.name)
    return hashlib.sha256(b"\0".join(part.read_bytes() for part in parts)).hexdigest()[:12]


@lru_cache(maxsize=200)
def _read(name: str, classes: str, return_url: str) -> tuple[bytes | None, str]:
    """A file of this package and its tag, with what `_marks` gives in its body."""
    found = resources.files("service.ui") / "static" / name
    if not name or not found.is_file():
        return None, ""
    body = found.read_bytes()
    if name.endswith(".html"):
        body = body.replace(b'"/ui/', f'"/ui/{_version()}/'.encode())
    if classes:
        place = f' data-return="{html.escape(return_url)}"' if return_url else ""
        body = body.replace(b'<body class="', f'<body{place} class="{classes}'.encode(), 1)
    return body, f'"{hashlib.sha256(body).hexdigest()[:20]}"'
