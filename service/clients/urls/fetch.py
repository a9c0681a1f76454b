"""Files at addresses that callers name: fetched only where that is allowed, and never from the operator's network."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from ssl import SSLContext, create_default_context

import aiohttp
from yarl import URL

from service.clients.urls.addresses import CheckedResolver, is_inner_address
from service.domain.egress import OPEN, EgressPolicy
from service.domain.errors import ErrorCode, InputError

_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PIECE_BYTES = 65_536
_NOT_DOCUMENTS = ("text/", "audio/", "video/", "application/json", "application/javascript", "multipart/")
"""Media types that no file of ours has; what is let through is still judged by its bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRule:
    """What may be fetched."""

    allowed: bool
    trusted_hosts: frozenset[str]
    """Names in small letters whose addresses are not checked."""
    max_bytes: int
    timeout_s: float
    """From the first look-up to the last byte."""
    egress: EgressPolicy = OPEN
    """Of the tenant who asks: an address may tell as much as a page."""


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file that is being fetched."""

    name: str
    """The last part of its path; empty when there is none."""
    parts: AsyncIterator[bytes] = field(repr=False)


class UrlFetcher:
    """Fetches under a rule; holds nothing between two files."""

    def __init__(self, rule: FetchRule, *, tls: SSLContext | None = None) -> None:
        """Args: tls: whom to believe; None: the certificates of the system."""
        self._rule = rule
        self._tls = tls

    @asynccontextmanager
    async def open(self, url: str) -> AsyncGenerator[FetchedFile]:
        """Fetch a file.

        Raises:
            InputError: `option_not_supported`, nothing is fetched here; `invalid_request_body`, this URL is not, or its
                server does not give the file; `unsupported_format`, what it gives is no document. Reading the parts
                raises the same.
        """
        if not self._rule.allowed:
            raise InputError(
                ErrorCode.OPTION_NOT_SUPPORTED,
                "URLs are not fetched here: send the file as a data URL, or set FIELDMARK_FETCH_URLS=true.",
                param="messages",
            )
        target = _parsed(url)
        connector = aiohttp.TCPConnector(
            resolver=CheckedResolver(self._rule.trusted_hosts, _refused),
            use_dns_cache=False,
            ssl=self._tls or create_default_context(),
        )
        timeout = aiohttp.ClientTimeout(total=self._rule.timeout_s)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=False) as session:
            response = await self._follow(session, target)
            try:
                yield FetchedFile(PurePosixPath(response.url.path).name, self._parts(response))
            finally:
                _drop(response)

    async def _follow(self, session: aiohttp.ClientSession, url: URL) -> aiohttp.ClientResponse:
        """The answer at the end of the redirects, each of which is checked as the first address was."""
        for _ in range(_MOST_REDIRECTS + 1):
            self._check(url)
            with _plain_faults(url):
                response = await session.get(url, allow_redirects=False)
            if response.status not in _REDIRECTS:
                return self._checked(response)
            location = response.headers.get("location", "")
            _drop(response)
            if not location:
                raise _unfetchable(url, "it redirects to nowhere")
            url = _parsed(str(url.join(URL(location))))
        raise _unfetchable(url, f"it redirects more than {_MOST_REDIRECTS} times")

    def _check(self, url: URL) -> None:
        """What the resolver does not see: a host that the tenant's rule excludes, and one that is an address itself."""
        host = url.host or ""
        refusal = self._rule.egress.host_refusal(host.lower())
        if refusal is not None:
            raise InputError(ErrorCode.EGRESS_DENIED, f"Nothing was fetched: {refusal}.", param="messages")
        if host not in self._rule.trusted_hosts and is_inner_address(host):
            raise _refused(host)

    def _checked(self, response: aiohttp.ClientResponse) -> aiohttp.ClientResponse:
        fault: InputError | None = None
        if response.status != 200:
            fault = _unfetchable(response.url, f"its server answers with HTTP {response.status}")
        elif response.content_type.startswith(_NOT_DOCUMENTS) and "content-type" in response.headers:
            fault = InputError(
                ErrorCode.UNSUPPORTED_FORMAT,
                f"What {response.url.host!r} gives is {response.content_type[:100]!r}, which is no document.",
                param="messages",
            )
        elif (response.content_length or 0) > self._rule.max_bytes:
            fault = _unfetchable(response.url, f"it is larger than {self._rule.max_bytes} bytes")
        if fault is not None:
            _drop(response)
            raise fault
        return response

    async def _parts(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        size = 0
        while True:
            with _plain_faults(response.url):
                piece = await response.content.read(_PIECE_BYTES)
            if not piece:
                return
            size += len(piece)
            if size > self._rule.max_bytes:
                raise _unfetchable(response.url, f"it is larger than {self._rule.max_bytes} bytes")
            yield piece


def _drop(response: aiohttp.ClientResponse) -> None:
    """End a connection now: a polite end of TLS would wait for a server that may not answer."""
    connection = response.connection
    if connection is not None and connection.transport is not None:
        connection.transport.abort()
    response.close()


def _parsed(text: str) -> URL:
    try:
        url = URL(text)
        port = url.port
    except ValueError:
        raise _unusable("The URL of the file is malformed.") from None
    if url.scheme != "https" or not url.host:
        scheme = url.scheme[:20]
        raise _unusable(f"Files are fetched by https alone, not by {scheme!r}; send a data URL instead.")
    if url.user or url.password or not port:
        raise _unusable("The URL of the file must not hold a user or a password.")
    return url


@contextmanager
def _plain_faults(url: URL) -> Generator[None]:
    try:
        yield
    except InputError:
        raise
    except TimeoutError as error:
        raise _unfetchable(url, "its server takes too long") from error
    except (aiohttp.ClientError, OSError) as error:
        cause = error.__cause__
        if isinstance(cause, InputError):  # the resolver's own, which aiohttp wraps
            raise cause from None
        raise _unfetchable(url, f"the connection fails ({type(error).__name__})") from error


def _refused(host: str) -> InputError:
    return _unusable(f"The host {host[:100]!r} is not on the public internet, and nothing is fetched from there.")


def _unfetchable(url: URL, why: str) -> InputError:
    """Only the host is named: a path or query may hold a secret."""
    return _unusable(f"The file at {(url.host or '')[:100]!r} cannot be fetched: {why}.")


def _unusable(message: str) -> InputError:
    return InputError(ErrorCode.INVALID_REQUEST, message, param="messages")
