"""Why a step was put back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("steps", sa.Column("waiting", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("steps", "waiting")
