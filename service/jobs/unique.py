"""Rules across documents: noted when a run ends or a record is corrected, told whenever a result is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from service.domain.jobs import Job
from service.domain.records import CheckResult, Record
from service.domain.schema import ExtractionSchema
from service.extraction.checks.unique import UniqueKey, unique_keys
from service.storage.rows.unique import UniqueRow
from service.storage.store import Rows

_RULE = "unique("


def asks_for_unique(job: Job) -> bool:
    """Whether any schema of a job has such a rule; only those kept under a name mean others' documents too."""
    return any(
        schema.version is not None and any(_RULE in str(rule) for rule in _rules(schema.source.get("x-checks")))
        for schema in job.schemas
    )


def note_unique(rows: Rows, job: Job, records: Sequence[Record]) -> tuple[Record, ...]:
    """Note what the records of a locked job have, and tell with them who had it first."""
    if not asks_for_unique(job):
        return tuple(records)
    keys = [
        UniqueRow(record=record.index, rule=key.rule, digest=key.digest)
        for record in records
        for key in _keys(job, record)
    ]
    rows.unique.put(job, keys)
    return with_unique(rows, job, records)


def with_unique(rows: Rows, job: Job, records: Sequence[Record]) -> tuple[Record, ...]:
    """The records with a check for each such rule."""
    earlier = rows.unique.earlier(job)
    told: list[Record] = []
    for record in records:
        checks = [_check(key, earlier.get((record.index, key.digest))) for key in _keys(job, record)]
        told.append(replace(record, checks=(*record.checks, *checks)))
    return tuple(told)


def _check(key: UniqueKey, first: str | None) -> CheckResult:
    message = "" if first is None else f"the job {first} had it first"
    return CheckResult(rule=key.rule, ok=first is None, paths=key.paths, message=message)


def _keys(job: Job, record: Record) -> Iterator[UniqueKey]:
    schema = job.schema_of(record.index)
    if schema is not None and schema.version is not None:
        parsed: ExtractionSchema = schema.parse()
        yield from unique_keys(record.values, parsed)


def _rules(given: object) -> Sequence[object]:
    return given if isinstance(given, list) else ()
