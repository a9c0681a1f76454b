"""Pages that a person turned, of all uploads of the same bytes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("blobs", sa.Column("turns", sa.JSON(), nullable=False, server_default="{}"))
    with op.batch_alter_table("blobs") as blobs:  # the default is for the rows that are there
        blobs.alter_column("turns", server_default=None)


def downgrade() -> None:
    op.drop_column("blobs", "turns")
