"""From where a request may come: any web page can make a browser post to 127.0.0.1, under any name of its own.

A page that rebinds its own name to 127.0.0.1 still sends that name as Host; a page that posts across sites still sends
its own Origin. Both are refused.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from service.domain.errors import AccessError, ErrorCode

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class OriginRule:
    """Which Host names and Origins are served."""

    allowed_hosts: frozenset[str]
    """Names without port, in small letters, beside those of this machine."""
    bound_to_loopback: bool
    """Then Host is checked; elsewhere keys protect and the names are the operator's."""

    def check(self, *, host: str | None, origin: str | None, scheme: str) -> None:
        """Refuse a request that a foreign web page may have caused.

        Args:
            host: the Host header.
            origin: the Origin header; browsers send it with every request that changes something.
            scheme: `http` or `https`, of the connection.

        Raises:
            AccessError: `origin_not_allowed`.
        """
        name = host_name(host or "")
        if self.bound_to_loopback and not (name in _LOOPBACK_NAMES or name in self.allowed_hosts):
            raise AccessError(
                ErrorCode.ORIGIN_NOT_ALLOWED,
                f"Host {(host or '')[:100]!r} is not served; use 127.0.0.1, or name it in FIELDMARK_ALLOWED_HOSTS.",
            )
        if origin is None or _same_origin(origin, host or "", scheme):
            return
        if host_name(_origin_netloc(origin)) not in self.allowed_hosts:
            raise AccessError(
                ErrorCode.ORIGIN_NOT_ALLOWED,
                f"Pages of {origin[:100]!r} may not use this service; name their host in FIELDMARK_ALLOWED_HOSTS.",
            )


def origin_rule(*, api_host: str, allowed_hosts: str) -> OriginRule:
    """The rule that the settings ask for; `allowed_hosts` is comma-separated, ports are ignored."""
    names = frozenset(name for part in allowed_hosts.split(",") if (name := host_name(part.strip())))
    return OriginRule(names, is_loopback(api_host))


def is_loopback(host: str | None) -> bool:
    """Whether an address or name means this machine alone."""
    if host is None:
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower() == "localhost"
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def host_name(netloc: str) -> str:
    """The name of `name:port` or `[address]:port`, in small letters; empty when it is malformed."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


def _origin_netloc(url: str) -> str:
    """The `name:port` of a URL; empty when it is malformed (`null`, which sandboxed pages send, has none)."""
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


def _same_origin(origin: str, host: str, scheme: str) -> bool:
    """Whether both mean one name and port; behind a TLS proxy the schemes may differ, so it is not compared."""
    try:
        page, here = urlsplit(origin), urlsplit(f"//{host}")
        page_port = page.port or _DEFAULT_PORTS.get(page.scheme)
        here_ports = {here.port} if here.port else {_DEFAULT_PORTS[scheme], _DEFAULT_PORTS.get(page.scheme)}
    except (ValueError, KeyError):
        return False
    return bool(page.hostname) and page.hostname == here.hostname and page_port in here_ports
