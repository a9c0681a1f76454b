"""Exports: what went to which receiver, as it was then."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "exports",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("receiver", sa.String(length=100), nullable=False),
        sa.Column("schema_name", sa.String(length=100), nullable=False),
        sa.Column("schema", sa.JSON(), nullable=False),
        sa.Column("release", sa.String(length=12), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("created_by", sa.String(length=100), nullable=False),
        sa.Column("confirmed_at", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exports")),
    )
    op.create_index(
        op.f("ix_exports_tenant_id_created_at_id"), "exports", ["tenant_id", "created_at", "id"], unique=False
    )
    op.create_index(
        "uq_exports_unconfirmed",
        "exports",
        ["tenant_id", "receiver", "schema_name"],
        unique=True,
        sqlite_where=sa.text("confirmed_at IS NULL"),
        postgresql_where=sa.text("confirmed_at IS NULL"),
    )
    op.create_table(
        "export_items",
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("export_id", sa.String(length=40), nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("receiver", sa.String(length=100), nullable=False),
        sa.Column("job_id", sa.String(length=40), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["export_id"], ["exports.id"], name=op.f("fk_export_items_export_id_exports"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_export_items_job_id_jobs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("export_id", "ordinal", name=op.f("pk_export_items")),
    )
    op.create_index(
        op.f("ix_export_items_job_id_receiver_revision"),
        "export_items",
        ["job_id", "receiver", "revision"],
        unique=False,
    )


def downgrade() -> None:
    op.drop_table("export_items")
    op.drop_table("exports")
