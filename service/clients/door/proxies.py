"""Through which proxy a server is called, as the environment says."""

from __future__ import annotations

import ipaddress
from functools import cache
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from service.domain.errors import ErrorCode, InputError

_PORTS = {"http": 80, "https": 443}


@cache
def proxy_for(url: str) -> str | None:
    """The proxy's URL; None: the server is called directly.

    `NO_PROXY` names servers as with other programs: by host or its end, with a port or without, by address, by network
    (`10.0.0.0/8`), by the beginning of a URL (`http://host:8000`, which holds for that scheme), or all by `*`.

    Raises:
        InputError: `invalid_option`, the proxy is of a kind that cannot be spoken with, such as SOCKS.
    """
    parts = urlsplit(url)
    if not parts.hostname:
        return None
    known = getproxies()
    names = (parts.hostname, parts.netloc.rpartition("@")[2])  # NO_PROXY may name one of a host's ports alone
    if any(map(proxy_bypass, names)) or any(_names(entry.strip(), parts) for entry in known.get("no", "").split(",")):
        return None
    kind = parts.scheme if known.get(parts.scheme) else "all"
    proxy = known.get(kind)
    if not proxy or "://" not in proxy:
        return proxy and f"http://{proxy}"  # many write but a host and a port
    spoken = proxy.partition("://")[0]
    if spoken.lower() not in _PORTS:
        raise _unusable(f"{kind.upper()}_PROXY", spoken)
    return proxy


def _unusable(variable: str, spoken: str) -> InputError:
    return InputError(
        ErrorCode.INVALID_OPTION,
        f"The environment's {variable} names a proxy of the kind {spoken[:20]!r}; calls go through http and "
        "https proxies alone. Name one of those, or in NO_PROXY the servers that are called without any.",
    )


def _names(entry: str, server: SplitResult) -> bool:
    """Whether an entry of NO_PROXY names the server, in a way that the standard library does not know."""
    try:
        if "://" in entry:
            return _is_beginning(urlsplit(entry), server)
        return entry == "*" or ipaddress.ip_address(server.hostname or "") in ipaddress.ip_network(entry, strict=False)
    except ValueError:  # no address, no network, no port: the entry names something else
        return False


def _is_beginning(named: SplitResult, server: SplitResult) -> bool:
    host, wanted = server.hostname or "", (named.hostname or "").removeprefix("*").removeprefix(".")
    if not wanted or named.scheme not in ("all", server.scheme) or not f".{host}".endswith(f".{wanted}"):
        return False
    return named.port in (None, server.port or _PORTS.get(server.scheme))
