"""What a client says to the door through which it calls: whom, how often, what, and how its answers are read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from service.clients.door.errors import FailedAnswer
from service.domain.traffic import TrafficGate
from service.protocol.body import Body
from service.protocol.completion import ChatCompletion

if TYPE_CHECKING:
    import aiohttp


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """How often a request is sent, and how many at once."""

    attempts: int
    """Calls of one request (≥ 1), the first included."""
    max_connections: int
    """Calls in flight at once (≥ 1); further ones wait their turn before their time begins to count."""
    connect_timeout_s: float = 10.0
    gate: TrafficGate | None = None
    """What each call passes; None: nothing limits them but `max_connections`."""
    clock: Callable[[], float] = time.time
    """Unix seconds."""
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorOptions:
    """Whom to call, as whom, and how."""

    provider: str
    """Named in every error."""
    headers: Mapping[str, str]
    secret: str
    """The key inside the headers, struck out of whatever the provider says; empty: there is none."""
    calls: CallOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question."""

    url: str
    model: str
    body: Body
    timeout_s: float
    """From the connection to the last byte of the answer."""


class AnswerReader(Protocol):
    """What a client makes of a server's answer."""

    async def read(self, response: aiohttp.ClientResponse) -> ChatCompletion:
        """The answer of a success, read from the open response; `read_whole` reads it in one piece.

        Raises:
            ClientError: it is not what was asked for.
        """
        ...

    def excuse(self, failed: FailedAnswer) -> ChatCompletion | None:
        """An answer that is no success by its status and is still an answer; None: it is an error."""
        ...


def host_of(url: str) -> str:
    """The host of an address in small letters, with its port where one is named."""
    return urlsplit(url).netloc.rpartition("@")[2].lower()
