"""Batches of jobs, and what became of the files of their archives."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "batches",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("external_id", sa.String(length=200), nullable=True),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("defaults", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("created_by", sa.String(length=100), nullable=False),
        sa.Column("closed_at", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batches")),
    )
    op.create_index(
        op.f("ix_batches_tenant_id_created_at_id"), "batches", ["tenant_id", "created_at", "id"], unique=False
    )
    op.create_table(
        "batch_entries",
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("batch_id", sa.String(length=40), nullable=False),
        sa.Column("path", sa.String(length=1024), nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=40), nullable=True),
        sa.Column("code", sa.String(length=40), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batches.id"], name=op.f("fk_batch_entries_batch_id_batches"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("batch_id", "path", "content", name=op.f("pk_batch_entries")),
    )
    op.create_index(op.f("ix_batch_entries_job_id"), "batch_entries", ["job_id"], unique=False)
    op.add_column("jobs", sa.Column("batch_id", sa.String(length=40), nullable=True))
    op.create_index(op.f("ix_jobs_batch_id_status"), "jobs", ["batch_id", "status"], unique=False)
    op.add_column("tombstones", sa.Column("batch_id", sa.String(length=40), nullable=True))
    op.create_index(op.f("ix_tombstones_batch_id"), "tombstones", ["batch_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_tombstones_batch_id"), table_name="tombstones")
    op.drop_column("tombstones", "batch_id")
    op.drop_index(op.f("ix_jobs_batch_id_status"), table_name="jobs")
    op.drop_column("jobs", "batch_id")
    op.drop_table("batch_entries")
    op.drop_table("batches")
