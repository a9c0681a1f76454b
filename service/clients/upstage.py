"""Upstage's Information Extraction: one synchronous call for one range of pages.

Source: https://console.upstage.ai/docs (information extraction, errors, rate limits), read 2026-11-30; see
docs/providers/upstage.md.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import aiohttp
import httpx
from httpx_aiohttp import HttpxAiohttpClient
from pydantic import SecretStr, ValidationError
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random_exponential,
)

from service.clients.base import Capabilities
from service.clients.errors import FailedAnswer, bad_answer_error, error_from_answer, timeout_error, transport_error
from service.clients.schema_limits import check_schema_limits
from service.domain.errors import ClientError, ErrorCode
from service.domain.schema import ExtractionSchema
from service.protocol.completion import ChatCompletion
from service.protocol.error import read_error_value
from service.protocol.json_text import decode_json
from service.protocol.request import ExtractionRequest

PROVIDER = "upstage"
DEFAULT_MODEL = "information-extract"
MAX_NAME_CHARS = 10_000
"""Of all property names together."""

CAPABILITIES = Capabilities(
    queue="io",
    pages_as="file",
    max_pages=100,
    # The vendor counts requests (1 a second by default) and works through a request in chunks of 5 pages. At 10 pages
    # a file of 1,000 is 100 calls, a failure or too long an answer costs 10 pages, and scans stay far below 50 MB.
    default_pages_per_chunk=10,
    max_properties=100,
    max_schema_chars=15_000,
    max_file_bytes=52_428_800,
    nested_objects=False,
)
"""The limits of the synchronous call."""

_BACK_OFF = wait_exponential(multiplier=0.5, max=15.0) + wait_random_exponential(multiplier=0.5, max=15.0)
"""0.5 to 1 s, 1 to 2 s, 2 to 4 s, …: half by chance, so that calls that failed together do not return together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstageOptions:
    """Where and as whom to call, and how often."""

    base_url: str
    """Up to and with `/v1`."""
    api_key: SecretStr
    attempts: int
    """Calls of one request (≥ 1), the first included."""
    max_connections: int
    """Calls in flight at once (≥ 1); further ones wait their turn before their time begins to count."""
    connect_timeout_s: float = 10.0
    clock: Callable[[], float] = time.time
    """Unix seconds."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class UpstageClient:
    """Fills `ExtractionClient`; one for a process, since a client holds its connections."""

    def __init__(self, options: UpstageOptions) -> None:
        self._options = options
        self._key = options.api_key.get_secret_value()
        self._url = f"{options.base_url.rstrip('/')}/information-extraction"
        self._slots = asyncio.Semaphore(options.max_connections)
        limits = httpx.Limits(
            max_connections=options.max_connections, max_keepalive_connections=options.max_connections
        )
        self._http = HttpxAiohttpClient(
            headers={"authorization": f"Bearer {self._key}", "content-type": "application/json"},
            limits=limits,
            timeout=httpx.Timeout(None, connect=options.connect_timeout_s),
        )

    @property
    def capabilities(self) -> Capabilities:
        """The limits of the synchronous call."""
        return CAPABILITIES

    def check_schema(self, schema: ExtractionSchema) -> None:
        """Refuse a schema that the model would refuse.

        Raises:
            InputError: `invalid_schema`; `param` is the JSON Pointer of the fault inside the schema.
        """
        check_schema_limits(schema, CAPABILITIES, provider=PROVIDER, max_name_chars=MAX_NAME_CHARS)

    async def complete(self, request: ExtractionRequest, *, timeout_s: float) -> ChatCompletion:
        """Send one request, again if it failed in a way that may pass, and give the whole answer.

        Args:
            timeout_s: for one call, from its connection to the last byte of its answer. Waiting for a free connection
                and between calls does not count.

        Raises:
            ClientError: the last call's failure. Cancelling closes the connection at once.
        """
        if not self._key:
            message = f"{PROVIDER}: no key is set; set FIELDMARK_UPSTAGE_API_KEY"
            raise ClientError(ErrorCode.MODEL_ACCESS_DENIED, message, retryable=False)
        body = request.body()
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._options.attempts),
            wait=_wait_s,
            retry=retry_if_exception(_may_pass),
            sleep=self._options.sleep,
            reraise=True,
        )
        return await retrying(self._call, body, timeout_s)

    async def close(self) -> None:
        """Close every connection; calls in flight fail."""
        await self._http.aclose()

    async def _call(self, body: bytes, timeout_s: float) -> ChatCompletion:
        async with self._slots:
            answer = await self._post(body, timeout_s)
        if answer.is_success:
            return _read_completion(answer.content)
        failed = FailedAnswer(status=answer.status_code, headers=answer.headers, body=answer.content)
        raise error_from_answer(PROVIDER, failed, secret=self._key, now=self._options.clock())

    async def _post(self, body: bytes, timeout_s: float) -> httpx.Response:
        deadline = asyncio.timeout(timeout_s)
        try:
            async with deadline:
                return await self._http.post(self._url, content=body)
        except (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError) as error:
            if deadline.expired():
                raise timeout_error(PROVIDER, timeout_s) from error
            raise transport_error(PROVIDER, error) from error


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, ClientError) and error.retryable


def _wait_s(state: RetryCallState) -> float:
    """The time the server asked for, if it did, and then our own back-off."""
    error = state.outcome.exception() if state.outcome is not None else None
    asked = error.retry_after_s if isinstance(error, ClientError) else None
    return (asked or 0.0) + _BACK_OFF(state)


def _read_completion(content: bytes) -> ChatCompletion:
    """The answer of a call that succeeded.

    What is not JSON was cut or written by something on the way, so it may pass; JSON of another form will come again.
    """
    try:
        value = decode_json(content)
    except ValueError as error:
        raise bad_answer_error(PROVIDER, "the body is not JSON", retryable=True) from error
    try:
        completion = ChatCompletion.model_validate(value)
    except ValidationError as error:
        reported = isinstance(value, dict) and "error" in value and read_error_value(value) is not None
        why = "the body reports an error" if reported else "the body is no chat completion"
        raise bad_answer_error(PROVIDER, why, retryable=reported) from error
    if not completion.choices:
        raise bad_answer_error(PROVIDER, "it holds no choice", retryable=True)
    return completion
