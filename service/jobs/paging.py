"""Cursors of lists that go from the newest back: a time and an id, opaque to callers."""

from __future__ import annotations

import base64
import binascii

from service.domain.errors import ErrorCode, InputError


def write_cursor(created_at: float, row_id: str) -> str:
    """What leads to the rows behind this one."""
    return base64.urlsafe_b64encode(f"{created_at!r}|{row_id}".encode()).decode()


def read_cursor(cursor: str) -> tuple[float, str]:
    """The inverse of `write_cursor`.

    Raises:
        InputError: `invalid_option`, it is not one of ours.
    """
    try:
        at, _, row_id = base64.urlsafe_b64decode(cursor.encode()).decode("ascii").partition("|")
        if not row_id.isprintable():  # PostgreSQL takes no NUL
            raise ValueError
        return float(at), row_id
    except (binascii.Error, UnicodeError, ValueError):
        raise InputError(
            ErrorCode.INVALID_OPTION, "The cursor is not one that a list gave; start without one.", param="cursor"
        ) from None
