"""The history of reviews and the hand-out of jobs, on every database."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from service.domain.corrections import Correction, Operation, OperationKind, ReviewAction, ReviewEvent
from service.domain.geometry import Box
from service.domain.jobs import Job, JobStatus, ReviewState
from service.domain.records import Confidence, FieldEntry, Location, Origin, Verdict
from service.storage.rows.jobs import Tombstone
from service.storage.store import Store
from tests.fakes.rows import OTHER, TENANT, a_job

NOW = 1000.0


def waiting(number: int, **changes: object) -> Job:
    """A job that waits for a reviewer."""
    job = a_job(f"job-{number}", status=JobStatus.SUCCEEDED, review=ReviewState.NEEDED, created_at=100.0 + number)
    return replace(job, **changes)


def add(store: Store, *jobs: Job) -> None:
    """Insert jobs."""
    with store.write() as rows:
        for job in jobs:
            rows.jobs.add(job, None)


def an_event(client_id: str | None = "op-1", job_id: str = "job-1") -> ReviewEvent:
    """A correction with everything in it."""
    quad = Box(0.1, 0.2, 0.3, 0.4).quad()
    entry = FieldEntry(
        value=12.5,
        verdict=Verdict.FOUND,
        confidence=Confidence.HIGH,
        raw="12,50",
        origin=Origin.CORRECTED,
        location=Location(1, quad, (quad,)),
    )
    operation = Operation(id="op-1", kind=OperationKind.SET, record="rec", path="/a", old=None, value=12.5)
    correction = Correction(operation=operation, record_index=0, digest="d", old=None, new=entry)
    return ReviewEvent(
        job_id=job_id,
        tenant_id=TENANT,
        run=1,
        revision=2,
        action=ReviewAction.CORRECT,
        by="ada",
        at=5.0,
        client_id=client_id,
        correction=correction,
        detail={"reason": "ß"},
    )


def test_an_event_comes_back_as_it_was_stored(with_file: Store) -> None:
    """In order, each with its place."""
    add(with_file, waiting(1))
    claim = replace(an_event(None), action=ReviewAction.CLAIM, correction=None, detail={})
    with with_file.write() as rows:
        rows.reviews.append([an_event(), claim, claim])
    with with_file.read() as rows:
        found = rows.reviews.of_job("job-1")
    assert [replace(event, position=0) for event in found] == [an_event(), claim, claim]
    assert [event.position for event in found] == sorted({event.position for event in found})


def test_an_operation_is_stored_once(with_file: Store) -> None:
    """Even if two processes took it for new; another job may use the same id."""
    add(with_file, waiting(1), waiting(2))
    with with_file.write() as rows:
        rows.reviews.append([an_event(), an_event(job_id="job-2")])
    with pytest.raises(IntegrityError), with_file.write() as rows:
        rows.reviews.append([an_event()])


def test_the_oldest_free_job_is_next(with_file: Store) -> None:
    """Not one that runs, is decided, is put off, is another tenant's, or is in somebody's hands."""
    add(
        with_file,
        waiting(0, status=JobStatus.MERGING),
        waiting(1, review=ReviewState.APPROVED),
        waiting(2, tenant_id=OTHER),
        waiting(3, claimed_by="ben", claimed_until=NOW + 1, review=ReviewState.IN_REVIEW),
        waiting(4),
        waiting(5, claimed_by="ben", claimed_until=NOW - 1, review=ReviewState.IN_REVIEW),
        waiting(6),
    )
    with with_file.write() as rows:
        assert rows.reviews.count_waiting(TENANT, NOW) == 3
        first = rows.reviews.lock_next(TENANT, "ada", NOW, skip=("job-4",))
        assert first is not None
        assert first.id == "job-5"
        assert rows.reviews.lock_next(TENANT, "ada", NOW, skip=("job-4", "job-5", "job-6")) is None


def test_two_who_ask_at_once_get_two_jobs(with_file: Store) -> None:
    """While one transaction is open the other does not wait for its row, or waits and sees it taken."""
    count = 6
    add(with_file, *(waiting(number) for number in range(count)))
    together = threading.Barrier(count)

    def take(number: int) -> str:
        together.wait()
        with with_file.write() as rows:
            job = rows.reviews.lock_next(TENANT, "ada", NOW, skip=())
            assert job is not None
            rows.jobs.save(replace(job, claimed_by=f"r{number}", claimed_until=NOW + 600))
            return job.id

    with ThreadPoolExecutor(count) as pool:
        taken = list(pool.map(take, range(count)))
    assert sorted(taken) == [f"job-{number}" for number in range(count)]


def test_the_history_goes_with_its_job(with_file: Store) -> None:
    """Nothing of what people typed stays."""
    add(with_file, waiting(1))
    with with_file.write() as rows:
        rows.reviews.append([an_event()])
        rows.jobs.remove(waiting(1), Tombstone(job_id="job-1", file_sha256="", deleted_at=1.0, reason="requested"))
    with with_file.read() as rows:
        assert rows.reviews.of_job("job-1") == ()
