"""Answers of models that may serve again, and who saw which pages of a job."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("processing", sa.JSON(), nullable=False, server_default="[]"))
    with op.batch_alter_table("jobs") as jobs:  # the default is for the rows that are there
        jobs.alter_column("processing", server_default=None)
    op.create_table(
        "answers",
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("source_key", sa.String(length=160), nullable=False),
        sa.Column("job_id", sa.String(length=40), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "key", name=op.f("pk_answers")),
    )
    for column in ("source_key", "job_id", "created_at"):
        op.create_index(op.f(f"ix_answers_{column}"), "answers", [column], unique=False)


def downgrade() -> None:
    op.drop_table("answers")
    op.drop_column("jobs", "processing")
