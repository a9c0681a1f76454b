"""How long jobs are kept, and holds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "schema_retention",
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("schema_name", sa.String(length=100), nullable=False),
        sa.Column("days", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "schema_name", name=op.f("pk_schema_retention")),
    )
    op.add_column("jobs", sa.Column("hold", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("jobs", sa.Column("expires_at", sa.Float(), nullable=True))
    op.create_index(op.f("ix_jobs_expires_at_finished_at"), "jobs", ["expires_at", "finished_at"])


def downgrade() -> None:
    op.drop_index(op.f("ix_jobs_expires_at_finished_at"), "jobs")
    op.drop_column("jobs", "expires_at")
    op.drop_column("jobs", "hold")
    op.drop_table("schema_retention")
