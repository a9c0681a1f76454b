"""A worker ends at any moment: another one and the sweeper finish the job, nothing is stored or asked for twice."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from service.domain.errors import ErrorCode
from service.domain.jobs import Job, JobStatus
from service.domain.steps import StepKind, StepState
from service.jobs.control.sweep import sweep
from service.jobs.events.log import read_job_events
from service.jobs.queries import get_job
from service.jobs.services import Services
from service.jobs.settle import Outcome, claim_steps, settle
from service.jobs.steps.run_steps import run_ring
from service.messaging.queue import Ring
from service.storage.engine import Database
from service.storage.store import Rows, Store
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import TENANT, Pipeline, later, numbered_pdf, pipeline

PAGES = 12
SPLITS = 4
ROUNDS = itertools.count(1)
"""Time only goes forward: each sweep of this file is half a minute later than the one before."""


class Crash(BaseException):
    """The process is gone; no handler of it runs."""


class Rings:
    """A queue that keeps what is rung, for a test that plays the worker, and loses what it is told to lose."""

    def __init__(self) -> None:
        self.waiting: deque[Ring] = deque()

    def send(self, rings: Sequence[Ring]) -> bool:
        """Keep them."""
        self.waiting.extend(rings)
        return True

    def is_reachable(self) -> bool:
        """Always."""
        return True

    def close(self) -> None:
        """Nothing waits."""


class CrashingStore(Store):
    """The real store of a process that ends at its n-th transaction: before it, or when it is committed.

    Those that other threads begin after that one never happen.
    """

    def __init__(self, database: Database, at: int, *, committed: bool) -> None:
        super().__init__(database)
        self._at = at
        self._numbers = itertools.count(1)
        self._committed = committed

    @contextmanager
    def write(self, *, durable: bool = False) -> Generator[Rows]:
        """One transaction less to live."""
        number = next(self._numbers)
        if number > self._at or (number == self._at and not self._committed):
            raise Crash
        with super().write(durable=durable) as rows:
            yield rows
        if number == self._at:
            raise Crash


@pytest.fixture(scope="module")
def service(server: ModelStub, tmp_path_factory: pytest.TempPathFactory) -> Generator[Pipeline]:
    """A service in which nobody works but the test."""
    home = Path(tmp_path_factory.mktemp("home"))
    with pipeline(home, stub=server, sweeping=False, working=False, model_attempts=1, lease_s=15.0) as running:
        yield running


def _work(services: Services, rings: Rings) -> None:
    while rings.waiting:
        run_ring(services, rings.waiting.popleft())


def _elsewhere(service: Pipeline, rings: Rings) -> Services:
    """Another process, half a minute later."""
    number = next(ROUNDS)
    return replace(later(service.services, 30.0 * number), queue=rings, process_id=f"other-{number}")


def _finish(service: Pipeline, job: Job) -> Job:
    """Other processes sweep and work, one after the other, until the job is over."""
    for _ in range(12):
        rings = Rings()
        other = _elsewhere(service, rings)
        sweep(other)
        _work(other, rings)
        job = get_job(service.services, TENANT, job.id)
        if job.status.is_terminal:
            return job
    raise AssertionError(f"still {job.status}: {service.steps(job)}")


def _check_whole(service: Pipeline, job: Job) -> None:
    result = service.result(job)
    events = read_job_events(service.services, TENANT, job.id, after_seq=0, most=100)
    assert job.status is JobStatus.SUCCEEDED
    assert {row["state"] for row in result["coverage"]} == {"extracted"}
    assert [len(result["records"]), len(result["records"][0]["values"]["lines"])] == [1, 2 * SPLITS]
    assert len(service.rows("select 1 from results where job_id = :job", job=job.id)) == 1
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert {step.state for step in service.steps(job)} == {StepState.DONE}


@pytest.mark.parametrize("committed", [False, True], ids=["before a commit", "after a commit"])
def test_a_worker_may_end_at_any_transaction(service: Pipeline, stub: ModelStub, committed: bool) -> None:
    """Every moment between two transactions of a whole job, one after the other."""
    for at in itertools.count(1):
        stub.reset()
        rings = Rings()
        store = CrashingStore(Database(service.local.settings.resolved_database_url), at, committed=committed)
        dying = replace(service.services, store=store, queue=rings)
        job = service.submit(numbered_pdf(PAGES, mark=f"{committed} {at}"), pages_per_chunk=3)
        rings.send([Ring(queue=s.queue, priority=s.priority, step_ids=(s.id,)) for s in service.steps(job)])
        try:
            _work(dying, rings)
        except Crash:
            in_flight = sum(s.state is StepState.RUNNING for s in service.steps(job, StepKind.EXTRACT))
            ended = _finish(service, job)
            _check_whole(service, ended)
            assert stub.stats()["requests"] <= SPLITS + in_flight
        else:
            assert at > 2 * (2 + SPLITS), "the job did not get far enough for this test"
            _check_whole(service, get_job(service.services, TENANT, job.id))
            break
        finally:
            store.close()


@pytest.mark.parametrize("kind", [StepKind.OPEN, StepKind.READ, StepKind.EXTRACT, StepKind.MERGE])
def test_a_message_may_be_lost_at_any_step(service: Pipeline, stub: ModelStub, kind: StepKind) -> None:
    """Each message for one kind of step is lost once; nothing is done twice for it."""
    rings = Rings()
    losing = replace(service.services, queue=rings)
    job = service.submit(numbered_pdf(PAGES, mark=f"lost {kind}"), pages_per_chunk=3)
    rings.send([Ring(queue=s.queue, priority=s.priority, step_ids=(s.id,)) for s in service.steps(job)])
    while rings.waiting:
        ring = rings.waiting.popleft()
        with service.services.store.read() as rows:
            kinds = {step.kind for step in rows.steps.get(ring.step_ids)}
        if kinds != {kind}:
            run_ring(losing, ring)
    _check_whole(service, _finish(service, job))
    assert stub.stats()["requests"] == SPLITS


def test_a_message_may_come_twice_and_late(service: Pipeline, stub: ModelStub) -> None:
    """Every message of a job is delivered again, at once and after its end: one result, one call a split."""
    rings = Rings()
    working = replace(service.services, queue=rings)
    job = service.submit(numbered_pdf(PAGES, mark="twice"), pages_per_chunk=3)
    rings.send([Ring(queue=s.queue, priority=s.priority, step_ids=(s.id,)) for s in service.steps(job)])
    seen: list[Ring] = []
    while rings.waiting:
        ring = rings.waiting.popleft()
        seen.append(ring)
        run_ring(working, ring)
        run_ring(working, ring)
    for ring in seen:
        run_ring(working, ring)
    _check_whole(service, get_job(service.services, TENANT, job.id))
    assert stub.stats()["requests"] == SPLITS
    assert not rings.waiting


def test_a_worker_that_lost_its_claim_stores_nothing(service: Pipeline) -> None:
    """It was silent for longer than its lease, another did the step, and then it comes back with its outcome."""
    job = service.submit(numbered_pdf(1, mark="late worker"))
    [step] = service.steps(job)
    [late] = claim_steps(service.services, [step.id])
    ended = _finish(service, job)
    before = service.steps(ended)

    def overwrite(_rows: Rows, job: Job) -> Job:
        return replace(job, page_count=99)

    assert settle(service.services, late, Outcome(apply=overwrite)) == ()
    assert before == service.steps(ended)
    assert get_job(service.services, TENANT, job.id) == ended


def test_a_step_that_ends_its_worker_each_time_fails_the_job_with_a_reason(service: Pipeline) -> None:
    """After the last claim went silent the job ends and names the cause; it is not tried for ever."""
    job = service.submit(numbered_pdf(1, mark="poison"))
    [step] = service.steps(job)
    for _ in range(service.services.rule.max_attempts):
        assert len(claim_steps(_elsewhere(service, Rings()), [step.id])) == 1
    sweep(_elsewhere(service, Rings()))
    ended = get_job(service.services, TENANT, job.id)
    assert ended.status is JobStatus.FAILED
    assert ended.fault is not None
    assert ended.fault.code == ErrorCode.ATTEMPTS_EXHAUSTED


def test_stored_bytes_that_vanished_fail_the_job_without_a_trace_of_the_code(stub: ModelStub, tmp_path: Path) -> None:
    """The step is tried again, then the job ends with `internal_error`."""
    with pipeline(tmp_path, stub=stub, step_attempts=2, working=False, lease_s=15.0) as service:
        job = service.submit(numbered_pdf(1))
        for path in (tmp_path / "blobs").rglob("*"):
            if path.is_file():
                path.unlink()
        ended = _finish(service, job)
        _check_internal_error(service, ended, attempts=2)


def test_a_fault_that_nobody_foresaw_fails_the_job_without_a_trace_of_the_code(
    service: Pipeline, caplog: pytest.LogCaptureFixture
) -> None:
    """Stored words that cannot be unpacked: tried again, then `internal_error`; the trace is in the log alone."""
    data = numbered_pdf(1, mark="broken words")
    _finish(service, service.submit(data, model="embedded"))
    service.change("update pages set body = :body", body=b"neither words nor boxes")
    ended = _finish(service, service.submit(data, model="embedded"))
    _check_internal_error(service, ended, attempts=service.services.rule.max_attempts)
    assert "Traceback" in caplog.text


def _check_internal_error(service: Pipeline, job: Job, *, attempts: int) -> None:
    assert job.status is JobStatus.FAILED
    assert job.fault is not None
    assert job.fault.code == ErrorCode.INTERNAL
    assert "Traceback" not in job.fault.message
    assert ".py" not in job.fault.message
    assert max(step.attempt for step in service.steps(job)) == attempts
    assert service.result(job)["error"]["code"] == "internal_error"
