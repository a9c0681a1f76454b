"""The total table from error codes to the exit code of a command; `docs/cli.md` explains them, a test walks both."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from service.domain.errors import ErrorCode
from service.domain.jobs import JobStatus


class ExitCode(IntEnum):
    """What a script may branch on."""

    OK = 0
    USAGE = 2
    """The command, the schema, an option or the settings."""
    DOCUMENT = 3
    """The file cannot be read."""
    MODEL = 4
    """The extraction model, or its answer."""
    INTERNAL = 5
    """Fieldmark, or the machine it runs on."""
    STATE = 6
    """What is asked for is not there, not in that state, or not allowed to who asks."""
    PARTIAL = 10
    """There is a result, and something is missing in it."""
    BELOW = 11
    """`evaluate`: a set is less right than was asked for."""
    STOPPED = 12
    """`batch`: a limit was reached before the last file."""
    INTERRUPTED = 130
    """Ctrl-C, as shells count it."""


_FAULTS: Mapping[ExitCode, tuple[ErrorCode, ...]] = {
    ExitCode.USAGE: (
        ErrorCode.NO_FILE,
        ErrorCode.INVALID_SCHEMA,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.INVALID_OPTION,
        ErrorCode.OPTION_NOT_SUPPORTED,
        ErrorCode.UNKNOWN_MODEL,
    ),
    ExitCode.DOCUMENT: (
        ErrorCode.EMPTY_FILE,
        ErrorCode.UNSUPPORTED_FORMAT,
        ErrorCode.PASSWORD_REQUIRED,
        ErrorCode.PASSWORD_WRONG,
        ErrorCode.DAMAGED_FILE,
        ErrorCode.NO_PAGES,
        ErrorCode.FILE_TOO_LARGE,
        ErrorCode.TOO_MANY_PAGES,
        ErrorCode.PAGE_TOO_LARGE,
        ErrorCode.PLACEHOLDER_DOCUMENT,
        ErrorCode.PAGE_TIMEOUT,
        ErrorCode.PAGE_CRASHED,
        ErrorCode.PAGE_MEMORY,
    ),
    ExitCode.MODEL: (
        ErrorCode.MODEL_TIMEOUT,
        ErrorCode.MODEL_RATE_LIMITED,
        ErrorCode.MODEL_UNAVAILABLE,
        ErrorCode.MODEL_ACCESS_DENIED,
        ErrorCode.MODEL_REJECTED,
        ErrorCode.PROVIDER_UNAVAILABLE,
        ErrorCode.EGRESS_DENIED,
        ErrorCode.BUDGET_EXCEEDED,
        ErrorCode.MODEL_BAD_ANSWER,
        ErrorCode.OUTPUT_TRUNCATED,
        ErrorCode.CONTENT_FILTERED,
        ErrorCode.UNKNOWN_FINISH_REASON,
    ),
    ExitCode.INTERNAL: (
        ErrorCode.ATTEMPTS_EXHAUSTED,
        ErrorCode.STORAGE_FULL,
        ErrorCode.OVERLOADED,
        ErrorCode.NOT_READY,
        ErrorCode.INTERNAL,
    ),
    ExitCode.STATE: (
        ErrorCode.FILE_NOT_FOUND,
        ErrorCode.PAGE_NOT_FOUND,
        ErrorCode.JOB_NOT_FOUND,
        ErrorCode.SCHEMA_NOT_FOUND,
        ErrorCode.MEMORY_NOT_FOUND,
        ErrorCode.BATCH_NOT_FOUND,
        ErrorCode.EXPORT_NOT_FOUND,
        ErrorCode.WEBHOOK_NOT_FOUND,
        ErrorCode.DELIVERY_NOT_FOUND,
        ErrorCode.ROUTE_NOT_FOUND,
        ErrorCode.METHOD_NOT_ALLOWED,
        ErrorCode.NOT_FINISHED,
        ErrorCode.WRONG_STATE,
        ErrorCode.EDIT_CONFLICT,
        ErrorCode.EXPIRED,
        ErrorCode.ON_HOLD,
        ErrorCode.ALREADY_TAKEN,
        ErrorCode.IDEMPOTENCY_MISMATCH,
        ErrorCode.IDEMPOTENCY_IN_FLIGHT,
        ErrorCode.INVALID_API_KEY,
        ErrorCode.FORBIDDEN,
        ErrorCode.ORIGIN_NOT_ALLOWED,
    ),
}
EXIT_CODES: Mapping[ErrorCode, ExitCode] = {code: exit_code for exit_code, codes in _FAULTS.items() for code in codes}

EPILOG = (
    "Exit codes: 0 done · 2 command, schema, option or setting · 3 the file cannot be read · "
    "4 the model or its answer · 5 Fieldmark or this machine · "
    "6 not there, not now or not allowed · 10 partly done · 11 below the wanted F1 · 12 stopped by a limit · "
    "130 interrupted."
)


def exit_code_of(status: JobStatus, fault_code: str | None) -> ExitCode:
    """How a command ends whose job ended so."""
    if status is JobStatus.SUCCEEDED:
        return ExitCode.OK
    if status is JobStatus.PARTIALLY_SUCCEEDED:
        return ExitCode.PARTIAL
    if status is JobStatus.CANCELLED:
        return ExitCode.STATE
    try:
        return EXIT_CODES[ErrorCode(fault_code or "")]
    except ValueError:  # a newer service may know more
        return ExitCode.INTERNAL
