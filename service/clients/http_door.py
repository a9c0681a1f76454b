"""The way to a model server: one POST, tried again where that may help, every failure named.

It knows HTTP and nothing of what is asked or answered; each client hands in how its answers are read. Every call
passes the gate that all workers share; a wait that is short is waited here, a long one is the step's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

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

from service.clients.errors import (
    FailedAnswer,
    bad_answer_error,
    busy_error,
    closed_road_error,
    error_from_answer,
    timeout_error,
    transport_error,
)
from service.clients.retry_after import pause_after_answer_s
from service.clients.scope import current_scope
from service.domain.errors import ClientError, ErrorCode, ProviderBusyError
from service.domain.traffic import IN_PLACE_S, CallEnd, CallReport, ClosedRoad, Destination, Ticket, TrafficGate
from service.protocol.completion import ChatCompletion
from service.protocol.error import read_error_value
from service.protocol.json_text import decode_json

_LOOK_AGAIN_S = 1.0
_FAILURES = frozenset({ErrorCode.MODEL_TIMEOUT, ErrorCode.MODEL_UNAVAILABLE})
_PIECE_BYTES = 128 * 1024
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
    gate: TrafficGate | None = None
    """What each call passes; None: nothing limits them but `max_connections`."""
    clock: Callable[[], float] = time.time
    """Unix seconds."""
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question."""

    url: str
    model: str
    body: bytes
    timeout_s: float
    """From the connection to the last byte of the answer."""


class AnswerReader(Protocol):
    """What a client makes of a server's answer."""

    async def read(self, response: httpx.Response) -> ChatCompletion:
        """The answer of a success, read from the open response; `read_whole` reads it in one piece.

        Raises:
            ClientError: it is not what was asked for.
        """
        ...

    def excuse(self, failed: FailedAnswer) -> ChatCompletion | None:
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

    def destination(self, url: str, model: str) -> Destination:
        """Where a call to this address goes."""
        return Destination(provider=self.provider, host=host_of(url), model=model)

    async def post(self, call: Call, reader: AnswerReader) -> ChatCompletion:
        """Send one request, again if it failed in a way that may pass, and give what the reader makes of the answer.

        Waiting for the gate, for a free connection and between calls does not count as time of the call.

        Raises:
            ProviderBusyError: no call may go there for longer than is waited here.
            ClientError: the last call's failure. Cancelling closes the connection at once.
        """
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._options.attempts),
            wait=_wait_s,
            retry=retry_if_exception(_may_pass),
            sleep=self._options.sleep,
            reraise=True,
        )
        return await retrying(self._pass, call, reader)

    async def close(self) -> None:
        """Close every connection; calls in flight fail."""
        await self._http.aclose()

    async def _pass(self, call: Call, reader: AnswerReader) -> ChatCompletion:
        """One call through the gate, which is told how it ended; nothing goes where its scope does not allow it."""
        scope = current_scope()
        gate, to = self._options.gate, self.destination(call.url, call.model)
        scope.check(to)
        if gate is None:
            scope.send(to)
            return (await self._call(call, reader))[0]
        ticket = await self._enter(gate, to)
        report = CallReport(end=CallEnd.ABANDONED)
        road: ClosedRoad | None = None
        try:
            scope.send(to)
            answer, report = await self._call(call, reader)
        except ClientError as error:
            report = _report_failure(error)
            road = await gate.leave(to, ticket, report)
            raise error if road is None else busy_error(error, self.provider, road) from error
        except BaseException:
            await asyncio.shield(gate.leave(to, ticket, report))
            raise
        await gate.leave(to, ticket, report)
        return answer

    async def _enter(self, gate: TrafficGate, to: Destination) -> Ticket:
        """A ticket whose moment has come."""
        waited = 0.0
        while True:
            found = await gate.enter(to)
            if isinstance(found, Ticket):
                break
            pause = max(found.wait_s, min(_LOOK_AGAIN_S, waited))
            if waited + pause > IN_PLACE_S:
                raise closed_road_error(self.provider, found)
            await self._options.sleep(pause)
            waited += pause
        if found.wait_s > 0:
            try:
                await self._options.sleep(found.wait_s)
            except BaseException:
                await asyncio.shield(gate.leave(to, found, CallReport(end=CallEnd.ABANDONED)))
                raise
        return found

    async def _call(self, call: Call, reader: AnswerReader) -> tuple[ChatCompletion, CallReport]:
        length = {"content-length": str(len(call.body))}
        async with self._slots:
            deadline = asyncio.timeout(call.timeout_s)  # made here: its time runs from now on
            try:
                sending = self._http.stream("POST", call.url, content=_pieces(call.body), headers=length)
                async with deadline, sending as response:
                    answer = await self._take(response, reader)
                    pause_s = pause_after_answer_s(response.headers, self._options.clock())
                    tokens = answer.usage.total_tokens if answer.usage else 0
                    return answer, CallReport(end=CallEnd.ANSWERED, tokens=tokens, pause_s=pause_s)
            except (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError) as error:
                if deadline.expired():
                    raise timeout_error(self.provider, call.timeout_s) from error
                raise transport_error(self.provider, error) from error

    async def _take(self, response: httpx.Response, reader: AnswerReader) -> ChatCompletion:
        if response.is_success:
            return await reader.read(response)
        body = await read_whole(self.provider, response)
        failed = FailedAnswer(status=response.status_code, headers=response.headers, body=body)
        excused = reader.excuse(failed)
        if excused is not None:
            return excused
        raise error_from_answer(self.provider, failed, secret=self._options.secret, now=self._options.clock())


def host_of(url: str) -> str:
    """The host of an address in small letters, with its port where one is named."""
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def _report_failure(error: ClientError) -> CallReport:
    """What a failed call says of the provider: one that refuses a request is there."""
    if error.code is ErrorCode.MODEL_RATE_LIMITED:
        return CallReport(end=CallEnd.LIMITED, pause_s=error.retry_after_s)
    if error.code in _FAILURES:
        return CallReport(end=CallEnd.FAILED, pause_s=error.retry_after_s)
    return CallReport(end=CallEnd.ANSWERED)


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    """A body as the connection takes it: in one piece it would be held a second time until all of it is sent."""
    for start in range(0, len(body), _PIECE_BYTES):
        yield body[start : start + _PIECE_BYTES]


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
    """Whether to try again here and now; for a time that is long enough the step is put back instead."""
    return isinstance(error, ClientError) and error.retryable and (error.retry_after_s or 0.0) <= IN_PLACE_S


def _wait_s(state: RetryCallState) -> float:
    """The time the server asked for, if it did, and then our own back-off."""
    error = state.outcome.exception() if state.outcome is not None else None
    asked = error.retry_after_s if isinstance(error, ClientError) else None
    if isinstance(error, ProviderBusyError):
        return 0.0  # the gate has the time that was asked for, and gives each call its moment
    return (asked or 0.0) + _BACK_OFF(state)
