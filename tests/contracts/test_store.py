"""Rows of jobs, files, pages, events and keys, on every database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from service.domain.access import ApiKey, Role, User
from service.domain.events import EventType
from service.domain.jobs import Job, JobOptions, JobStatus, ReviewState
from service.domain.pages import PageRange, PageSize, TextSource
from service.domain.records import Issue, Stage, Usage
from service.domain.steps import Fault, Priority
from service.storage.blobs.base import derived_key
from service.storage.rows.jobs import JobFilter, Tombstone
from service.storage.store import Rows, Store
from tests.fakes.rows import OTHER, TENANT, a_file, a_job, a_page, a_schema, a_step

FILE = a_file()
ISSUE = Issue(stage=Stage.READ, code="page_timeout", message="Page 2 took too long.", page=2)


def _add_jobs(store: Store, *jobs: Job) -> None:
    with store.write(durable=True) as rows:
        for job in jobs:
            rows.jobs.add(job, None)


# transactions


def test_an_error_undoes_the_whole_transaction(with_file: Store) -> None:
    """Also what was already written."""

    def add_then_fail() -> None:
        with with_file.write() as rows:
            rows.jobs.add(a_job(), None)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        add_then_fail()
    with with_file.read() as rows:
        assert rows.jobs.get("job-1") is None


def test_a_view_is_of_one_moment(with_file: Store) -> None:
    """What others commit in between is not in it."""
    with with_file.read() as view:
        assert view.jobs.get("job-1") is None
        _add_jobs(with_file, a_job())
        assert view.jobs.get("job-1") is None
    with with_file.read() as view:
        assert a_job() == view.jobs.get("job-1")


# jobs


def test_a_job_comes_back_as_it_was_stored(with_file: Store) -> None:
    """Every column of it, first as new, then as saved."""
    _add_jobs(with_file, a_job())
    changed = a_job(
        status=JobStatus.PARTIALLY_SUCCEEDED,
        run=2,
        revision=7,
        options=JobOptions(model="p:m", split_documents=True, pages_per_chunk=3, priority=Priority.BULK, absent="omit"),
        external_id="order 66/ü",
        metadata={"nested": {"list": [1, 2.5, None, True, "ß", "\x00"]}},
        started_at=101.5,
        finished_at=102.25,
        source_key="tenant-a/aa/aabb",
        page_count=3,
        documents=(PageRange(1, 2), PageRange(3, 3)),
        planned=True,
        fault=Fault(code="internal_error", message="Ours."),
        issues=(ISSUE,),
        usage=Usage(prompt_tokens=5, completion_tokens=6, total_tokens=11, pages=3, requests=2),
        review=ReviewState.NEEDED,
        review_reasons=("low:/total",),
        created_by="key-1",
    )
    with with_file.write() as rows:
        assert a_job() == rows.jobs.get("job-1", lock=True)
        rows.jobs.save(changed)
    with with_file.read() as rows:
        assert changed == rows.jobs.find(TENANT, "job-1")


def test_a_password_is_kept_until_it_is_forgotten(with_file: Store) -> None:
    """Saving the job does not touch it."""
    with with_file.write() as rows:
        rows.jobs.add(a_job(), "s3cret")
        rows.jobs.save(a_job(revision=2))
        assert rows.jobs.password("job-1") == "s3cret"
        rows.jobs.forget_password("job-1")
        assert rows.jobs.password("job-1") is None
        assert rows.jobs.password("missing") is None


def test_pages_of_the_list_hold_every_job_once(with_file: Store) -> None:
    """Newest first; jobs of the same moment are told apart by id; jobs that come meanwhile disturb nothing."""
    jobs = [a_job(f"job-{n}", created_at=100.0 + n // 3) for n in range(10)]
    _add_jobs(with_file, *jobs)
    seen: list[Job] = []
    cursor: tuple[float, str] | None = None
    while True:
        with with_file.read() as rows:
            page = rows.jobs.newest(TENANT, JobFilter(), before=cursor, most=4)
        if not page:
            break
        seen += page
        cursor = (page[-1].created_at, page[-1].id)
        _add_jobs(with_file, a_job(f"new-{len(seen)}", created_at=999.0))
    assert sorted(jobs, key=lambda j: (j.created_at, j.id), reverse=True) == seen


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (JobFilter(), {"plain", "done", "named"}),
        (JobFilter(status=JobStatus.SUCCEEDED), {"done"}),
        (JobFilter(review=ReviewState.NEEDED), {"done"}),
        (JobFilter(schema_name="receipt"), {"named"}),
        (JobFilter(external_id="x-1"), {"named"}),
        (JobFilter(created_after=101.0), {"done", "named"}),
        (JobFilter(created_after=101.0, created_before=102.0), {"done"}),
        (JobFilter(status=JobStatus.SUCCEEDED, schema_name="receipt"), set()),
    ],
)
def test_a_list_shows_what_is_asked_for(with_file: Store, wanted: JobFilter, found: set[str]) -> None:
    """Times include their start and exclude their end."""
    _add_jobs(
        with_file,
        a_job("plain", created_at=100.0),
        a_job("done", created_at=101.0, status=JobStatus.SUCCEEDED, review=ReviewState.NEEDED),
        a_job("named", created_at=102.0, schemas=(a_schema("receipt"),), external_id="x-1"),
        a_job("theirs", created_at=101.0, tenant_id=OTHER, external_id="x-1"),
    )
    with with_file.read() as rows:
        assert found == {job.id for job in rows.jobs.newest(TENANT, wanted, before=None, most=100)}


def test_a_run_has_one_result(with_file: Store) -> None:
    """Another run has its own."""
    job = a_job()
    _add_jobs(with_file, job)
    with with_file.write() as rows:
        assert rows.jobs.result(job) is None
        rows.jobs.put_result(job, b"first")
        rows.jobs.put_result(replace(job, run=2), b"second")
    with pytest.raises(IntegrityError), with_file.write() as rows:
        rows.jobs.put_result(job, b"again")
    with with_file.read() as rows:
        assert (rows.jobs.result(job), rows.jobs.result(replace(job, run=2))) == (b"first", b"second")


def test_a_removed_job_leaves_a_tombstone_alone(with_file: Store) -> None:
    """Its steps, results and keys go with it; its file stays until it is removed."""
    job, stone = a_job(), Tombstone(job_id="job-1", file_sha256=FILE.sha256, deleted_at=9.0, reason="requested")
    _add_jobs(with_file, job)
    with with_file.write() as rows:
        rows.steps.add([a_step()])
        rows.jobs.put_result(job, b"result")
        rows.idempotency.put(TENANT, "key", "print", job.id, 1.0)
        assert rows.files.is_used(FILE.id)
        rows.jobs.remove(job, stone)
    with with_file.read() as rows:
        assert stone == rows.jobs.tombstone(TENANT, "job-1")
        assert rows.jobs.tombstone(OTHER, "job-1") is None
        assert (rows.jobs.get("job-1"), rows.jobs.result(job)) == (None, None)
        assert rows.steps.get(["step-1"]) == ()
        assert rows.idempotency.get(TENANT, "key") is None
        assert not rows.files.is_used(FILE.id)
        assert rows.files.get(TENANT, FILE.id) == FILE


def test_a_file_under_a_job_cannot_be_removed(with_file: Store) -> None:
    """Even if its caller did not ask whether it is used."""
    _add_jobs(with_file, a_job())
    with pytest.raises(IntegrityError), with_file.write() as rows:
        rows.files.remove(FILE)


# tenants


def test_one_tenant_never_sees_anothers_rows(with_file: Store) -> None:
    """Whatever id it guesses."""
    job = a_job()
    _add_jobs(with_file, job)
    with with_file.write() as rows:
        rows.events.append(job, EventType.JOB_STATUS, {}, 1.0)
        rows.idempotency.put(TENANT, "key", "print", job.id, 1.0)
        _add_key(rows)
    with with_file.write() as rows:
        assert rows.jobs.find(OTHER, "job-1") is None
        assert rows.files.get(OTHER, FILE.id) is None
        assert rows.jobs.newest(OTHER, JobFilter(), before=None, most=100) == ()
        assert rows.events.after(OTHER, 0, 100) == ()
        assert rows.events.of_job(OTHER, "job-1", 0, 100) == ()
        assert rows.events.last_position(OTHER) == 0
        assert rows.idempotency.get(OTHER, "key") is None
        assert rows.access.keys(OTHER) == ()
        assert rows.access.user_named(OTHER, "ana") is None
        assert not rows.access.revoke(OTHER, "key-1", 1.0)
        rows.idempotency.remove(OTHER, "key", "job-1")
        assert rows.idempotency.get(TENANT, "key") is not None


# files, blobs and pages


def test_a_file_learns_its_source_and_sizes(with_file: Store) -> None:
    """Once it was opened."""
    sizes = (PageSize(page=1, width=595.3, height=841.9, rotation=90), PageSize(page=2, width=10.0, height=20.0))
    with with_file.write() as rows:
        assert rows.files.get(TENANT, FILE.id) == FILE
        rows.files.set_source(FILE.id, "tenant-a/source", sizes)
    with with_file.read() as rows:
        assert replace(FILE, source_key="tenant-a/source", page_sizes=sizes) == rows.files.get(TENANT, FILE.id)


def test_a_turn_belongs_to_the_bytes_and_goes_with_them(with_file: Store) -> None:
    """Every upload of them shows its pages so, later ones and a PDF that was made of them too; turns add up."""
    twin, sizes = a_file("file-2", name="copy.pdf"), (PageSize(1, 10.0, 20.0), PageSize(2, 30.0, 40.0, 270))
    with with_file.write() as rows:
        rows.files.set_source(FILE.id, derived_key(FILE.blob_key), sizes)
        rows.pages.turn(derived_key(FILE.blob_key), {1: 90, 2: 90})
        rows.pages.turn(FILE.blob_key, {1: 180, 2: 270})
        rows.files.add(twin)
        rows.files.set_source(twin.id, FILE.blob_key, sizes)
    with with_file.write() as rows:
        assert rows.pages.turns(FILE.blob_key) == {1: 270}
        for file in (FILE, twin):
            shown = rows.files.get(TENANT, file.id)
            assert shown is not None
            assert shown.page_sizes == (PageSize(1, 20.0, 10.0, 270), PageSize(2, 30.0, 40.0, 270))
            assert shown.shown_at(1, 0).page_sizes == sizes
            rows.files.remove(file)
        rows.files.add(FILE)
        assert rows.pages.turns(FILE.blob_key) == {}


def test_a_blob_goes_with_the_last_file_that_counts_on_it(with_file: Store) -> None:
    """And the words that were read from it go too, not before."""
    twin = a_file("file-2", name="copy.pdf")
    with with_file.write() as rows:
        rows.files.add(twin)
        rows.pages.put(TENANT, FILE.blob_key, [a_page(1)])
    with with_file.write() as rows:
        assert not rows.files.remove(twin)
        assert rows.pages.count(FILE.blob_key) == 1
        assert rows.files.remove(FILE)
        assert rows.pages.count(FILE.blob_key) == 0
        assert rows.files.get(TENANT, FILE.id) is None


def test_the_words_of_a_pdf_that_was_made_of_a_file_go_with_it(with_file: Store) -> None:
    """Also when no file names that PDF as its source any more."""
    made = derived_key(FILE.blob_key)
    with with_file.write() as rows:
        rows.pages.put(TENANT, made, [a_page(1)])
        assert rows.files.remove(FILE)
        assert rows.pages.count(made) == 0


def test_a_file_that_is_gone_cannot_be_held_or_locked(with_file: Store) -> None:
    """Nor can that of another tenant."""
    with with_file.write() as rows:
        assert rows.files.hold(TENANT, [FILE.id, "gone"]) == {FILE.id}
        assert rows.files.hold("tenant-b", [FILE.id]) == frozenset()
        assert (rows.files.lock(TENANT, FILE.id), rows.files.lock("tenant-b", FILE.id)) == (FILE, None)


def test_pages_are_kept_by_source(with_file: Store) -> None:
    """In page order, each once, the last writing counts."""
    source = FILE.blob_key
    failed = a_page(2, source=TextSource.FAILED, words=(), issues=(ISSUE,))
    with with_file.write() as rows:
        rows.pages.put(TENANT, source, [a_page(3), a_page(1, "old")])
        rows.pages.put(TENANT, source, [a_page(1, "new"), failed])
        rows.pages.put(TENANT, source, [])
        rows.pages.put(TENANT, "another", [a_page(1)])
    with with_file.write() as rows:
        assert rows.pages.sources(source) == {1: TextSource.DIGITAL, 2: TextSource.FAILED, 3: TextSource.DIGITAL}
        assert rows.pages.count(source) == 3
        assert (a_page(1, "new"), failed, a_page(3)) == rows.pages.load(source)
        assert (a_page(1, "new"), a_page(3)) == rows.pages.load(source, [3, 1, 9])
        assert rows.pages.load(source, []) == ()
        assert rows.pages.issues(source) == (ISSUE,)
        rows.pages.put(TENANT, source, [a_page(3, source=TextSource.UNREADABLE, words=())])
        rows.pages.let_read(source)
        failed_now = dict.fromkeys((2, 3), TextSource.FAILED)
        assert rows.pages.sources(source) == {1: TextSource.DIGITAL, **failed_now}
        assert rows.pages.count("another") == 1


# events


def test_events_are_numbered_in_their_job_and_ordered_over_all(with_file: Store) -> None:
    """A reader goes on from where it stopped."""
    one, two = a_job("one"), a_job("two")
    _add_jobs(with_file, one, two)
    for n, job in enumerate([one, two, one, one]):
        with with_file.write() as rows:
            rows.events.append(job, EventType.JOB_STATUS, {"n": n}, float(n))
    with with_file.read() as rows:
        events = rows.events.after(TENANT, 0, 100)
        assert [(e.job_id, e.seq) for e in events] == [("one", 1), ("two", 1), ("one", 2), ("one", 3)]
        assert [e.data["n"] for e in events] == [0, 1, 2, 3]
        assert sorted({e.position for e in events}) == [e.position for e in events]
        assert events[2:3] == rows.events.after(TENANT, events[1].position, 1)
        assert (events[2], events[3]) == rows.events.of_job(TENANT, "one", 1, 100)
        assert events[:1] == rows.events.of_job(TENANT, "one", 0, 1)
        assert events[-1].position == rows.events.last_position(TENANT)


# idempotency keys, users and API keys


def test_an_idempotency_key_tells_what_became_of_it(store: Store) -> None:
    """Until it is forgotten."""
    with store.write() as rows:
        assert rows.idempotency.get(TENANT, "key", lock=True) is None
        rows.idempotency.put(TENANT, "key", "", None, 10.0)
        rows.idempotency.put(OTHER, "key", "other", "job-2", 30.0)
        assert rows.idempotency.get(TENANT, "key", lock=True) == ("", None, 10.0)
        rows.idempotency.put(TENANT, "key", "print", "job-1", 20.0)
        assert rows.idempotency.get(TENANT, "key") == ("print", "job-1", 20.0)
        rows.idempotency.remove_before(20.0)
        assert rows.idempotency.get(TENANT, "key") is not None
        rows.idempotency.remove_before(20.5)
        assert rows.idempotency.get(TENANT, "key") is None
        for other in (None, "job-1"):  # who came to nothing, or is late, takes nobody else's away
            rows.idempotency.remove(OTHER, "key", other)
            assert rows.idempotency.get(OTHER, "key") == ("other", "job-2", 30.0)
        rows.idempotency.remove(OTHER, "key", "job-2")
        assert rows.idempotency.get(OTHER, "key") is None


ANA = User(id="user-1", tenant_id=TENANT, name="ana", role=Role.SUBMIT, created_at=1.0)
KEY = ApiKey(
    id="key-1", tenant_id=TENANT, user_id="user-1", label="laptop", prefix="fm_ab", digest="d" * 64, created_at=2.0
)


def _add_key(rows: Rows) -> None:
    rows.access.add_user(ANA)
    rows.access.add_key(KEY)


def test_a_key_leads_to_its_user_until_it_is_revoked(store: Store) -> None:
    """Revoking twice does nothing."""
    with store.write() as rows:
        assert not rows.access.any_key()
        _add_key(rows)
        assert rows.access.any_key()
        assert ANA == rows.access.owner("d" * 64) == rows.access.user_named(TENANT, "ana")
        assert rows.access.owner("e" * 64) is None
        rows.access.set_role("user-1", Role.ADMIN)
        assert ((KEY, replace(ANA, role=Role.ADMIN)),) == rows.access.keys(TENANT)
        assert rows.access.revoke(TENANT, "key-1", 5.0)
        assert not rows.access.revoke(TENANT, "key-1", 6.0)
        assert rows.access.owner("d" * 64) is None
        assert not rows.access.any_key()
        assert (replace(KEY, revoked_at=5.0),) == tuple(key for key, _ in rows.access.keys(TENANT))


def test_names_and_digests_are_unique(store: Store) -> None:
    """A name within its tenant, a digest everywhere."""
    with store.write() as rows:
        _add_key(rows)
        rows.access.add_user(replace(ANA, id="user-2", tenant_id=OTHER))
    with pytest.raises(IntegrityError), store.write() as rows:
        rows.access.add_user(replace(ANA, id="user-3"))
    with pytest.raises(IntegrityError), store.write() as rows:
        rows.access.add_key(replace(KEY, id="key-2", tenant_id=OTHER, user_id="user-2"))
