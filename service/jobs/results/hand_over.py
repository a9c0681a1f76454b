"""Exports: records go to a receiver once, stay at hand until it says that it has them, and go again when changed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from service.domain.errors import ErrorCode, StateError
from service.domain.export import Export, Release
from service.domain.jobs import Job, ReviewState
from service.domain.records import Json, JsonObject
from service.exports.collection import records_named
from service.jobs.paging import read_page
from service.jobs.results.result import result_body
from service.jobs.services import Services
from service.storage.codec import pack_json, unpack_json
from service.storage.store import Rows

_AT_ONCE = 50
MOST_JOBS = 10_000
"""Of one export."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewExport:
    """What a receiver asks for."""

    schema_name: str
    release: Release = Release.APPROVED
    receiver: str = "default"
    most: int = 1000
    created_by: str = ""


@dataclass(frozen=True, slots=True)
class ExportView:
    """An export and how many jobs it holds."""

    export: Export
    jobs: int


def hand_over(services: Services, tenant_id: str, new: NewExport) -> ExportView | None:
    """What is new for a receiver; what it was given and did not confirm comes first. None: nothing is new.

    A job counts as new when this receiver was not given it, or not as it stands now.
    """
    with services.store.read() as rows:
        waiting = _waiting(rows, tenant_id, new)
        jobs = () if waiting else rows.exports.fresh(tenant_id, new.receiver, new.schema_name, new.release, new.most)
    if waiting is not None or not jobs:
        return waiting
    export = Export(
        id=f"export_{uuid.uuid4().hex}",
        tenant_id=tenant_id,
        receiver=new.receiver,
        schema_name=new.schema_name,
        schema=_newest_schema(jobs, new.schema_name),
        release=new.release,
        created_at=services.clock(),
        created_by=new.created_by,
    )
    items = [(job, pack_json(_result(services, job, export))) for job in jobs]
    with services.store.write(durable=True) as rows:
        if not rows.exports.add(export):  # another request of this receiver was faster
            return _waiting(rows, tenant_id, new)
        rows.exports.add_items(export, items)
    return ExportView(export, len(items))


def confirm_export(services: Services, tenant_id: str, export_id: str) -> ExportView:
    """The receiver has it; the next export begins behind it. Confirming twice is fine.

    Raises:
        StateError: `export_not_found`.
    """
    with services.store.write(durable=True) as rows:
        rows.exports.confirm(_found(rows, tenant_id, export_id), services.clock())
    return get_export(services, tenant_id, export_id)


def get_export(services: Services, tenant_id: str, export_id: str) -> ExportView:
    """An export of this tenant.

    Raises:
        StateError: `export_not_found`.
    """
    with services.store.read() as rows:
        return ExportView(_found(rows, tenant_id, export_id), rows.exports.count(export_id))


def list_exports(
    services: Services, tenant_id: str, *, cursor: str | None, most: int
) -> tuple[tuple[ExportView, ...], str | None]:
    """The newest exports, and the cursor of the next page if there is one.

    Raises:
        InputError: `invalid_option`, the cursor is not one of ours.
    """
    with services.store.read() as rows:
        page, following = read_page(partial(rows.exports.newest, tenant_id), cursor, most)
        return tuple(ExportView(export, rows.exports.count(export.id)) for export in page), following


def exported_results(services: Services, export: Export) -> Iterator[JsonObject]:
    """The results of an export as they were when it was made, whatever happened since; without deleted jobs."""
    after = -1
    while True:
        with services.store.read() as rows:
            found = rows.exports.bodies(export.id, after=after, most=_AT_ONCE)
        if not found:
            return
        yield from (unpack_json(body) for _, body in found)
        after = found[-1][0]


def _result(services: Services, job: Job, export: Export) -> JsonObject:
    """A job's result with what tells which export it went in, and only the records that are asked for."""
    version = "approved" if job.review is ReviewState.APPROVED else "current"
    result = result_body(services, job, view="compact", version=version)
    records: list[Json] = [*records_named(result, export.schema_name)]
    return {**result, "export_id": export.id, "records": records}


def _newest_schema(jobs: Sequence[Job], name: str) -> JsonObject:
    named = [schema for job in jobs for schema in job.schemas if schema.name == name]
    return max(named, key=lambda schema: schema.version or 0).source


def _waiting(rows: Rows, tenant_id: str, new: NewExport) -> ExportView | None:
    export = rows.exports.unconfirmed(tenant_id, new.receiver, new.schema_name)
    return None if export is None else ExportView(export, rows.exports.count(export.id))


def _found(rows: Rows, tenant_id: str, export_id: str) -> Export:
    export = rows.exports.find(tenant_id, export_id)
    if export is None:
        raise StateError(ErrorCode.EXPORT_NOT_FOUND, f"There is no export {export_id[:100]!r}.")
    return export
