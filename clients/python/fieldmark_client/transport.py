"""Requests that are tried again when that makes sense, and errors as exceptions."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import httpx
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from fieldmark_client.errors import ApiError, Detail, NoAnswerError

_SAFE = frozenset({"GET", "PUT", "DELETE"})
_NOT_OVER = "not_finished"
"""Trying again would be waiting, which `wait` does better."""
Progress = Callable[[int, int], object]
"""Told the bytes that were sent, and how many there are."""


@dataclass(frozen=True, kw_only=True)
class Retries:
    """How often a request is sent, and how far apart."""

    attempts: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 30.0

    def wait_s(self, attempt: int, asked_s: float | None) -> float:
        """Before the next one, in seconds; what the service asks for goes before."""
        if asked_s is not None:
            return min(asked_s, self.longest_wait_s)
        backed_off = self.first_wait_s * 2.0 ** (attempt - 1)
        return min(backed_off, self.longest_wait_s) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request."""

    method: str
    path: str
    params: Mapping[str, str | int] | None = None
    json: JsonValue = None
    fields: Mapping[str, str] | None = None
    """Of a form."""
    file: tuple[str, BinaryIO] | None = None
    """Of a form: its name and its bytes, which are read anew for each try."""
    headers: Mapping[str, str] | None = None
    repeatable: bool = False
    """Whether the service tells a repeat from a second request."""
    timeout_s: float | None = None


class Transport:
    """Sends calls over one connection pool."""

    def __init__(self, http: httpx.Client, retries: Retries) -> None:
        self._http = http
        self._retries = retries

    def send(self, call: Call) -> httpx.Response:
        """The answer to a call.

        Raises:
            ApiError: the service answered with an error, also to the last try.
            NoAnswerError: no try was answered, or nobody knows whether this one was taken.
        """
        attempt = 0
        while True:
            attempt += 1
            last = attempt >= self._retries.attempts
            try:
                answer = self._try(call)
            except httpx.TransportError as error:
                may = call.repeatable or call.method in _SAFE or isinstance(error, httpx.ConnectError)
                if last or not may:
                    what = f"{call.method} {call.path} had no answer ({type(error).__name__}: {error})"
                    raise NoAnswerError(what) from error
                time.sleep(self._retries.wait_s(attempt, None))
                continue
            if answer.is_success:
                return answer
            fault = _fault(answer)
            if last or not fault.retryable or fault.code == _NOT_OVER:
                raise fault
            time.sleep(self._retries.wait_s(attempt, fault.retry_after_s))

    def _try(self, call: Call) -> httpx.Response:
        files = None
        if call.file is not None:
            call.file[1].seek(0)
            files = {"file": call.file}
        return self._http.request(
            call.method,
            call.path,
            params=call.params,
            json=call.json,
            data=call.fields,
            files=files,
            headers=call.headers,
            timeout=httpx.USE_CLIENT_DEFAULT if call.timeout_s is None else call.timeout_s,
        )


class _Error(BaseModel):
    model_config = ConfigDict(extra="ignore")

    code: str
    message: str
    param: str | None = None
    retryable: bool = False
    request_id: str | None = None
    details: dict[str, Detail] | None = None


class _Body(BaseModel):
    error: _Error


def _fault(answer: httpx.Response) -> ApiError:
    try:
        told = _Body.model_validate_json(answer.content).error
    except ValidationError:  # something between the service and this client answered
        status = answer.status_code
        told = _Error(code="unknown", message=answer.reason_phrase, retryable=status in (502, 503, 504))
    asked = answer.headers.get("retry-after", "")
    return ApiError(
        status=answer.status_code,
        code=told.code,
        message=told.message,
        param=told.param,
        retryable=told.retryable,
        retry_after_s=float(asked) if asked.isdecimal() else None,
        request_id=told.request_id,
        details=told.details or {},
    )
