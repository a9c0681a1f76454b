"""The results of many jobs as one file, written as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.export import Export, Release
from service.domain.jobs import Job
from service.domain.records import Json
from service.domain.schema import ExtractionSchema, parse_schema
from service.exports.collection import Collection, records_named
from service.exports.formats import ExportOptions
from service.jobs.control.batches import find_batch
from service.jobs.results.current import Version
from service.jobs.results.hand_over import exported_results
from service.jobs.results.result import result_body
from service.jobs.services import Services
from service.storage.rows.jobs import JobFilter

_AT_ONCE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRecords:
    """Which records of a batch are wanted."""

    tenant_id: str
    batch_id: str
    schema_name: str | None = None
    """May be left out where all jobs have one schema."""
    version: Version = "current"
    """Of `approved` the jobs that are approved."""


def collect_batch(services: Services, wanted: BatchRecords, out: IO[bytes], options: ExportOptions) -> None:
    """Write the records of one schema of the jobs that are over by now, in the order in which they came.

    Args:
        services: of this process.
        wanted: which records.
        out: where the file is written.
        options: format, table and dialect; `review_url` is that of the list of jobs.

    Raises:
        StateError: `batch_not_found`.
        InputError: `invalid_option`: no job has such a schema, several have and none is named, or there is no such
            table; `option_not_supported`, a library is missing.
    """
    find_batch(services, wanted.tenant_id, wanted.batch_id)
    with services.store.read() as rows:
        names = rows.batches.schema_names(wanted.batch_id)
    name = names[0] if wanted.schema_name is None and len(names) == 1 else wanted.schema_name
    if name is None or name not in names:
        offered = ", ".join(names) or "none yet"
        raise InputError(
            ErrorCode.INVALID_OPTION, f"Name one schema of the batch as `schema`; there are: {offered}.", param="schema"
        )
    found = JobFilter(batch_id=wanted.batch_id, schema_name=name)
    _collect(services, wanted.tenant_id, found, _Target(out, options, wanted.version))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedRecords:
    """Records of a schema that may leave."""

    tenant_id: str
    schema_name: str
    release: Release


def collect_released(services: Services, wanted: ReleasedRecords, out: IO[bytes], options: ExportOptions) -> None:
    """Write every record of a schema that may leave, whether it went before or not.

    Raises:
        InputError: `invalid_option`, there is no such table; `option_not_supported`, a library is missing.
        StateError: `schema_not_found`, there is no job of such a schema.
    """
    found = JobFilter(schema_name=wanted.schema_name, reviews=wanted.release.states)
    _collect(services, wanted.tenant_id, found, _Target(out, options))


def collect_export(services: Services, export: Export, out: IO[bytes], options: ExportOptions) -> None:
    """Write the records of an export, each with the export's id and the revision it was in.

    Raises:
        InputError: `invalid_option`, there is no such table; `option_not_supported`, a library is missing.
    """
    file = Collection(out, parse_schema(export.schema, export.schema_name), options, exported=True)
    for result in exported_results(services, export):
        file.add(result, review_url=_review_url(options, str(result["job_id"])))
    file.finish()


def _review_url(options: ExportOptions, job_id: str) -> str | None:
    return None if options.review_url is None else f"{options.review_url}/{job_id}"


@dataclass(frozen=True, slots=True)
class _Target:
    """Where records go, and in which form."""

    out: IO[bytes]
    options: ExportOptions
    version: Version = "current"


def _collect(services: Services, tenant_id: str, found: JobFilter, target: _Target) -> None:
    """Write the records of the schema that the filter names."""
    file = Collection(target.out, _newest_schema(services, tenant_id, found), target.options)
    for job in _jobs(services, tenant_id, found):
        try:
            result = result_body(services, job, view="compact", version=target.version)
        except StateError:  # not over, or not approved
            continue
        records: list[Json] = [*records_named(result, str(found.schema_name))]
        file.add({**result, "records": records}, review_url=_review_url(target.options, job.id))
    file.finish()


def _newest_schema(services: Services, tenant_id: str, found: JobFilter) -> ExtractionSchema:
    """That of the newest job: it gives the columns."""
    with services.store.read() as rows:
        newest = rows.jobs.newest(tenant_id, found, None, 1)
    if not newest:
        raise StateError(
            ErrorCode.SCHEMA_NOT_FOUND,
            f"None of the jobs that are asked for has the schema {found.schema_name!r}.",
            param="schema",
        )
    return next(schema for schema in newest[0].schemas if schema.name == found.schema_name).parse()


def _jobs(services: Services, tenant_id: str, wanted: JobFilter) -> Iterator[Job]:
    """Jobs that fit, oldest first."""
    after: tuple[float, str] | None = None
    while True:
        with services.store.read() as rows:
            found = rows.jobs.oldest(tenant_id, wanted, after, _AT_ONCE)
        yield from found
        if len(found) < _AT_ONCE:
            return
        after = (found[-1].created_at, found[-1].id)
