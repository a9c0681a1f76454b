"""Why files fail, grouped by what a person does about it; `docs/batch.md` shows the groups, a test walks all codes."""

from __future__ import annotations

from collections.abc import Mapping

from service.cli.exit_codes import EXIT_CODES, ExitCode
from service.domain.errors import ErrorCode

CANCELLED = "cancelled"
"""Stands for a code where somebody cancelled the job."""
UNROUTED = "unrouted"
"""Stands for a code where none of several schemas fits the file."""
PASSWORD_CODES = (ErrorCode.PASSWORD_REQUIRED, ErrorCode.PASSWORD_WRONG)
_BY_CODE: Mapping[str, str] = {
    ErrorCode.PASSWORD_REQUIRED: "name its password in a file for --passwords, and run again",
    ErrorCode.PASSWORD_WRONG: "name the right password in the file for --passwords, and run again",
    ErrorCode.EMPTY_FILE: "copy the file again from where it came",
    ErrorCode.NO_FILE: "see whether the file may be read, then run again with --rerun-if failed",
    ErrorCode.DAMAGED_FILE: "open it in its own program, save it anew, and run again",
    ErrorCode.NO_PAGES: "open it in its own program, save it anew, and run again",
    ErrorCode.PLACEHOLDER_DOCUMENT: "open it in the program it names, print it to PDF, and run again",
    ErrorCode.FILE_TOO_LARGE: "split it, or raise FIELDMARK_MAX_FILE_BYTES and run again with --rerun-if failed",
    ErrorCode.TOO_MANY_PAGES: "split it, or raise FIELDMARK_MAX_PAGES and run again with --rerun-if failed",
    ErrorCode.PAGE_TOO_LARGE: "scan it at a lower resolution, or raise FIELDMARK_MAX_PAGE_PIXELS and --rerun-if failed",
    ErrorCode.MODEL_ACCESS_DENIED: "look at the provider's key and credit, and run again",
    ErrorCode.CONTENT_FILTERED: "take another --model for it, with --only failures.csv",
    ErrorCode.STORAGE_FULL: "free some space, and run again",
    CANCELLED: "run again",
    UNROUTED: "name a schema for its kind in --schemas, and run again with --rerun-if schema",
}
_BY_KIND: Mapping[ExitCode, str] = {
    ExitCode.USAGE: "correct the command or the setting, and run again with --rerun-if failed",
    ExitCode.DOCUMENT: "print the file to PDF anew, and run again",
    ExitCode.MODEL: "run again later, or take another --model for it, with --only failures.csv",
    ExitCode.INTERNAL: "run again; if it comes back, send the file to who runs the service",
    ExitCode.STATE: "run again",
}
_FINAL = (ErrorCode.MODEL_REJECTED, ErrorCode.CONTENT_FILTERED, ErrorCode.OUTPUT_TRUNCATED)
"""Of a model: the same request is answered the same."""


def action_for(code: str | None) -> str:
    """What a person does about a failure."""
    return _BY_CODE.get(code or "") or _BY_KIND[_kind_of(code)]


def is_tried_again(code: str | None) -> bool:
    """Whether the next run tries by itself: not the file was at fault, and not what was asked for."""
    if code in _FINAL:
        return False
    return code == CANCELLED or _kind_of(code) in (ExitCode.MODEL, ExitCode.INTERNAL, ExitCode.STATE)


def is_of_the_file(code: ErrorCode) -> bool:
    """Whether an error at hand-in is about this file alone; all others would meet every file."""
    return EXIT_CODES[code] is ExitCode.DOCUMENT or code is ErrorCode.NO_FILE


def _kind_of(code: str | None) -> ExitCode:
    try:
        return EXIT_CODES[ErrorCode(code or "")]
    except ValueError:  # of a newer service
        return ExitCode.INTERNAL
