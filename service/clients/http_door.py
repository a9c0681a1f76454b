"""The way to a model server: one POST, tried again where that may help, every failure named.

It knows HTTP and nothing of what is asked or answered; each client hands in how its answers are read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import aiohttp
import httpx
from httpx_aiohttp import HttpxAiohttpClient
from pydantic import ValidationError
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random_exponential,
)

from service.clients.errors import FailedAnswer, bad_answer_error, error_from_answer, timeout_error, transport_error
from service.domain.errors import ClientError
from service.protocol.completion import ChatCompletion
from service.protocol.error import read_error_value
from service.protocol.json_text import decode_json

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""A whole answer, unpacked. Beyond it nobody answers a question any more."""

_BACK_OFF = wait_exponential(multiplier=0.5, max=15.0) + wait_random_exponential(multiplier=0.5, max=15.0)
"""0.5 to 1 s, 1 to 2 s, 2 to 4 s, …: half by chance, so that calls that failed together do not return together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorOptions:
    """Whom to call, how often, and how many times at once."""

    provider: str
    """Named in every error."""
    headers: Mapping[str, str]
    secret: str
    """The key inside the headers, struck out of whatever the provider says; empty: there is none."""
    attempts: int
    """Calls of one request (≥ 1), the first included."""
    max_connections: int
    """Calls in flight at once (≥ 1); further ones wait their turn before their time begins to count."""
    connect_timeout_s: float = 10.0
    clock: Callable[[], float] = time.time
    """Unix seconds."""
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)


class AnswerReader(Protocol[T_co]):
    """What a client makes of a server's answer."""

    async def read(self, response: httpx.Response) -> T_co:
        """The answer of a success, read from the open response; `read_whole` reads it in one piece.

        Raises:
            ClientError: it is not what was asked for.
        """
        ...

    def excuse(self, failed: FailedAnswer) -> T_co | None:
        """An answer that is no success by its status and is still an answer; None: it is an error."""
        ...


class HttpDoor:
    """One for a provider and a process, since it holds the connections."""

    def __init__(self, options: DoorOptions) -> None:
        self._options = options
        self._slots = asyncio.Semaphore(options.max_connections)
        limits = httpx.Limits(
            max_connections=options.max_connections, max_keepalive_connections=options.max_connections
        )
        self._http = HttpxAiohttpClient(
            headers={**options.headers, "content-type": "application/json"},
            limits=limits,
            timeout=httpx.Timeout(None, connect=options.connect_timeout_s),
        )

    @property
    def provider(self) -> str:
        """The name that its errors carry."""
        return self._options.provider

    async def post(self, url: str, body: bytes, reader: AnswerReader[T], *, timeout_s: float) -> T:
        """Send one request, again if it failed in a way that may pass, and give what the reader makes of the answer.

        Args:
            timeout_s: for one call, from its connection to the last byte of its answer. Waiting for a free connection
                and between calls does not count.

        Raises:
            ClientError: the last call's failure. Cancelling closes the connection at once.
        """
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._options.attempts),
            wait=_wait_s,
            retry=retry_if_exception(_may_pass),
            sleep=self._options.sleep,
            reraise=True,
        )
        return await retrying(self._call, url, body, reader, timeout_s)

    async def close(self) -> None:
        """Close every connection; calls in flight fail."""
        await self._http.aclose()

    async def _call(self, url: str, body: bytes, reader: AnswerReader[T], timeout_s: float) -> T:
        deadline = asyncio.timeout(timeout_s)
        async with self._slots:
            try:
                async with deadline, self._http.stream("POST", url, content=body) as response:
                    return await self._take(response, reader)
            except (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError) as error:
                if deadline.expired():
                    raise timeout_error(self.provider, timeout_s) from error
                raise transport_error(self.provider, error) from error

    async def _take(self, response: httpx.Response, reader: AnswerReader[T]) -> T:
        if response.is_success:
            return await reader.read(response)
        body = await read_whole(self.provider, response)
        failed = FailedAnswer(status=response.status_code, headers=response.headers, body=body)
        excused = reader.excuse(failed)
        if excused is not None:
            return excused
        raise error_from_answer(self.provider, failed, secret=self._options.secret, now=self._options.clock())


async def read_whole(provider: str, response: httpx.Response, *, most: int = MAX_ANSWER_BYTES) -> bytes:
    """The whole body of an open response.

    Raises:
        ClientError: `model_bad_answer`; it has more than `most` bytes, unpacked.
    """
    told = response.headers.get("content-length", "")
    pieces: list[bytes] = []
    size = int(told) if told.isdecimal() and int(told) > most else 0  # what is too long is not waited for
    async for piece in response.aiter_bytes():
        size += len(piece)
        if size > most:
            raise bad_answer_error(provider, f"the body is longer than {most:,} bytes", retryable=False)
        pieces.append(piece)
    return b"".join(pieces)


def read_completion(provider: str, content: bytes) -> ChatCompletion:
    """The chat completion in the body of a success.

    What is not JSON was cut or written by something on the way, so it may pass; JSON of another form will come again.

    Raises:
        ClientError: `model_bad_answer`.
    """
    try:
        value = decode_json(content)
    except ValueError as error:
        raise bad_answer_error(provider, "the body is not JSON", retryable=True) from error
    try:
        completion = ChatCompletion.model_validate(value)
    except ValidationError as error:
        reported = isinstance(value, dict) and "error" in value and read_error_value(value) is not None
        why = "the body reports an error" if reported else "the body is no chat completion"
        raise bad_answer_error(provider, why, retryable=reported) from error
    if not completion.choices:
        raise bad_answer_error(provider, "it holds no choice", retryable=True)
    return completion


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, ClientError) and error.retryable


def _wait_s(state: RetryCallState) -> float:
    """The time the server asked for, if it did, and then our own back-off."""
    error = state.outcome.exception() if state.outcome is not None else None
    asked = error.retry_after_s if isinstance(error, ClientError) else None
    return (asked or 0.0) + _BACK_OFF(state)
