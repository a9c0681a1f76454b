"""What approved documents taught about their layout, and what their reviews say about the model."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "memories",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("schema_name", sa.String(length=100), nullable=False),
        sa.Column("job_id", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_memories_job_id_jobs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memories")),
    )
    op.create_index(
        op.f("ix_memories_tenant_id_schema_name_created_at"), "memories", ["tenant_id", "schema_name", "created_at"]
    )
    op.create_index(op.f("ix_memories_job_id"), "memories", ["job_id"])
    op.create_table(
        "judgements",
        sa.Column("job_id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("record_index", sa.Integer(), nullable=False),
        sa.Column("schema_name", sa.String(length=100), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("by", sa.String(length=100), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("sampled", sa.Boolean(), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("tallies", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_judgements_job_id_jobs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "record_index", name=op.f("pk_judgements")),
    )
    op.create_index(op.f("ix_judgements_tenant_id_schema_name_at"), "judgements", ["tenant_id", "schema_name", "at"])


def downgrade() -> None:
    op.drop_table("judgements")
    op.drop_table("memories")
