"""Everything that can go wrong, by name. The ground knows no HTTP: each edge owns a total table over these codes.

ServiceError
├── InputError       the caller's file, schema or options
├── StateError       the thing asked for is not there, or not in that state
├── AccessError      who asks may not
├── ReadingError     a page or file defeated the readers
├── ClientError      the extraction model or the way to it
│   └── ProviderBusyError   no call may go there now
├── DecodingError    the model's answer
└── InternalError    ours
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from service.domain.traffic import ClosedRoad


class ErrorCode(StrEnum):
    """Stable codes; docs/errors.md explains each, a test walks every table over them."""

    # the caller's input
    NO_FILE = "no_file"
    EMPTY_FILE = "empty_file"
    UNSUPPORTED_FORMAT = "unsupported_format"
    PASSWORD_REQUIRED = "password_required"  # noqa: S105 - a code, not a password
    PASSWORD_WRONG = "password_wrong"  # noqa: S105 - a code, not a password
    DAMAGED_FILE = "damaged_file"
    NO_PAGES = "no_pages"
    FILE_TOO_LARGE = "file_too_large"
    TOO_MANY_PAGES = "too_many_pages"
    PAGE_TOO_LARGE = "page_too_large"
    PLACEHOLDER_DOCUMENT = "placeholder_document"
    INVALID_SCHEMA = "invalid_schema"
    INVALID_REQUEST = "invalid_request_body"
    INVALID_OPTION = "invalid_option"
    OPTION_NOT_SUPPORTED = "option_not_supported"
    UNKNOWN_MODEL = "unknown_model"
    # state
    FILE_NOT_FOUND = "file_not_found"
    PAGE_NOT_FOUND = "page_not_found"
    JOB_NOT_FOUND = "job_not_found"
    BATCH_NOT_FOUND = "batch_not_found"
    EXPORT_NOT_FOUND = "export_not_found"
    SCHEMA_NOT_FOUND = "schema_not_found"
    MEMORY_NOT_FOUND = "memory_not_found"
    WEBHOOK_NOT_FOUND = "webhook_not_found"
    DELIVERY_NOT_FOUND = "delivery_not_found"
    ROUTE_NOT_FOUND = "route_not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    NOT_FINISHED = "not_finished"
    WRONG_STATE = "wrong_state"
    EDIT_CONFLICT = "edit_conflict"
    EXPIRED = "expired"
    ON_HOLD = "on_hold"
    ALREADY_TAKEN = "already_taken"
    IDEMPOTENCY_MISMATCH = "idempotency_mismatch"
    IDEMPOTENCY_IN_FLIGHT = "idempotency_in_flight"
    # access
    INVALID_API_KEY = "invalid_api_key"
    FORBIDDEN = "forbidden"
    ORIGIN_NOT_ALLOWED = "origin_not_allowed"
    # reading
    PAGE_TIMEOUT = "page_timeout"
    PAGE_CRASHED = "page_crashed"
    PAGE_MEMORY = "page_memory"
    # the model
    MODEL_TIMEOUT = "model_timeout"
    MODEL_RATE_LIMITED = "model_rate_limited"
    MODEL_UNAVAILABLE = "model_unavailable"
    MODEL_ACCESS_DENIED = "model_access_denied"
    MODEL_REJECTED = "model_rejected"
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    EGRESS_DENIED = "egress_denied"
    BUDGET_EXCEEDED = "budget_exceeded"
    # its answer
    MODEL_BAD_ANSWER = "model_bad_answer"
    OUTPUT_TRUNCATED = "output_truncated"
    CONTENT_FILTERED = "content_filtered"
    UNKNOWN_FINISH_REASON = "unknown_finish_reason"
    # ours
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    STORAGE_FULL = "storage_full"
    OVERLOADED = "overloaded"
    NOT_READY = "not_ready"
    INTERNAL = "internal_error"


class ServiceError(Exception):
    """Root of all errors that Fieldmark raises on purpose.

    Args:
        code: the stable name of what is wrong.
        message: what is wrong, which one, and what to do; never document text or secrets.
        param: the part of the input that is meant (a JSON Pointer, a form field or an option).
        retry_after_s: when trying again makes sense, in seconds from now.
        details: further plain facts for the caller; they may hold a value of the document, the message never does.
    """

    retryable = False

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        param: str | None = None,
        retry_after_s: float | None = None,
        details: Mapping[str, str | int | float | None] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.param = param
        self.retry_after_s = retry_after_s
        self.details = dict(details or {})


class InputError(ServiceError):
    """The caller's file, schema or options; trying again without a change is useless."""


class StateError(ServiceError):
    """What is asked for is not there, or not in that state."""


class AccessError(ServiceError):
    """Who asks may not."""


class ReadingError(ServiceError):
    """A page or file defeated the readers: it crashed them, or ran over its time or memory."""


class ClientError(ServiceError):
    """The model or the way to it failed; `retryable` says whether the same request may work later."""

    def __init__(self, code: ErrorCode, message: str, *, retryable: bool, retry_after_s: float | None = None) -> None:
        super().__init__(code, message, retry_after_s=retry_after_s)
        self.retryable = retryable


class ProviderBusyError(ClientError):
    """No call may go to a provider now; the step waits, and that costs it none of its attempts.

    Args:
        code: of the failure that closed the road, or of the wait itself.
        provider: who is meant.
        road: why, and for how long.
    """

    def __init__(self, code: ErrorCode, message: str, *, provider: str, road: ClosedRoad) -> None:
        super().__init__(code, message, retryable=True, retry_after_s=road.wait_s)
        self.provider = provider
        self.road = road


class DecodingError(ServiceError):
    """The model answered, but not with what was asked for."""


class InternalError(ServiceError):
    """Ours; trying again may help."""

    retryable = True
