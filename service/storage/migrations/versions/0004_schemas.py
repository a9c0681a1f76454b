"""Named schemas and their versions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "schemas",
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("source", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("created_by", sa.String(length=100), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "name", "version", name=op.f("pk_schemas")),
        sa.UniqueConstraint("tenant_id", "name", "sha256", name=op.f("uq_schemas_tenant_id_name_sha256")),
    )
    op.add_column("jobs", sa.Column("schema_version", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("jobs", "schema_version")
    op.drop_table("schemas")
