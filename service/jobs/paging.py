"""Lists that go from the newest back, page by page; a cursor is a time and an id, opaque to callers."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from service.domain.errors import ErrorCode, InputError
from service.storage.rows.paging import Cursor


class Listed(Protocol):
    """What such a list holds."""

    @property
    def id(self) -> str:
        """Names it."""
        ...

    @property
    def created_at(self) -> float:
        """Unix seconds."""
        ...


L = TypeVar("L", bound=Listed)
Page = tuple[tuple[L, ...], str | None]
"""Rows, and the cursor of those behind them; None: these are the last."""


def write_cursor(created_at: float, row_id: str) -> str:
    """What leads to the rows behind this one."""
    return base64.urlsafe_b64encode(f"{created_at!r}|{row_id}".encode()).decode()


def read_cursor(cursor: str | None) -> Cursor | None:
    """The inverse of `write_cursor`; None without a cursor: from the newest on.

    Raises:
        InputError: `invalid_option`, it is not one of ours.
    """
    if not cursor:
        return None
    try:
        at, _, row_id = base64.urlsafe_b64decode(cursor.encode()).decode("ascii").partition("|")
        if not row_id.isprintable():  # PostgreSQL takes no NUL
            raise ValueError
        return float(at), row_id
    except (binascii.Error, UnicodeError, ValueError):
        raise InputError(
            ErrorCode.INVALID_OPTION, "The cursor is not one that a list gave; start without one.", param="cursor"
        ) from None


def read_page(read: Callable[[Cursor | None, int], Sequence[L]], cursor: str | None, most: int) -> Page[L]:
    """The next rows behind a cursor, and the cursor of those behind them, if any.

    Args:
        read: gives at most so many rows behind a time and an id.
        cursor: of the page before; None: from the beginning.
        most: rows of a page.

    Raises:
        InputError: `invalid_option`, the cursor is not one of ours.
    """
    found = read(read_cursor(cursor), most + 1)  # one more tells whether there are further ones
    page = tuple(found[:most])
    return page, write_cursor(page[-1].created_at, page[-1].id) if len(found) > most else None
