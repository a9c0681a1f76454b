"""Signed links: whoever has one may review one document, until it ends; no key and no other document comes with it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from service.domain.errors import AccessError, ErrorCode, InputError

PREFIX = "fl_"
COOKIE_PREFIX = "fieldmark_link_"
_KEY_FILE = "link.key"
_KEY_BYTES = 32
_LONGEST = 4096


class ReviewLink(BaseModel):
    """What a link says; it can be read by who has it, and changed by nobody."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant_id: str
    user: str
    """Who reviews, for the history."""
    job_id: str
    file_id: str
    expires_at: float
    """Unix seconds."""
    return_url: str = ""
    """Where the browser goes after the decision; empty: nowhere."""

    def allows(self, named: Mapping[str, object]) -> bool:
        """Whether a request that names these ids is about the link's document."""
        ids = {"job_id": self.job_id, "file_id": self.file_id}
        told = {name: named[name] for name in ids if name in named}
        return bool(told) and all(ids[name] == given for name, given in told.items())


class LinkSigner:
    """Makes links and reads them; all processes of an installation share the secret."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def sign(self, link: ReviewLink) -> str:
        """The token of a link: `fl_`, what it says, and its HMAC-SHA256."""
        body = _encode(link.model_dump_json().encode())
        return f"{PREFIX}{body}.{_encode(self._mac(body))}"

    def read(self, token: str, now: float) -> ReviewLink:
        """What a token says.

        Raises:
            AccessError: `invalid_api_key`: it is not one of ours, was changed, or has ended.
        """
        body, _, mac = token.removeprefix(PREFIX).partition(".")
        try:
            if len(token) > _LONGEST or not hmac.compare_digest(_decode(mac), self._mac(body)):
                raise ValueError
            link = ReviewLink.model_validate_json(_decode(body))
        except (ValueError, ValidationError):
            raise _refused("The link is not one of this service, or was changed; ask for a new one.") from None
        if link.expires_at < now:
            raise _refused("The link has ended; ask for a new one.")
        return link

    def _mac(self, body: str) -> bytes:
        return hmac.digest(self._secret, body.encode(), hashlib.sha256)


def link_secret(given: str, home: Path) -> bytes:
    """The secret of an installation: as set, else one of its own in the home, made when it is first wanted.

    Args:
        given: of the settings; empty: none.
        home: folder of the installation.
    """
    if given:
        return hashlib.sha256(given.encode()).digest()
    path = home / _KEY_FILE
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(made, "wb") as file:
        secret = secrets.token_bytes(_KEY_BYTES)
        file.write(secret)
    return secret


def cookie_name(job_id: str) -> str:
    """Each document has a cookie of its own, so that two may be open side by side."""
    return COOKIE_PREFIX + hashlib.sha256(job_id.encode()).hexdigest()[:16]


def check_return_url(url: str, allowed: str) -> str:
    """A place to go back to, if the settings allow its origin.

    Args:
        url: as asked for.
        allowed: origins, comma-separated, such as `https://erp.example.org`.

    Raises:
        InputError: `invalid_option`.
    """
    try:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}".lower()
    except ValueError:
        origin = ""
    if origin not in {one.strip().rstrip("/").lower() for one in allowed.split(",") if one.strip()}:
        raise InputError(
            ErrorCode.INVALID_OPTION,
            "The return_url is not of an origin in FIELDMARK_REVIEW_RETURN_ORIGINS.",
            param="return_url",
        )
    return url


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _refused(message: str) -> AccessError:
    return AccessError(ErrorCode.INVALID_API_KEY, message)
