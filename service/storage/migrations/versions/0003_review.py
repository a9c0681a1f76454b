"""Review: who has a job in hand, who decided, and the history of corrections."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("jobs", sa.Column("claimed_by", sa.String(length=100), nullable=True))
    op.add_column("jobs", sa.Column("claimed_until", sa.Float(), nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("decided_by", sa.String(length=100), nullable=True))
    op.add_column("jobs", sa.Column("decided_at", sa.Float(), nullable=True))
    op.create_index(
        op.f("ix_jobs_tenant_id_review_created_at"), "jobs", ["tenant_id", "review", "created_at"], unique=False
    )
    op.create_table(
        "review_events",
        sa.Column("position", _ROW_ID, nullable=False),
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=40), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=12), nullable=False),
        sa.Column("client_id", sa.String(length=100), nullable=True),
        sa.Column("by", sa.String(length=100), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("correction", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_review_events_job_id_jobs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_review_events")),
        sa.UniqueConstraint("job_id", "client_id", name=op.f("uq_review_events_job_id_client_id")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("review_events")
    op.drop_index(op.f("ix_jobs_tenant_id_review_created_at"), table_name="jobs")
    for column in ("decided_at", "decided_by", "claimed_until", "claimed_by"):
        op.drop_column("jobs", column)
