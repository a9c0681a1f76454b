"""Lists by the time at which their rows were made, page by page, behind a cursor of that time and an id."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, and_, or_

Cursor = tuple[float, str]
"""`created_at` and `id` of the last row of the page before."""


def newest_first(query: Select[Any], table: FromClause, before: Cursor | None, most: int) -> Select[Any]:
    """The newest rows that are older than the cursor."""
    row = table.c
    if before is not None:
        at, row_id = before
        query = query.where(_either(row.created_at < at, row.created_at == at, row.id < row_id))
    return query.order_by(row.created_at.desc(), row.id.desc()).limit(most)


def oldest_first(query: Select[Any], table: FromClause, after: Cursor | None, most: int) -> Select[Any]:
    """The oldest rows that are newer than the cursor."""
    row = table.c
    if after is not None:
        at, row_id = after
        query = query.where(_either(row.created_at > at, row.created_at == at, row.id > row_id))
    return query.order_by(row.created_at, row.id).limit(most)


def _either(
    apart: ColumnElement[bool], same_time: ColumnElement[bool], then_by_id: ColumnElement[bool]
) -> ColumnElement[bool]:
    return or_(apart, and_(same_time, then_by_id))
