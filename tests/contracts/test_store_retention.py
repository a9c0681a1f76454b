"""Until when jobs are kept, on every database."""

from __future__ import annotations

from collections.abc import Sequence

from service.domain.jobs import Hold, Job, JobStatus
from service.storage import tables
from service.storage.rows.jobs import MADE_OF_JOBS
from service.storage.rows.retention import BY_DEFAULT
from service.storage.store import Store
from tests.fakes.rows import OTHER, TENANT, a_job, a_schema

LEFT = {"events", "tombstones"}
"""What outlives a job; neither holds a value of its document."""


def add(store: Store, *jobs: Job) -> None:
    """Jobs of that file."""
    with store.write() as rows:
        for job in jobs:
            rows.jobs.add(job, None)


def undecided(store: Store) -> set[str]:
    """Ids of the jobs whose time is to be noted."""
    with store.write() as rows:
        return {job.id for job in rows.retention.undecided(100)}


def note(store: Store, times: dict[str, float]) -> None:
    """Note times of jobs."""
    with store.write() as rows:
        for job_id, at in times.items():
            rows.retention.note(job_id, at)


def expired(store: Store, now: float, before: float, most: int = 100) -> Sequence[str]:
    """Ids of the jobs that go."""
    with store.read() as rows:
        return sorted(job.id for job in rows.retention.expired(now, before, most))


def test_only_finished_jobs_past_their_time_expire(with_file: Store) -> None:
    """Whatever way they ended; those on hold stay."""
    ended = [a_job(f"e{n}", status=s, finished_at=5.0) for n, s in enumerate(JobStatus) if s.is_terminal]
    held = a_job("held", status=JobStatus.FAILED, finished_at=5.0, hold=Hold(by="anna", at=6.0, reason="Case 17"))
    young = a_job("young", status=JobStatus.SUCCEEDED, finished_at=50.0)
    own = a_job("own", status=JobStatus.SUCCEEDED, finished_at=5.0)
    add(with_file, *ended, held, young, own, a_job("open", status=JobStatus.READING, started_at=1.0))
    assert undecided(with_file) == {"held", "young", "own", *(job.id for job in ended)}
    note(with_file, dict.fromkeys((job.id for job in (*ended, held, young)), BY_DEFAULT) | {"own": 70.0})
    assert expired(with_file, 60.0, 50.0) == sorted(job.id for job in ended)
    assert expired(with_file, 71.0, 0.0) == ["own"]
    assert len(expired(with_file, 71.0, 50.0, most=2)) == 2
    assert undecided(with_file) == set()


def test_a_new_word_about_a_schema_has_its_jobs_looked_at_anew(with_file: Store) -> None:
    """Those of that schema and tenant alone; so has a job that is changed."""
    over = {"status": JobStatus.SUCCEEDED, "finished_at": 5.0}
    several = a_job("several", schemas=(a_schema("invoice"), a_schema("receipt")), is_routed=True, **over)
    jobs = [a_job("invoice", **over), a_job("receipt", schemas=(a_schema("receipt"),), **over), several]
    add(with_file, *jobs, a_job("theirs", tenant_id=OTHER, **over))
    note(with_file, dict.fromkeys(["invoice", "receipt", "several", "theirs"], BY_DEFAULT))
    with with_file.write() as rows:
        rows.retention.set_days(TENANT, "receipt", 7)
        rows.retention.set_days(TENANT, "receipt", 8)
        assert rows.retention.days(TENANT, ["receipt", "invoice"]) == {"receipt": 8}
        assert rows.retention.days(OTHER, ["receipt"]) == {}
    assert undecided(with_file) == {"receipt", "several"}
    note(with_file, dict.fromkeys(["receipt", "several"], 9.0))
    with with_file.write() as rows:
        rows.retention.set_days(TENANT, "invoice", None)
        rows.jobs.save(jobs[1])
    assert undecided(with_file) == {"invoice", "receipt", "several"}


def test_whatever_names_a_job_goes_with_it() -> None:
    """A new table with a `job_id` is either made of a job, and listed, or outlives it on purpose."""
    naming = {name for name, table in tables.metadata.tables.items() if "job_id" in table.c}
    assert naming - LEFT == {table.name for table in MADE_OF_JOBS.values()}
