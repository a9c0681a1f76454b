"""Values that no two documents of a schema may share."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "unique_keys",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=40), nullable=False),
        sa.Column("record", sa.Integer(), nullable=False),
        sa.Column("rule", sa.String(length=500), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_unique_keys_job_id_jobs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_unique_keys")),
        sa.UniqueConstraint("job_id", "record", "digest", name=op.f("uq_unique_keys_job_id_record_digest")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_unique_keys_tenant_id_digest"), "unique_keys", ["tenant_id", "digest"])


def downgrade() -> None:
    op.drop_table("unique_keys")
