"""Values that no two documents share, on every database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.storage.rows.unique import UniqueRow
from service.storage.store import Store
from tests.fakes.rows import OTHER, TENANT, a_file, a_job

KEY = UniqueRow(record=0, rule="unique(number)", digest="d" * 64)
JOBS = [f"job-{n}" for n in range(8)]


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with jobs of two tenants."""
    with store.write() as rows:
        rows.files.add(a_file())
        for job_id in JOBS:
            rows.jobs.add(a_job(job_id), None)
        rows.jobs.add(a_job("theirs", tenant_id=OTHER), None)
    return store


def put(store: Store, job_id: str) -> str | None:
    """Note the value for a job; who had it first."""
    with store.write() as rows:
        job = rows.jobs.get(job_id, lock=True)
        assert job is not None
        rows.unique.put(job, [KEY])
        return rows.unique.earlier(job).get((0, KEY.digest))


def test_of_several_at_once_exactly_one_is_first(filled: Store) -> None:
    """None of the others misses it."""
    with ThreadPoolExecutor(len(JOBS)) as pool:
        told = list(pool.map(lambda job_id: put(filled, job_id), JOBS))
    (first,) = (job_id for job_id, earlier in zip(JOBS, told, strict=True) if earlier is None)
    with filled.read() as rows:
        later = [rows.unique.earlier(a_job(job_id)) for job_id in JOBS if job_id != first]
    assert all(found == {(0, KEY.digest): first} for found in later)


def test_tenants_do_not_meet_and_a_value_that_is_given_up_is_free(filled: Store) -> None:
    """Putting the same again changes nothing."""
    assert put(filled, JOBS[0]) is None
    assert put(filled, JOBS[1]) == JOBS[0]
    assert put(filled, JOBS[0]) is None
    assert put(filled, "theirs") is None
    with filled.write() as rows:
        rows.unique.put(a_job(JOBS[0]), [])
        assert rows.unique.earlier(a_job(JOBS[1])) == {}
    assert put(filled, JOBS[0]) == JOBS[1]
    assert TENANT != OTHER
