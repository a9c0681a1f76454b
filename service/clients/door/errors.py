"""What went wrong between us and a model server, as `ClientError`: by the answer's status or the transport's word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from service.clients.door.retry_after import retry_after_s
from service.domain.errors import ClientError, ErrorCode, ProviderBusyError
from service.domain.traffic import ClosedRoad, WaitReason
from service.protocol.error import WireError, read_error

_LONGEST_MESSAGE = 300
_DATA_URL = re.compile(r"data:[^,\s\"']*,[^\s\"']*")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/=_-]{80,}")

_ACCESS = (ErrorCode.MODEL_ACCESS_DENIED, False)
_REJECTED = (ErrorCode.MODEL_REJECTED, False)
_BY_STATUS: Mapping[int, tuple[ErrorCode, bool]] = {
    401: _ACCESS,
    402: _ACCESS,
    403: _ACCESS,
    408: (ErrorCode.MODEL_TIMEOUT, True),
    409: (ErrorCode.MODEL_UNAVAILABLE, True),
    425: (ErrorCode.MODEL_UNAVAILABLE, True),
    429: (ErrorCode.MODEL_RATE_LIMITED, True),
    504: (ErrorCode.MODEL_TIMEOUT, True),
}
_OUT_OF_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes of a 429 that no waiting helps against."""
_HINTS: Mapping[int, str] = {
    301: "check the base URL",
    302: "check the base URL",
    307: "check the base URL",
    308: "check the base URL",
    401: "check the key",
    402: "the account has no credit",
    403: "the account has no credit, or the key no right to this model",
    404: "check the base URL",
    405: "check the base URL",
    413: "send fewer pages at once",
    415: "this file format is not accepted",
    422: "the file is damaged or unreadable to this model",
    429: "fewer calls at once",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAnswer:
    """An HTTP answer that is no success."""

    status: int
    headers: Mapping[str, str]
    """Looked up in lower case."""
    body: bytes


def error_from_answer(provider: str, answer: FailedAnswer, *, secret: str, now: float) -> ClientError:
    """The error for an answer whose status is not 2xx, with the provider's own words, cut short.

    A server's `x-should-retry: true|false` overrules the table.

    Args:
        secret: the key that was sent; struck out should the provider repeat it.
        now: unix seconds.
    """
    said = read_error(answer.status, answer.body)
    code, retryable = _ACCESS if said.code in _OUT_OF_CREDIT else _judge(answer.status)
    wish = answer.headers.get("x-should-retry", "").lower()
    retryable = {"true": True, "false": False}.get(wish, retryable)
    named = f" ({said.code})" if said.code else ""
    hint = f"; {_HINTS[answer.status]}" if answer.status in _HINTS else ""
    text = _safe(said.message, secret)
    return ClientError(
        code,
        f"{provider} answered {answer.status}{named}: {text}{hint}",
        retryable=retryable,
        retry_after_s=_retry_after_s(answer, now) if retryable else None,
    )


def _retry_after_s(answer: FailedAnswer, now: float) -> float | None:
    return retry_after_s(answer.headers, now, limited=answer.status == 429)


def _judge(status: int) -> tuple[ErrorCode, bool]:
    if status >= 500:
        return _BY_STATUS.get(status, (ErrorCode.MODEL_UNAVAILABLE, True))
    return _BY_STATUS.get(status, _REJECTED)


def _safe(text: str, secret: str) -> str:
    """Without the key, without what may be the file, without line breaks, cut short."""
    if secret:
        text = text.replace(secret, "***")
    text = _LONG_RUN.sub("[…]", _DATA_URL.sub("[file]", " ".join(text.split())))
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"


def timeout_error(provider: str, timeout_s: float) -> ClientError:
    """No whole answer came in time."""
    message = f"{provider} gave no whole answer within {timeout_s:g} s; fewer pages a request answer sooner"
    return ClientError(ErrorCode.MODEL_TIMEOUT, message, retryable=True)


def transport_error(provider: str, error: Exception) -> ClientError:
    """The connection could not be made, broke, or timed out while it was made."""
    if isinstance(error, TimeoutError):
        message = f"{provider}: no connection in time; check the base URL and the network"
        return ClientError(ErrorCode.MODEL_TIMEOUT, message, retryable=True)
    kind = type(error).__name__
    message = f"{provider}: the connection failed or was cut ({kind}); check the base URL and the network"
    return ClientError(ErrorCode.MODEL_UNAVAILABLE, message, retryable=True)


def bad_answer_error(provider: str, why: str, *, retryable: bool) -> ClientError:
    """A success by its status whose body is not the answer that was asked for."""
    return ClientError(ErrorCode.MODEL_BAD_ANSWER, f"{provider} answered 200, but {why}", retryable=retryable)


def stream_error(provider: str, said: WireError, *, secret: str) -> ClientError:
    """An error that the server reported inside a stream, after a status that was a success.

    It has no status to go by, and what broke off in the middle of an answer may well succeed the next time.
    """
    named = f" ({said.code})" if said.code else ""
    message = f"{provider} broke off its answer{named}: {_safe(said.message, secret)}"
    if said.code in _OUT_OF_CREDIT:
        return ClientError(ErrorCode.MODEL_ACCESS_DENIED, message, retryable=False)
    limited = said.code in ("429", "rate_limit_exceeded")
    code = ErrorCode.MODEL_RATE_LIMITED if limited else ErrorCode.MODEL_UNAVAILABLE
    return ClientError(code, message, retryable=True)


def busy_error(error: ClientError, provider: str, road: ClosedRoad) -> ProviderBusyError:
    """The failure of a call after which no other may go there for a while."""
    return ProviderBusyError(error.code, error.message, provider=provider, road=road)


def closed_road_error(provider: str, road: ClosedRoad) -> ProviderBusyError:
    """No call was made, since none may go there now."""
    if road.reason is WaitReason.RATE_LIMITED:
        message = (
            f"{provider}: as many calls as its limits allow are made already; the next may go in {road.wait_s:.0f} s"
        )
        return ProviderBusyError(ErrorCode.MODEL_RATE_LIMITED, message, provider=provider, road=road)
    message = f"{provider} failed several times in a row and is left alone for {road.wait_s:.0f} s"
    return ProviderBusyError(ErrorCode.MODEL_UNAVAILABLE, message, provider=provider, road=road)
