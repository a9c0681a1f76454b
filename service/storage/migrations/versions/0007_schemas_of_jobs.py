"""Jobs of several schemas: which they are, and which each document inside the file was given."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("schemas", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("jobs", sa.Column("schema_names", sa.Text(), nullable=False, server_default=""))
    op.add_column("jobs", sa.Column("is_routed", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("jobs", sa.Column("routes", sa.JSON(), nullable=True))
    jobs = _jobs("schema", "schema_name", "schema_version", "schemas", "schema_names")
    rows = op.get_bind().execute(sa.select(jobs.c.id, jobs.c.schema, jobs.c.schema_name, jobs.c.schema_version))
    for job_id, source, name, version in rows.all():
        kept = [{"source": source, "name": name, "version": version}]
        changed = jobs.update().where(jobs.c.id == job_id).values(schemas=kept, schema_names=f"\n{name}\n")
        op.get_bind().execute(changed)
    with op.batch_alter_table("jobs") as table:
        for column in ("schemas", "schema_names", "is_routed"):
            table.alter_column(column, server_default=None)
        for column in ("schema", "schema_name", "schema_version"):
            table.drop_column(column)


def downgrade() -> None:
    op.add_column("jobs", sa.Column("schema", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("jobs", sa.Column("schema_name", sa.String(length=100), nullable=False, server_default=""))
    op.add_column("jobs", sa.Column("schema_version", sa.Integer(), nullable=True))
    jobs = _jobs("schema", "schema_name", "schema_version", "schemas")
    rows = op.get_bind().execute(sa.select(jobs.c.id, jobs.c.schemas))
    for job_id, schemas in rows.all():
        first = schemas[0]
        kept = {"schema": first["source"], "schema_name": first["name"], "schema_version": first["version"]}
        op.get_bind().execute(jobs.update().where(jobs.c.id == job_id).values(**kept))
    with op.batch_alter_table("jobs") as table:
        for column in ("schema", "schema_name"):
            table.alter_column(column, server_default=None)
        for column in ("schemas", "schema_names", "is_routed", "routes"):
            table.drop_column(column)


def _jobs(*names: str) -> sa.TableClause:
    """The table as it is half way: only what is moved."""
    json = {"schema", "schemas"}
    return sa.table("jobs", sa.column("id"), *(sa.column(n, sa.JSON() if n in json else sa.Text()) for n in names))
