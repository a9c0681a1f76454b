"""Rows of the drop-in paths on every database: groups of jobs, and keys that somebody counts on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.domain.jobs import JobGroup
from service.storage.store import Store
from tests.fakes.rows import OTHER, TENANT, a_file, a_job

GROUP = JobGroup(
    id="6f1c9b0a-2f6e-4a3e-9a58-0c4d2a7be001",
    tenant_id=TENANT,
    model="information-extract-261101",
    asked={"location": True, "location_granularity": None, "confidence": False, "full": False},
    job_ids=("job_a", "job_b"),
    file_names=("a.pdf", "b.pdf"),
    created_at=100.0,
)
PREFIX = "·v1/"


@pytest.fixture
def grouped(store: Store) -> Store:
    """A store with a group of two jobs and a newer one of nothing."""
    file = a_file()
    with store.write() as rows:
        rows.files.add(file)
        for job_id in GROUP.job_ids:
            rows.jobs.add(replace(a_job(), id=job_id, file_id=file.id), None)
        rows.groups.add(GROUP)
        rows.groups.add(replace(GROUP, id="newer", created_at=200.0))
    return store


def test_a_group_is_what_it_was(grouped: Store) -> None:
    """And no other tenant's."""
    with grouped.read() as rows:
        assert rows.groups.find(TENANT, GROUP.id) == GROUP
        assert rows.groups.find(OTHER, GROUP.id) is None
        assert rows.groups.find(TENANT, "none") is None


def test_groups_are_listed_newest_first(grouped: Store) -> None:
    """As many as are asked for."""
    with grouped.read() as rows:
        assert [group.id for group in rows.groups.newest(TENANT, 10)] == ["newer", GROUP.id]
        assert [group.id for group in rows.groups.newest(TENANT, 1)] == ["newer"]
        assert rows.groups.newest(OTHER, 10) == ()


def test_old_groups_are_forgotten(grouped: Store) -> None:
    """By when they were made."""
    with grouped.write() as rows:
        rows.groups.remove_before(150.0)
        assert [group.id for group in rows.groups.newest(TENANT, 10)] == ["newer"]


def test_jobs_are_found_together(grouped: Store) -> None:
    """Those that are there, of this tenant."""
    with grouped.read() as rows:
        assert {*rows.jobs.find_all(TENANT, ["job_a", "job_b", "job_c"])} == {"job_a", "job_b"}
        assert rows.jobs.find_all(OTHER, ["job_a"]) == {}
        assert rows.jobs.find_all(TENANT, []) == {}


def test_keys_that_nobody_counts_on_are_told(store: Store) -> None:
    """Only those with the prefix; one that is touched stays."""
    with store.write() as rows:
        rows.idempotency.put(TENANT, f"{PREFIX}left", "", "job_a", 10.0)
        rows.idempotency.put(TENANT, f"{PREFIX}held", "", "job_b", 10.0)
        rows.idempotency.put(TENANT, "a caller's own", "", "job_c", 10.0)
        rows.idempotency.touch(TENANT, f"{PREFIX}held", 50.0)
        assert rows.idempotency.untouched(PREFIX, 20.0, 10) == ((TENANT, f"{PREFIX}left", "job_a"),)
        assert not rows.idempotency.remove_untouched(TENANT, f"{PREFIX}held", 20.0)
        assert rows.idempotency.remove_untouched(TENANT, f"{PREFIX}left", 20.0)
        assert rows.idempotency.untouched(PREFIX, 60.0, 10) == ((TENANT, f"{PREFIX}held", "job_b"),)
