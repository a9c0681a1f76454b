"""Insert or change in one statement, which two transactions can do at the same time on both databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql


def upsert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An insert that takes `on_conflict_do_update`."""
    return upsert_in(connection.dialect.name, table)


def put_rows(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, object]], *, keys: tuple[str, ...]
) -> None:
    """Insert rows of the same columns; one whose keys are there already is written anew."""
    if rows:
        names = tuple(name for name in rows[0] if name not in keys)
        connection.execute(_put(connection.dialect.name, table, keys, names), list(rows))


@cache  # building a statement takes longer than running it
def _put(
    dialect: str, table: Table, keys: tuple[str, ...], names: tuple[str, ...]
) -> postgresql.Insert | sqlite.Insert:
    query = upsert_in(dialect, table)
    return query.on_conflict_do_update(index_elements=keys, set_={name: query.excluded[name] for name in names})


def upsert_in(dialect: str, table: Table) -> postgresql.Insert | sqlite.Insert:
    """The same for a statement that is made once."""
    if dialect != "postgresql":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # late: two megabytes that its users have already

    return postgresql.insert(table)
