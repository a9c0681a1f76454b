"""Rows of jobs, of their runs' results, and of what is left of deleted ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, delete, func, insert, select, update

from service.domain.jobs import Job, JobStatus, ReviewState
from service.storage import tables
from service.storage.codec import from_json, to_columns
from service.storage.rows.paging import Cursor, newest_first, oldest_first
from service.storage.rows.upsert import put_rows

_NAMES = tuple(f.name for f in fields(Job))
JOB_COLUMNS = [tables.jobs.c[name] for name in _NAMES]
# Made once: building a statement takes longer than running it, and each step needs these.
_GET = select(*JOB_COLUMNS).where(tables.jobs.c.id == bindparam("job_id"))
_GET_LOCKED = _GET.with_for_update()
_PASSWORD = select(tables.jobs.c.password).where(tables.jobs.c.id == bindparam("job_id"))
_FORGET_PASSWORD = update(tables.jobs).where(tables.jobs.c.id == bindparam("job_id"))
_ADD = insert(tables.jobs)
_ADD_RESULT = insert(tables.results)
_FIXED = frozenset({"id", "tenant_id", "file_id", "created_at"})
"""As it was when the job came; to write it again would make SQLite look at every key and index."""
MADE_OF_JOBS: Mapping[str, Table] = {
    "results": tables.results,
    "steps": tables.steps,
    "answers": tables.answers,
    "corrections": tables.review_events,
    "memories": tables.memories,
    "judgements": tables.judgements,
    "unique_keys": tables.unique_keys,
    "exported": tables.export_items,
    "deliveries": tables.webhook_deliveries,
    "batch_entries": tables.batch_entries,
    "idempotency_keys": tables.idempotency_keys,
}
"""Whatever is kept of a job beside itself, by the name in its receipt: it goes when the job goes."""
_SAVE = update(tables.jobs).where(tables.jobs.c.id == bindparam("saved_id"))
_SAVE_TOLD = _SAVE.values(last_seq=tables.jobs.c.last_seq + 1).returning(tables.jobs.c.last_seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """Which jobs a list shows; None leaves a question open."""

    status: JobStatus | None = None
    review: ReviewState | None = None
    reviews: tuple[ReviewState, ...] | None = None
    """Any of them."""
    schema_name: str | None = None
    external_id: str | None = None
    batch_id: str | None = None
    created_after: float | None = None
    created_before: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What is kept of a deleted job."""

    job_id: str
    file_sha256: str
    deleted_at: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a delete removed, and what is kept."""

    tombstone: Tombstone
    removed: Mapping[str, int]
    """How many rows of each kind; `file`: 0 where another job stands on it."""


class JobRows:
    """Jobs of all tenants; every question of a caller names the tenant."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, job: Job, password: str | None, *, last_seq: int = 0) -> None:
        """Insert a new job. The password is kept until the file was opened, then forgotten.

        Args:
            job: not stored yet.
            password: of its file.
            last_seq: the number of the last event that this transaction adds of the job; 0: there is none.
        """
        self._connection.execute(_ADD, _columns_of(job) | {"password": password, "last_seq": last_seq})

    def get(self, job_id: str, *, lock: bool = False) -> Job | None:
        """A job, whoever's it is; with `lock` nobody else changes its run before this transaction ends."""
        row = self._connection.execute(_GET_LOCKED if lock else _GET, {"job_id": job_id}).mappings().one_or_none()
        return from_json(Job, row) if row else None

    def find(self, tenant_id: str, job_id: str, *, lock: bool = False) -> Job | None:
        """A job of this tenant, or None."""
        job = self.get(job_id, lock=lock)
        return job if job and job.tenant_id == tenant_id else None

    def find_all(self, tenant_id: str, job_ids: Collection[str]) -> dict[str, Job]:
        """Those of the jobs that are there, by id."""
        job = tables.jobs.c
        query = select(*JOB_COLUMNS).where(job.tenant_id == tenant_id, job.id.in_(job_ids))
        found = (from_json(Job, row) for row in self._connection.execute(query).mappings())
        return {job.id: job for job in found}

    def save(self, job: Job) -> None:
        """Write a job that was loaded under a lock; when its time is over is noted anew once it has ended."""
        self._connection.execute(_SAVE, _changing_columns_of(job))

    def save_told(self, job: Job) -> int:
        """The same for a job of which an event tells; the number of that event among the job's own."""
        return self._connection.execute(_SAVE_TOLD, _changing_columns_of(job)).scalar_one()

    def password(self, job_id: str) -> str | None:
        """The password of a job whose file was not opened yet."""
        return self._connection.execute(_PASSWORD, {"job_id": job_id}).scalar()

    def forget_password(self, job_id: str) -> None:
        """Once the file is open, or never will be."""
        self._connection.execute(_FORGET_PASSWORD, {"job_id": job_id, "password": None})

    def newest(self, tenant_id: str, wanted: JobFilter, before: Cursor | None, most: int) -> tuple[Job, ...]:
        """The newest jobs that fit, newest first, older than the cursor (created_at, id)."""
        return self._found(newest_first(_those(tenant_id, wanted), tables.jobs, before, most))

    def oldest(self, tenant_id: str, wanted: JobFilter, after: Cursor | None, most: int) -> tuple[Job, ...]:
        """The oldest jobs that fit, oldest first, newer than the cursor (created_at, id)."""
        return self._found(oldest_first(_those(tenant_id, wanted), tables.jobs, after, most))

    def _found(self, query: Select[Any]) -> tuple[Job, ...]:
        return tuple(from_json(Job, row) for row in self._connection.execute(query).mappings())

    def count_by_status(self) -> dict[str, int]:
        """How many jobs of all tenants stand where."""
        job = tables.jobs.c
        counts = self._connection.execute(select(job.status, func.count()).group_by(job.status))
        return {status: count for status, count in counts}

    def count_by_review(self, tenant_id: str, wanted: JobFilter) -> dict[ReviewState, int]:
        """How many of the jobs that fit, and whose run gave a result, stand where in review."""
        job = tables.jobs.c
        gave = job.status.in_([JobStatus.SUCCEEDED, JobStatus.PARTIALLY_SUCCEEDED])
        query = select(job.review, func.count()).where(job.tenant_id == tenant_id, gave, *_conditions(wanted))
        return {ReviewState(state): count for state, count in self._connection.execute(query.group_by(job.review))}

    def remove(self, job: Job, tombstone: Tombstone) -> dict[str, int]:
        """Delete a job with all that was made of it, and leave a tombstone; how many rows of each kind went."""
        gone: dict[str, int] = {}
        for name, table in MADE_OF_JOBS.items():
            gone[name] = self._connection.execute(delete(table).where(table.c.job_id == job.id)).rowcount
        self._connection.execute(delete(tables.jobs).where(tables.jobs.c.id == job.id))
        row = {"tenant_id": job.tenant_id, "job_id": job.id, "file_sha256": tombstone.file_sha256}
        row |= {"deleted_at": tombstone.deleted_at, "reason": tombstone.reason, "batch_id": job.batch_id}
        self._connection.execute(insert(tables.tombstones).values(row))
        return gone

    def tombstone(self, tenant_id: str, job_id: str) -> Tombstone | None:
        """What is left of a deleted job."""
        dead = tables.tombstones.c
        query = select(dead.job_id, dead.file_sha256, dead.deleted_at, dead.reason)
        found = self._connection.execute(query.where(dead.job_id == job_id, dead.tenant_id == tenant_id))
        row = found.mappings().one_or_none()
        return Tombstone(**row) if row else None

    def put_result(self, job: Job, body: bytes) -> None:
        """Keep a run's result; a run has one, so a second write is refused by the key."""
        row = {"tenant_id": job.tenant_id, "job_id": job.id, "run": job.run, "body": body}
        self._connection.execute(_ADD_RESULT, row)

    def result(self, job: Job) -> bytes | None:
        """The result of the run that the job names."""
        run = tables.results.c
        query = select(run.body).where(run.job_id == job.id, run.run == job.run)
        return self._connection.execute(query).scalar()


class IdempotencyRows:
    """Keys that callers gave, so that asking twice makes one job."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, tenant_id: str, key: str, *, lock: bool = False) -> tuple[str, str | None, float] | None:
        """Fingerprint, job and time of a key, or None.

        With `lock` nobody else takes the key, even one that is not there yet, before this transaction ends (SQLite's
        writers are alone as it is).
        """
        if lock and self._connection.dialect.name == "postgresql":
            name = func.hashtextextended(f"{tenant_id}/{key}", 0)
            self._connection.execute(select(func.pg_advisory_xact_lock(name)))
        row = tables.idempotency_keys.c
        query = select(row.fingerprint, row.job_id, row.created_at).where(row.tenant_id == tenant_id, row.key == key)
        found = self._connection.execute(query).one_or_none()
        return (found[0], found[1], found[2]) if found else None

    def put(self, tenant_id: str, key: str, fingerprint: str, job_id: str | None, at: float) -> None:
        """Note a key, or what became of it."""
        row = {"tenant_id": tenant_id, "key": key, "fingerprint": fingerprint, "job_id": job_id, "created_at": at}
        put_rows(self._connection, tables.idempotency_keys, [row], keys=("tenant_id", "key"))

    def touch(self, tenant_id: str, key: str, at: float) -> None:
        """Note that somebody still counts on a key."""
        row = tables.idempotency_keys
        found = row.c.tenant_id == tenant_id, row.c.key == key
        self._connection.execute(update(row).where(*found).values(created_at=at))

    def untouched(self, prefix: str, before: float, most: int) -> tuple[tuple[str, str, str | None], ...]:
        """Tenant, key and job of those keys of all tenants that nobody counted on since then."""
        row = tables.idempotency_keys.c
        query = select(row.tenant_id, row.key, row.job_id)
        old = query.where(row.created_at < before, row.key.startswith(prefix, autoescape=True)).limit(most)
        return tuple((found[0], found[1], found[2]) for found in self._connection.execute(old))

    def remove_untouched(self, tenant_id: str, key: str, before: float) -> bool:
        """Forget a key unless somebody counted on it meanwhile; whether it is gone."""
        row = tables.idempotency_keys
        found = row.c.tenant_id == tenant_id, row.c.key == key, row.c.created_at < before
        return self._connection.execute(delete(row).where(*found)).rowcount > 0

    def remove_before(self, at: float) -> None:
        """Forget old keys."""
        self._connection.execute(delete(tables.idempotency_keys).where(tables.idempotency_keys.c.created_at < at))

    def remove(self, tenant_id: str, key: str, job_id: str | None) -> None:
        """Forget a key unless it stands for another job than this by now; None: for one at all."""
        row = tables.idempotency_keys.c
        found = row.tenant_id == tenant_id, row.key == key, row.job_id.is_not_distinct_from(job_id)
        self._connection.execute(delete(tables.idempotency_keys).where(*found))


def _columns_of(job: Job) -> dict[str, object]:
    """A job's row, with the names of its schemas for those who look for them."""
    return to_columns(job) | {"schema_names": _listed(job.schema_names())}


def _changing_columns_of(job: Job) -> dict[str, object]:
    columns = {name: value for name, value in _columns_of(job).items() if name not in _FIXED}
    return columns | {"saved_id": job.id, "expires_at": None}


def job_from(values: Sequence[object]) -> Job:
    """A job from the values of `JOB_COLUMNS`."""
    return from_json(Job, dict(zip(_NAMES, values, strict=True)))


def names_schema(name: str) -> ColumnElement[bool]:
    """Whether a document of a job has, or may have, the schema of that name."""
    return tables.jobs.c.schema_names.contains(_listed([name]), autoescape=True)


def _listed(names: Sequence[str]) -> str:
    return "".join(f"\n{name}\n" for name in names)


def _those(tenant_id: str, wanted: JobFilter) -> Select[Any]:
    return select(*JOB_COLUMNS).where(tables.jobs.c.tenant_id == tenant_id, *_conditions(wanted))


def _conditions(wanted: JobFilter) -> Sequence[ColumnElement[bool]]:
    job = tables.jobs.c
    pairs = (
        (wanted.status, job.status),
        (wanted.review, job.review),
        (wanted.external_id, job.external_id),
        (wanted.batch_id, job.batch_id),
    )
    found: list[ColumnElement[bool]] = [column == value for value, column in pairs if value is not None]
    if wanted.reviews is not None:
        found.append(job.review.in_(wanted.reviews))
    if wanted.schema_name is not None:
        found.append(names_schema(wanted.schema_name))
    if wanted.created_after is not None:
        found.append(job.created_at >= wanted.created_after)
    if wanted.created_before is not None:
        found.append(job.created_at < wanted.created_before)
    return found
