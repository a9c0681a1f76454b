"""The socket of the API: bound once by the process that stays, so a restarted API keeps its port and its callers."""

from __future__ import annotations

import errno
import http.client
import socket
import time
from contextlib import suppress

from service.auth.origin import is_loopback
from service.cli.home import ServerInfo
from service.domain.errors import ErrorCode, InputError

_BACKLOG = 512
_PATIENCE_S = 3.0
"""So long a port may stay taken by the API of a `serve` that was just killed."""
_PROBE_S = 2.0


def listen(host: str, port: int) -> socket.socket:
    """A listening socket that child processes can inherit.

    Raises:
        InputError: `invalid_option`, the address is taken or not this machine's.
    """
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return _bind(host, port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < until:
                time.sleep(0.1)
                continue
            why = (
                "is in use; choose another --port, or 0 for any" if error.errno == errno.EADDRINUSE else "cannot be had"
            )
            raise InputError(ErrorCode.INVALID_OPTION, f"{host}:{port} {why} ({error.strerror or error}).") from None


def _bind(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def url_of(listener: socket.socket, host: str) -> str:
    """Where a browser on this machine finds it."""
    port = listener.getsockname()[1]
    shown = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host  # noqa: S104 - compared, not bound
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def is_ready(info: ServerInfo) -> bool:
    """Whether /readyz answers 200."""
    name = info.url.removeprefix("http://")
    connection = http.client.HTTPConnection(name, timeout=_PROBE_S)
    with suppress(OSError, http.client.HTTPException):
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == http.client.OK
        finally:
            connection.close()
    return False


def refuse_open_door(host: str, *, keys_exist: bool) -> None:
    """Never listen beyond this machine while anyone may do anything.

    Raises:
        InputError: `invalid_option`.
    """
    if not is_loopback(host) and not keys_exist:
        raise InputError(
            ErrorCode.INVALID_OPTION,
            f"Without API keys only this machine may be served, and {host} is more than that: make a key with "
            "`fieldmark keys add NAME --role admin`, or leave out --host.",
        )
