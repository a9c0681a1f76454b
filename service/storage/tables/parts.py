"""What all tables share: one set of names, ids that both databases give, and the tenant of a row."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, MetaData, String

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

ROW_ID = BigInteger().with_variant(Integer, "sqlite")
"""SQLite gives rowids to INTEGER keys only."""


def tenant() -> Column[str]:
    """Whose a row is."""
    return Column("tenant_id", String(64), nullable=False)
