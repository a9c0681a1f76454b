"""Many at once on the same rows: exactly one wins, nothing is lost, nobody waits for ever."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar, cast

import pytest
from sqlalchemy import event

from service.domain.errors import ErrorCode, StateError
from service.domain.events import EventType
from service.domain.steps import Step, StepState
from service.jobs import lifecycle
from service.jobs.control.ending import delete_job
from service.jobs.intake.idempotency import release_key, reserve_key
from service.jobs.intake.submit import NewJob, Submission, add_job, hold_files
from service.jobs.lifecycle import LeaseRule
from service.jobs.services import Services
from service.jobs.settle import Claim, claim_steps
from service.storage.blobs.folder import FolderBlobs
from service.storage.engine import Database
from service.storage.pictures import PictureCache
from service.storage.store import Store
from tests.fakes.rows import TENANT, a_file, a_job, a_page, a_step

T = TypeVar("T")
THREADS = 6
JOB = a_job()
RULE = LeaseRule(lease_s=15.0, max_attempts=3)


def _together(*work: Callable[[], T]) -> list[T]:
    """Start all at the same moment; what each gave, in order. What one raises is raised."""
    gate = threading.Barrier(len(work))

    def run(one: Callable[[], T]) -> T:
        gate.wait()
        return one()

    with ThreadPoolExecutor(len(work)) as pool:
        return list(pool.map(run, work))


def _services(store: Store, number: int, now: float = 100.0) -> Services:
    parts = SimpleNamespace(store=store, clock=lambda: now, rule=RULE, process_id=f"process-{number}")
    return cast(Services, parts)  # only what these functions ask for


def _add_steps(store: Store, count: int, **changes: object) -> tuple[Step, ...]:
    steps = tuple(a_step(f"step-{n:03}", ordinal=n, **changes) for n in range(count))
    with store.write() as rows:
        rows.steps.add(steps)
    return steps


def test_a_step_is_claimed_by_one(with_job: Store) -> None:
    """Of all that were told of it."""
    steps = _add_steps(with_job, 30)

    def work(number: int) -> Callable[[], list[Claim]]:
        return lambda: [c for s in steps for c in claim_steps(_services(with_job, number), [s.id])]

    claims = [claim for found in _together(*map(work, range(THREADS))) for claim in found]
    assert [s.id for s in steps] == sorted(claim.step.id for claim in claims)
    with with_job.read() as rows:
        held = {s.id: s.owner for s in rows.steps.of_run(JOB)}
    assert held == {claim.step.id: claim.owner for claim in claims}


def test_claims_of_several_steps_wait_for_no_one_who_waits_for_them(with_job: Store) -> None:
    """Neither who rings for the same steps nor who cancels them is turned away, whatever the order of the documents."""
    for turn in range(12):
        steps = [a_step(f"step-{turn}-{n:03}", ordinal=100 * turn + 40 - n) for n in range(40)]
        with with_job.write() as rows:
            rows.steps.add(steps)
        ids = [step.id for step in steps]

        def claim(ids: list[str] = ids) -> list[int]:
            return [claim.step.ordinal for claim in claim_steps(_services(with_job, 1), ids)]

        def note(ids: list[str] = ids) -> list[int]:
            with with_job.write() as rows:
                rows.steps.note_rung(ids, 100.0)
            return []

        claimed, _ = _together(claim, note)
        assert claimed == sorted(step.ordinal for step in steps)


def test_a_late_worker_and_its_successor_do_not_both_get_the_step(with_job: Store) -> None:
    """Either the work was stored, or the step was taken over: never both."""
    steps = _add_steps(with_job, 30, state=StepState.RUNNING, owner="late", attempt=1, lease_until=50.0, version=1)

    def finish() -> Counter[str]:
        stored: Counter[str] = Counter()
        for step in steps:
            with with_job.write() as rows:
                (found,) = rows.steps.get([step.id])
                done = lifecycle.finish(found, owner="late", now=100.0)
                stored[step.id] += done is not None and rows.steps.swap(found, done, "its work")
        return stored

    def take_over() -> Counter[str]:
        claims = [c for s in reversed(steps) for c in claim_steps(_services(with_job, 1), [s.id])]
        return Counter(claim.step.id for claim in claims)

    stored, taken = _together(finish, take_over)
    assert {s.id: 1 for s in steps} == stored + taken
    with with_job.read() as rows:
        assert {i for i in stored if stored[i]} == {s.id for s in rows.steps.of_run(JOB) if s.state is StepState.DONE}


def test_a_job_under_a_lock_is_changed_by_one_after_the_other(with_job: Store) -> None:
    """No change is lost."""

    def work() -> None:
        for _ in range(10):
            with with_job.write() as rows:
                job = rows.jobs.find(TENANT, JOB.id, lock=True)
                assert job is not None
                rows.jobs.save(replace(job, revision=job.revision + 1))

    _together(*[work] * THREADS)
    with with_job.read() as rows:
        job = rows.jobs.get(JOB.id)
    assert job is not None
    assert JOB.revision + 10 * THREADS == job.revision


def test_those_who_change_many_steps_do_not_block_each_other(with_job: Store) -> None:
    """Renewing, ringing and cancelling go over the same rows from different ends."""
    steps = _add_steps(with_job, 40, state=StepState.RUNNING, owner="me", lease_until=50.0)
    ids = [s.id for s in steps]

    def renew() -> None:
        for n in range(10):
            with with_job.write() as rows:
                assert {"me"} == rows.steps.renew(["me"], 100.0 + n)

    def ring(order: list[str]) -> None:
        for n in range(10):
            with with_job.write() as rows:
                rows.steps.note_rung(order, float(n))

    def touch() -> None:
        for _ in range(10):
            with with_job.write() as rows:
                for step in rows.steps.open_of(JOB):
                    assert rows.steps.swap(step, replace(step, version=step.version + 1))

    _together(renew, touch, lambda: ring(ids), lambda: ring(ids[::-1]), renew, touch)
    with with_job.read() as rows:
        assert {20} == {step.version for step in rows.steps.of_run(JOB)}


def test_uploads_of_the_same_bytes_are_all_counted(store: Store) -> None:
    """Also the two that were both the first."""

    def work(number: int) -> Callable[[], None]:
        def add() -> None:
            with store.write() as rows:
                rows.files.add(a_file(f"file-{number}"))

        return add

    _together(*map(work, range(THREADS)))
    with store.write() as rows:
        gone = [rows.files.discount_blob(a_file().blob_key) for _ in range(THREADS - 1)]
        assert gone == [False] * (THREADS - 1)


def _delete(store: Store, folder: Path, job_id: str) -> Callable[[], object]:
    parts = SimpleNamespace(
        store=store,
        clock=lambda: 100.0,
        blobs=FolderBlobs(folder / "blobs"),
        pictures=PictureCache(folder / "pictures", max_bytes=0),
    )
    return lambda: delete_job(cast(Services, parts), TENANT, job_id)


@pytest.mark.parametrize("turn", range(15))
def test_a_file_is_not_deleted_under_a_job_that_is_being_handed_in(store: Store, tmp_path: Path, turn: int) -> None:
    """Either the new job keeps the file, or it is told that the file is gone; nobody waits for the other."""
    old, new = a_job("job-old", created_at=float(turn)), a_job("job-new")
    with store.write() as rows:
        rows.files.add(a_file())
        rows.jobs.add(old, None)
    submission = cast(Submission, SimpleNamespace(file=a_file(), password=None, idempotency=None))
    made = NewJob(job=new, step=a_step("step-new", job_id=new.id), submission=submission)

    def hand_in() -> bool:
        try:
            with store.write(durable=True) as rows:
                hold_files(rows, [made])
                add_job(rows, made)
        except StateError as error:
            return error.code is not ErrorCode.FILE_NOT_FOUND
        return True

    _, taken = _together(_delete(store, tmp_path, old.id), hand_in)
    with store.read() as rows:
        assert taken == (rows.files.get(TENANT, a_file().id) is not None) == (rows.jobs.get(new.id) is not None)


@pytest.mark.parametrize("turn", range(15))
def test_the_last_of_two_jobs_that_are_deleted_at_once_takes_the_file_along(
    store: Store, tmp_path: Path, turn: int
) -> None:
    """Neither leaves it to the other."""
    jobs = a_job("job-one", created_at=float(turn)), a_job("job-two")
    with store.write() as rows:
        rows.files.add(a_file())
        for job in jobs:
            rows.jobs.add(job, None)
    _together(*(_delete(store, tmp_path, job.id) for job in jobs))
    with store.read() as rows:
        assert rows.files.get(TENANT, a_file().id) is None


def test_jobs_that_read_the_same_pages_do_not_disturb_each_other(with_job: Store) -> None:
    """Each page is there once, from one of them."""
    pages = [a_page(n) for n in range(1, 21)]

    def work(number: int) -> Callable[[], None]:
        def put() -> None:
            with with_job.write() as rows:
                rows.pages.put(TENANT, "source", pages[:: 1 if number % 2 else -1])

        return put

    _together(*map(work, range(THREADS)))
    with with_job.read() as rows:
        assert tuple(pages) == rows.pages.load("source")


def test_a_key_is_reserved_by_one(store: Store) -> None:
    """The others hear that it is in flight."""

    def work(number: int) -> Callable[[], list[str]]:
        services = _services(store, number)
        return lambda: [_reserve(services, f"key-{n}") for n in range(20)]

    heard = Counter(said for one in _together(*map(work, range(THREADS))) for said in one)
    assert heard == {"reserved": 20, ErrorCode.IDEMPOTENCY_IN_FLIGHT: 20 * (THREADS - 1)}


def _reserve(services: Services, key: str) -> str:
    try:
        return reserve_key(services, TENANT, key) or "reserved"
    except StateError as error:
        return error.code


def test_a_key_under_which_a_job_is_made_is_not_given_back(database: Database) -> None:
    """A request came to nothing just as another makes its job; asking again finds that one, and makes no second."""
    store = Store(database)
    services = _services(store, 1)
    alone = database.engine.dialect.name == "sqlite"  # its writers come one after the other
    reserve_key(services, TENANT, "key")

    def make(_connection: object = None, _cursor: object = None, statement: str = "DELETE", *_rest: object) -> None:
        if statement.startswith("DELETE"):
            with store.write() as rows:
                rows.idempotency.put(TENANT, "key", "print", "job-1", 100.0)

    if alone:
        make()
    else:
        event.listen(database.engine, "before_cursor_execute", make)
    release_key(services, TENANT, "key")
    assert reserve_key(services, TENANT, "key") == "job-1"


def test_a_duty_is_taken_by_one(store: Store) -> None:
    """Of all that ask for it at once, also the first time."""

    def work(number: int) -> Callable[[], bool]:
        def take() -> bool:
            with store.write() as rows:
                rows.upkeep.beat("the same process", "cpu", 1.0)
                return rows.upkeep.take_duty("sweep", f"process-{number}", 100.0, 115.0)

        return take

    assert sum(_together(*map(work, range(THREADS)))) == 1


def test_a_reader_of_events_misses_none(with_job: Store) -> None:
    """Positions follow commits: what is read behind the last position is all there is."""
    jobs = [a_job(f"job-{n}") for n in range(2, 5)]
    with with_job.write() as rows:
        for job in jobs:
            rows.jobs.add(job, None)
    writing = threading.Event()
    seen: list[int] = []

    def write(number: int) -> Callable[[], None]:
        def append() -> None:
            for n in range(15):
                with with_job.write() as rows:
                    job = rows.jobs.get(jobs[(number + n) % 3].id, lock=True)
                    assert job is not None
                    rows.events.append(job, EventType.JOB_STATUS, {"by": number, "n": n}, 1.0)
                    time.sleep(0.002 * ((number + n) % 3))  # a slow commit invites another to overtake it

        return append

    def read() -> None:
        over = False
        while not over:
            over = writing.is_set()  # one look more after the last commit
            with with_job.read() as rows:
                seen.extend(e.position for e in rows.events.after(TENANT, seen[-1] if seen else 0, 7))
                over = over and (not seen or seen[-1] == rows.events.last_position(TENANT))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        _together(*map(write, range(4)))
    finally:
        writing.set()
        reader.join(timeout=60)
    with with_job.read() as rows:
        events = rows.events.after(TENANT, 0, 1000)
        assert [e.position for e in events] == seen
        assert len(events) == 60
        for job in jobs:
            numbers = [e.seq for e in rows.events.of_job(TENANT, job.id, 0, 1000)]
            assert [*range(1, 21)] == numbers
