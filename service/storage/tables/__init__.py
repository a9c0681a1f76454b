"""The SQL tables. Every row belongs to a tenant; times are Unix seconds; JSON and blobs are opaque to SQL."""

from service.storage.tables.event_tables import events, webhook_deliveries, webhooks
from service.storage.tables.file_tables import blobs, files, pages
from service.storage.tables.fleet_tables import api_keys, duties, processes, users
from service.storage.tables.group_tables import batch_entries, batches, export_items, exports, job_groups
from service.storage.tables.job_tables import (
    answers,
    idempotency_keys,
    jobs,
    results,
    schema_retention,
    schemas,
    steps,
    tombstones,
    unique_keys,
)
from service.storage.tables.parts import metadata
from service.storage.tables.review_tables import judgements, memories, review_events

__all__ = [
    "answers",
    "api_keys",
    "batch_entries",
    "batches",
    "blobs",
    "duties",
    "events",
    "export_items",
    "exports",
    "files",
    "idempotency_keys",
    "job_groups",
    "jobs",
    "judgements",
    "memories",
    "metadata",
    "pages",
    "processes",
    "results",
    "review_events",
    "schema_retention",
    "schemas",
    "steps",
    "tombstones",
    "unique_keys",
    "users",
    "webhook_deliveries",
    "webhooks",
]
