"""Sends webhooks: to public addresses by https, to trusted hosts of the operator's network too; redirects end it.

Source: https://github.com/standard-webhooks/standard-webhooks (specification 1.0.0: statuses, redirects, timeouts,
inner networks), read 2026-11-30.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from ssl import SSLContext, create_default_context

import aiohttp
from yarl import URL

from service.clients.door.retry_after import retry_after_s
from service.clients.urls.addresses import CheckedResolver, are_public, is_inner_address
from service.domain.errors import ErrorCode, InputError

LONGEST_URL = 2000
_DAY_S = 86_400.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRule:
    """Where to webhooks may go."""

    trusted_hosts: frozenset[str]
    """Names in small letters whose addresses are not checked; those that mean this machine are reached by http too."""
    timeout_s: float
    """From the look-up of the name to the answer's headers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAnswer:
    """What came of one try."""

    status_code: int | None
    """None: there was no answer."""
    fault: str | None
    """Why it counts as failed; None: it is delivered."""
    retry_after_s: float | None = None
    """When the receiver wants to be asked again."""


class WebhookPoster:
    """Sends under a rule; holds nothing between two tries but the certificates."""

    def __init__(self, rule: PostRule, *, tls: SSLContext | None = None) -> None:
        """Args: tls: whom to believe; None: the certificates of the system."""
        self._rule = rule
        self._tls = tls

    def check(self, url: str, param: str) -> str:
        """The host of an address, if webhooks may be sent to it as things stand; its name is looked up.

        Raises:
            InputError: `invalid_option`, it is malformed, not https, or leads to no public address.
        """
        parsed = _parsed(url, param)
        host = parsed.host or ""
        trusted = host in self._rule.trusted_hosts
        if parsed.scheme != "https" and not (parsed.scheme == "http" and trusted and host in _LOOPBACK):
            raise _bad(
                param, "must be sent to by https; http is for this machine, where FIELDMARK_WEBHOOK_HOSTS has it"
            )
        if not trusted and not are_public(_addresses(host, param)):
            raise _bad(param, f"leads to {host[:100]!r}, which is not on the public internet")
        return host

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> PostAnswer:
        """Send once; whatever goes wrong is told, never raised."""
        self._tls = self._tls or create_default_context()
        connector = aiohttp.TCPConnector(
            resolver=CheckedResolver(self._rule.trusted_hosts, _RefusedError), use_dns_cache=False, ssl=self._tls
        )
        timeout = aiohttp.ClientTimeout(total=self._rule.timeout_s)
        try:
            async with aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=False) as session:
                host = URL(url).host or ""
                if host not in self._rule.trusted_hosts and is_inner_address(host):
                    raise _RefusedError(host)
                async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
                    return _judge(response)
        except TimeoutError:
            return PostAnswer(status_code=None, fault=f"no answer within {self._rule.timeout_s:g} s")
        except (aiohttp.ClientError, OSError, _RefusedError) as error:
            cause = error if isinstance(error, _RefusedError) else error.__cause__
            known = cause.why if isinstance(cause, _RefusedError) else f"the connection fails ({type(error).__name__})"
            return PostAnswer(status_code=None, fault=known)


class _RefusedError(Exception):
    """The address is one of the operator's network."""

    def __init__(self, host: str) -> None:
        super().__init__(host)
        self.why = "the host is not on the public internet"


def _judge(response: aiohttp.ClientResponse) -> PostAnswer:
    status = response.status
    if 200 <= status < 300:
        return PostAnswer(status_code=status, fault=None)
    fault = f"the receiver answers with HTTP {status}"
    if 300 <= status < 400:
        fault += ", a redirect, which is not followed"
    wait = retry_after_s(response.headers, time.time(), limited=False, longest_s=_DAY_S)
    return PostAnswer(status_code=status, fault=fault, retry_after_s=wait)


def _parsed(text: str, param: str) -> URL:
    if len(text) > LONGEST_URL:
        raise _bad(param, f"is longer than {LONGEST_URL} characters")
    try:
        url = URL(text)
        port = url.port
    except ValueError:
        raise _bad(param, "is malformed") from None
    if not url.host or not port or not text.isprintable():
        raise _bad(param, "is malformed")
    if url.user or url.password or url.fragment:
        raise _bad(param, "must hold neither a user, nor a password, nor a fragment")
    return url


def _addresses(host: str, param: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise _bad(param, f"names the host {host[:100]!r}, which cannot be found") from None
    return [str(address[0]) for *_, address in found]


def _bad(param: str, why: str) -> InputError:
    """The URL itself is not repeated: a path or query may hold a secret."""
    return InputError(ErrorCode.INVALID_OPTION, f"The address for webhooks {why}.", param=param)
