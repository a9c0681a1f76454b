"""What a database answers when it cannot, in the words of everyone else: full, too busy, not there, or not for it."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DataError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from service.domain.errors import ErrorCode, InputError, InternalError, ServiceError

_SQLITE_BUSY = {5, 6}
"""SQLITE_BUSY, SQLITE_LOCKED. Source: https://sqlite.org/rescode.html, read 2026-11-30."""
_SQLITE_FULL = 13
_POSTGRES_FULL = "53100"
"""disk_full. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html, read 2026-11-30."""
_POSTGRES_BUSY = {"40001", "40P01", "53300", "55P03"}
"""serialization_failure, deadlock_detected, too_many_connections, lock_not_available."""

_NUL = "NUL (0x00)"
"""In what PostgreSQL's driver says of a text; SQLite takes it."""


def database_fault(error: SQLAlchemyError) -> ServiceError | None:
    """The error for a state of the database that may pass, or a text that none takes; None for a fault of ours."""
    if isinstance(error, PoolTimeoutError):
        return busy()
    if isinstance(error, DataError) and _NUL in str(error.orig):
        return InputError(
            ErrorCode.INVALID_REQUEST, "A text of the request holds the character NUL (U+0000); leave it out."
        )
    if not isinstance(error, OperationalError):
        return None
    if _is_full(error):
        return InternalError(ErrorCode.STORAGE_FULL, "No space is left for the database; free some and try again.")
    if _is_busy(error):
        return busy()
    if isinstance(error.orig, sqlite3.Error) and error.orig.sqlite_errorcode == sqlite3.SQLITE_ERROR:
        return None  # a wrong statement, which SQLite counts as operational
    return InternalError(ErrorCode.NOT_READY, "The database cannot be reached; try again shortly.", retry_after_s=2.0)


def _is_full(error: DBAPIError) -> bool:
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return cause.sqlite_errorcode & 0xFF == _SQLITE_FULL
    return _sqlstate(cause) == _POSTGRES_FULL


def _is_busy(error: DBAPIError) -> bool:
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return cause.sqlite_errorcode & 0xFF in _SQLITE_BUSY
    return _sqlstate(cause) in _POSTGRES_BUSY


def _sqlstate(cause: BaseException | None) -> str:
    """PostgreSQL's code; its driver is an extra and may not be there, so its classes cannot be named here."""
    return str(getattr(cause, "sqlstate", None) or "")


def busy() -> InternalError:
    """The error for a database that others keep to themselves for too long."""
    return InternalError(ErrorCode.OVERLOADED, "The database is too busy; try again shortly.", retry_after_s=1.0)
