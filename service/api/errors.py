"""The total table from error codes to HTTP, and the one body that every error has.

Source of the statuses: https://console.upstage.ai/docs (errors), read 2026-11-30, so that one client reads both;
`docs/errors.md` says of each code what it means and what to do, and a test walks both.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Literal

from fastapi import Response

from service.domain.errors import ErrorCode, InternalError, ServiceError
from service.protocol.error import ErrorBody, ErrorDetail

_log = logging.getLogger(__name__)

ErrorType = Literal[
    "invalid_request_error", "authentication_error", "permission_error", "rate_limit_error", "server_error"
]


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """How a code leaves over HTTP."""

    status: int
    type: ErrorType


_BAD = ErrorRule(400, "invalid_request_error")
_UNREADABLE = ErrorRule(422, "invalid_request_error")
_MISSING = ErrorRule(404, "invalid_request_error")
_CONFLICT = ErrorRule(409, "invalid_request_error")
_STALE = ErrorRule(412, "invalid_request_error")
_FORBIDDEN = ErrorRule(403, "permission_error")
_FAILED = ErrorRule(500, "server_error")
_MODEL = ErrorRule(502, "server_error")
_NOT_NOW = ErrorRule(503, "server_error")

ERROR_RULES: Mapping[ErrorCode, ErrorRule] = {
    ErrorCode.NO_FILE: _BAD,
    ErrorCode.EMPTY_FILE: _BAD,
    ErrorCode.UNSUPPORTED_FORMAT: ErrorRule(415, "invalid_request_error"),
    ErrorCode.PASSWORD_REQUIRED: _UNREADABLE,
    ErrorCode.PASSWORD_WRONG: _UNREADABLE,
    ErrorCode.DAMAGED_FILE: _UNREADABLE,
    ErrorCode.NO_PAGES: _UNREADABLE,
    ErrorCode.FILE_TOO_LARGE: _BAD,
    ErrorCode.TOO_MANY_PAGES: _BAD,
    ErrorCode.PAGE_TOO_LARGE: _BAD,
    ErrorCode.PLACEHOLDER_DOCUMENT: _UNREADABLE,
    ErrorCode.INVALID_SCHEMA: _BAD,
    ErrorCode.INVALID_REQUEST: _BAD,
    ErrorCode.INVALID_OPTION: _BAD,
    ErrorCode.OPTION_NOT_SUPPORTED: _BAD,
    ErrorCode.UNKNOWN_MODEL: _BAD,
    ErrorCode.FILE_NOT_FOUND: _MISSING,
    ErrorCode.PAGE_NOT_FOUND: _MISSING,
    ErrorCode.JOB_NOT_FOUND: _MISSING,
    ErrorCode.SCHEMA_NOT_FOUND: _MISSING,
    ErrorCode.MEMORY_NOT_FOUND: _MISSING,
    ErrorCode.WEBHOOK_NOT_FOUND: _MISSING,
    ErrorCode.DELIVERY_NOT_FOUND: _MISSING,
    ErrorCode.BATCH_NOT_FOUND: _MISSING,
    ErrorCode.EXPORT_NOT_FOUND: _MISSING,
    ErrorCode.ROUTE_NOT_FOUND: _MISSING,
    ErrorCode.METHOD_NOT_ALLOWED: ErrorRule(405, "invalid_request_error"),
    ErrorCode.NOT_FINISHED: _CONFLICT,
    ErrorCode.WRONG_STATE: _CONFLICT,
    ErrorCode.EDIT_CONFLICT: _STALE,
    ErrorCode.EXPIRED: ErrorRule(410, "invalid_request_error"),
    ErrorCode.ON_HOLD: _CONFLICT,
    ErrorCode.ALREADY_TAKEN: _CONFLICT,
    ErrorCode.IDEMPOTENCY_MISMATCH: _UNREADABLE,
    ErrorCode.IDEMPOTENCY_IN_FLIGHT: _CONFLICT,
    ErrorCode.INVALID_API_KEY: ErrorRule(401, "authentication_error"),
    ErrorCode.FORBIDDEN: _FORBIDDEN,
    ErrorCode.ORIGIN_NOT_ALLOWED: _FORBIDDEN,
    ErrorCode.PAGE_TIMEOUT: _UNREADABLE,
    ErrorCode.PAGE_CRASHED: _UNREADABLE,
    ErrorCode.PAGE_MEMORY: _UNREADABLE,
    ErrorCode.MODEL_TIMEOUT: ErrorRule(504, "server_error"),
    ErrorCode.MODEL_RATE_LIMITED: _NOT_NOW,
    ErrorCode.MODEL_UNAVAILABLE: _NOT_NOW,
    ErrorCode.MODEL_ACCESS_DENIED: _MODEL,
    ErrorCode.MODEL_REJECTED: _MODEL,
    ErrorCode.PROVIDER_UNAVAILABLE: _NOT_NOW,
    ErrorCode.EGRESS_DENIED: _FORBIDDEN,
    ErrorCode.BUDGET_EXCEEDED: _UNREADABLE,
    ErrorCode.MODEL_BAD_ANSWER: _MODEL,
    ErrorCode.OUTPUT_TRUNCATED: _MODEL,
    ErrorCode.CONTENT_FILTERED: _UNREADABLE,
    ErrorCode.UNKNOWN_FINISH_REASON: _MODEL,
    ErrorCode.ATTEMPTS_EXHAUSTED: _FAILED,
    ErrorCode.STORAGE_FULL: ErrorRule(507, "server_error"),
    ErrorCode.OVERLOADED: ErrorRule(429, "rate_limit_error"),
    ErrorCode.NOT_READY: _NOT_NOW,
    ErrorCode.INTERNAL: _FAILED,
}


def error_response(error: ServiceError, request_id: str, headers: Mapping[str, str] | None = None) -> Response:
    """The answer for an error; `Retry-After` when waiting helps."""
    rule = ERROR_RULES[error.code]
    sent = dict(headers or {})
    if error.retry_after_s is not None:
        sent["Retry-After"] = str(max(1, ceil(error.retry_after_s)))
    if rule.status == 401:
        sent["WWW-Authenticate"] = 'Bearer realm="fieldmark"'
    return Response(error_body(error, request_id), rule.status, sent, media_type="application/json")


def error_body(error: ServiceError, request_id: str) -> bytes:
    """The JSON body for an error."""
    detail = ErrorDetail(
        message=error.message,
        type=ERROR_RULES[error.code].type,
        param=error.param,
        code=error.code,
        retryable=error.retryable or error.retry_after_s is not None,
        request_id=request_id,
        details=dict(error.details) or None,
    )
    return ErrorBody(error=detail).body()


def unexpected_response(error: Exception, request_id: str) -> Response:
    """The answer for a fault of ours; what it was stands in the log alone."""
    _log.error("request %s failed", request_id, exc_info=error)
    known = InternalError(
        ErrorCode.INTERNAL, "Something failed inside Fieldmark; its log tells more under this request id."
    )
    return error_response(known, request_id)
