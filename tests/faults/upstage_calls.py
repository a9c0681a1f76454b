"""How the tests of the Upstage client ask it, of a server on loopback that does everything wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
from pydantic import SecretStr

from service.clients.upstage.client import UpstageClient, UpstageOptions
from service.domain.errors import ClientError
from service.protocol.completion import ChatCompletion
from service.protocol.request import ExtractionOptions, ExtractionRequest, build_extraction_request
from tests.fakes.ahead_loop import run_ahead
from tests.fakes.model_stub import ModelStub

T = TypeVar("T")


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "total": {"type": "number"},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}}},
    },
}


NEVER_HANGS_S = 3600.0


class Sleeper:
    """Stands in for waiting: notes how long, and goes on."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        """Do not wait."""
        self.waits.append(seconds)


def request(**options: Any) -> ExtractionRequest:
    """A request about a small file."""
    return build_extraction_request(
        model="information-extract",
        file=b"%PDF-1.7 a file of our own",
        schema=SCHEMA,
        schema_name="doc",
        options=ExtractionOptions(**options),
    )


def run(
    base_url: str,
    use: Callable[[UpstageClient], Awaitable[T]],
    *,
    attempts: int = 3,
    key: str = "up_good",
    sleep: Callable[[float], Awaitable[None]] | None = None,
    connections: int = 200,
) -> T:
    """Use a real client on a loop of its own, and close it."""
    options = UpstageOptions(
        base_url=base_url,
        api_key=SecretStr(key),
        attempts=attempts,
        max_connections=connections,
        sleep=sleep or Sleeper(),
    )

    async def main() -> T:
        client = UpstageClient(options)
        try:
            async with asyncio.timeout(NEVER_HANGS_S):
                return await use(client)
        finally:
            await client.close()

    return run_ahead(main())


def ask(stub: ModelStub, **settings: Any) -> ChatCompletion:
    """One request and its answer."""
    return run(stub.base_url, lambda client: client.complete(request(), timeout_s=60), **settings)


def fail(stub: ModelStub, **settings: Any) -> ClientError:
    """One request that must fail."""
    with pytest.raises(ClientError) as caught:
        ask(stub, **settings)
    return caught.value
