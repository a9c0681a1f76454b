"""Alembic's entry: runs inside the connection that `Database.migrate` hands over."""

from __future__ import annotations

from alembic import context

from service.storage.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
