"""The way to a model server: one POST, tried again where that may help, every failure named.

It knows HTTP and nothing of what is asked or answered; each client hands in how its answers are read. Every call
passes the gate that all workers share; a wait that is short is waited here, a long one is the step's.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import certifi
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random_exponential,
)

from service.clients.door.answer_body import PACKING, read_whole
from service.clients.door.call import AnswerReader, Call, DoorOptions, host_of
from service.clients.door.errors import (
    FailedAnswer,
    busy_error,
    closed_road_error,
    error_from_answer,
    timeout_error,
    transport_error,
)
from service.clients.door.proxies import proxy_for
from service.clients.door.retry_after import pause_after_answer_s
from service.clients.door.scope import current_scope
from service.domain.errors import ClientError, ErrorCode, ProviderBusyError
from service.domain.traffic import IN_PLACE_S, CallEnd, CallReport, ClosedRoad, Destination, Ticket, TrafficGate
from service.protocol.body import Body
from service.protocol.completion import ChatCompletion

_LOOK_AGAIN_S = 1.0
_FAILURES = frozenset({ErrorCode.MODEL_TIMEOUT, ErrorCode.MODEL_UNAVAILABLE})
_IDLE_S = 5.0
"""Servers drop idle connections after five seconds or more; a request on one that is being dropped is lost."""

_BACK_OFF = wait_exponential(multiplier=0.5, max=15.0) + wait_random_exponential(multiplier=0.5, max=15.0)
"""0.5 to 1 s, 1 to 2 s, 2 to 4 s, …: half by chance, so that calls that failed together do not return together."""


class HttpDoor:
    """One for a provider and a process, since it holds the connections."""

    def __init__(self, options: DoorOptions) -> None:
        self._options = options
        self._slots = asyncio.Semaphore(options.calls.max_connections)
        self._http = aiohttp.ClientSession(
            headers={**options.headers, "content-type": "application/json", "accept-encoding": PACKING},
            auto_decompress=False,  # it makes a broken connection of a packing that it does not know
            connector=aiohttp.TCPConnector(
                limit=options.calls.max_connections, keepalive_timeout=_IDLE_S, ssl=trusted_issuers() or True
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=options.calls.connect_timeout_s),
            cookie_jar=aiohttp.DummyCookieJar(),
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
            stop=stop_after_attempt(self._options.calls.attempts),
            wait=_wait_s,
            retry=retry_if_exception(_may_pass),
            sleep=self._options.calls.sleep,
            reraise=True,
        )
        return await retrying(self._pass, call, reader)

    async def close(self) -> None:
        """Close every connection; calls in flight fail."""
        await self._http.close()

    async def _pass(self, call: Call, reader: AnswerReader) -> ChatCompletion:
        """One call through the gate, which is told how it ended; nothing goes where its scope does not allow it."""
        scope = current_scope()
        gate, to = self._options.calls.gate, self.destination(call.url, call.model)
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
            await self._options.calls.sleep(pause)
            waited += pause
        if found.wait_s > 0:
            try:
                await self._options.calls.sleep(found.wait_s)
            except BaseException:
                await asyncio.shield(gate.leave(to, found, CallReport(end=CallEnd.ABANDONED)))
                raise
        return found

    async def _call(self, call: Call, reader: AnswerReader) -> tuple[ChatCompletion, CallReport]:
        length = {"content-length": str(len(call.body))}
        async with self._slots:
            deadline = asyncio.timeout(call.timeout_s)  # made here: its time runs from now on
            try:
                body = _pieces(call.body)
                proxy = proxy_for(call.url)  # aiohttp's own way would look for a `.netrc` at each call as well
                sending = self._http.post(call.url, data=body, headers=length, proxy=proxy, allow_redirects=False)
                async with deadline, sending as response:
                    answer = await self._take(response, reader)
                    pause_s = pause_after_answer_s(response.headers, self._options.calls.clock())
                    tokens = answer.usage.total_tokens if answer.usage else 0
                    return answer, CallReport(end=CallEnd.ANSWERED, tokens=tokens, pause_s=pause_s)
            except (aiohttp.ClientError, OSError) as error:
                if deadline.expired():
                    raise timeout_error(self.provider, call.timeout_s) from error
                raise transport_error(self.provider, error) from error

    async def _take(self, response: aiohttp.ClientResponse, reader: AnswerReader) -> ChatCompletion:
        if 200 <= response.status < 300:
            return await reader.read(response)
        try:
            body = await read_whole(self.provider, response)
        except ClientError:
            body = b""  # the status counts, also of one whose words cannot be read
        failed = FailedAnswer(status=response.status, headers=response.headers, body=body)
        excused = reader.excuse(failed)
        if excused is not None:
            return excused
        raise error_from_answer(self.provider, failed, secret=self._options.secret, now=self._options.calls.clock())


def _report_failure(error: ClientError) -> CallReport:
    """What a failed call says of the provider: one that refuses a request is there."""
    if error.code is ErrorCode.MODEL_RATE_LIMITED:
        return CallReport(end=CallEnd.LIMITED, pause_s=error.retry_after_s)
    if error.code in _FAILURES:
        return CallReport(end=CallEnd.FAILED, pause_s=error.retry_after_s)
    return CallReport(end=CallEnd.ANSWERED)


def trusted_issuers() -> ssl.SSLContext | None:
    """Whom to believe where neither the system nor the environment names anybody; None: they do.

    Pythons that bring their own OpenSSL, and the smallest containers, know no certificates: no server could be called.
    """
    system = ssl.get_default_verify_paths()
    named = any(os.environ.get(name) for name in (system.openssl_cafile_env, system.openssl_capath_env))
    if named or system.cafile or (system.capath and any(Path(system.capath).iterdir())):
        return None
    return ssl.create_default_context(cafile=certifi.where())


async def _pieces(body: Body) -> AsyncIterator[bytes]:
    """A body as the connection takes it: in one piece it would be held a second time until all of it is sent."""
    for piece in body.pieces():
        yield piece


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
