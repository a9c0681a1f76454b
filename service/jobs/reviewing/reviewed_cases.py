"""Approved documents as cases for evaluation: of each the values that somebody looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from service.domain.files import StoredFile
from service.domain.jobs import Job, ReviewState
from service.domain.records import Json, JsonObject, Record
from service.domain.schema import FieldType, SchemaField, escape_pointer
from service.jobs.results.current import Current, load_current
from service.jobs.services import Services
from service.storage.rows.jobs import JobFilter

MOST_CASES = 200
"""In one answer; the cursor asks for the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedCase:
    """One approved document with one record."""

    job_id: str
    file: StoredFile
    schema_name: str
    schema: JsonObject
    truth: JsonObject
    """Single values of the root that a person confirmed or corrected; of a table all rows or none."""
    absent: tuple[str, ...]
    """Properties of the root that a person said are not there."""


def reviewed_cases(
    services: Services, tenant_id: str, *, schema_name: str | None, before: tuple[float, str] | None
) -> tuple[tuple[ReviewedCase, ...], tuple[float, str] | None]:
    """The newest approved documents and where the next ones begin; those of several records are left out.

    Args:
        services: of this process.
        tenant_id: whose documents.
        schema_name: None: of all schemas.
        before: only jobs older than this (time, id).
    """
    wanted = JobFilter(review=ReviewState.APPROVED, schema_name=schema_name)
    with services.store.read() as rows:
        jobs = rows.jobs.newest(tenant_id, wanted, before, MOST_CASES)
        files = {job.id: rows.files.get(tenant_id, job.file_id) for job in jobs}
    cases = [case for job in jobs if (case := _case(services, job, files[job.id])) is not None]
    last = (jobs[-1].created_at, jobs[-1].id) if len(jobs) == MOST_CASES else None
    return tuple(cases), last


def _case(services: Services, job: Job, file: StoredFile | None) -> ReviewedCase | None:
    current = load_current(services, job, "approved")
    if file is None or len(current.result.records) != 1:
        return None
    record = current.result.records[0]
    schema = job.parsed_schemas()(record.index)
    seen = _Seen(record, current)
    truth = {name: value for name, value in seen.members(schema.root, record.values)}
    absent = tuple(
        child.name
        for child in schema.root.properties
        if child.is_leaf and record.values.get(child.name) is None and seen.is_seen(f"/{escape_pointer(child.name)}")
    )
    if not truth and not absent:
        return None
    return ReviewedCase(
        job_id=job.id,
        file=file,
        schema_name=schema.name,
        schema=schema.source,
        truth=truth,
        absent=absent,
    )


class _Seen:
    """A record and which of its leaves a person looked at."""

    def __init__(self, record: Record, current: Current) -> None:
        self._record = record
        self._marks = current.marks.get(record.id, {})

    def is_seen(self, pointer: str) -> bool:
        return pointer in self._marks

    def members(self, root: SchemaField, value: JsonObject) -> Iterator[tuple[str, Json]]:
        """Properties of the root that were looked at: single values, and lists as a whole."""
        for child in root.properties:
            here = f"/{escape_pointer(child.name)}"
            given = value.get(child.name)
            if child.type is FieldType.ARRAY and isinstance(given, list):
                if given and self._all_seen(here):
                    yield child.name, given
            elif child.is_leaf and given is not None and self.is_seen(here):
                yield child.name, given

    def _all_seen(self, pointer: str) -> bool:
        """Whether every cell that has a value was looked at: a table is right or wrong as a whole."""
        cells = [p for p, e in self._record.fields.items() if p.startswith(f"{pointer}/") and e.value is not None]
        return all(cell in self._marks or self._record.fields[cell].origin == "corrected" for cell in cells)
