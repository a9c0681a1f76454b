"""Which addresses a name that a caller gives may lead to: those of the public internet, and those that are trusted.

A name is resolved once for each connection, every address it has is checked, and the connection goes to a checked
address and to no other: a name that changes its address between check and connection gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Iterable

from aiohttp.abc import AbstractResolver, ResolveResult

_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
Refuse = Callable[[str], Exception]
"""The error for a host whose address is not public."""


def named_hosts(setting: str) -> frozenset[str]:
    """A setting's comma-separated names, in small letters."""
    return frozenset(name.strip().lower() for name in setting.split(",") if name.strip())


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is one of the public internet, also where it carries another one inside."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.scope_id is not None:
            return False
    return address.is_global and not address.is_multicast


def are_public(addresses: Iterable[str]) -> bool:
    """Whether each of the addresses, as text, is public."""
    return all(is_public(ipaddress.ip_address(address)) for address in addresses)


def is_inner_address(host: str) -> bool:
    """Whether a host is an address itself, and not a public one: it is never resolved, so no resolver refuses it."""
    try:
        return not is_public(ipaddress.ip_address(host))
    except ValueError:
        return False


class CheckedResolver(AbstractResolver):
    """Gives a connection only addresses that were checked."""

    def __init__(self, trusted_hosts: frozenset[str], refuse: Refuse) -> None:
        self._trusted_hosts = trusted_hosts
        self._refuse = refuse

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """See aiohttp. One bad address among several refuses the name."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family)
        if host not in self._trusted_hosts and not are_public(str(address[0]) for *_, address in found):
            raise self._refuse(host)
        return [
            ResolveResult(
                hostname=host,
                host=str(address[0]),
                port=port,
                family=kind,
                proto=proto,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, proto, _, address in found
        ]

    async def close(self) -> None:
        """Nothing is held."""
