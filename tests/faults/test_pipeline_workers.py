"""What a worker does when it is told to end, when its database is away, and when a run cannot go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from service.domain.jobs import Job, JobStatus
from service.domain.steps import Priority, QueueName, Step, StepKind, StepState
from service.jobs.control.sweep import sweep
from service.jobs.queries import get_job
from service.jobs.services import Services
from service.jobs.steps.run_steps import run_ring
from service.messaging.queue import Ring
from service.storage.engine import Database
from service.storage.store import Store
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import TENANT, Clock, Pipeline, later, numbered_pdf, pipeline, wait_until

A_MINUTE_LATER = Clock(60.0)
"""When messages that were not heard are sent again."""


def _ring_for(step: Step) -> Ring:
    return Ring(queue=step.queue, priority=Priority.NORMAL, step_ids=(step.id,))


def test_a_process_that_ends_gives_its_model_calls_back_at_once(stub: ModelStub, tmp_path: Path) -> None:
    """Their sockets are closed, the claims do not count, and the next process need not wait for the leases."""
    with pipeline(tmp_path, stub=stub, sweeping=False, lease_s=600.0) as first:
        stub.script({"fault": "hang", "repeat": 3})
        job = first.submit(numbered_pdf(30))
        stub.wait_for(in_flight=3)
        first.services.keeper.let_go()
        stub.wait_for(in_flight=0, aborted=3)
        wait_until(lambda: {s.state for s in first.steps(job, StepKind.EXTRACT)} == {StepState.QUEUED})
        assert {s.attempt for s in first.steps(job, StepKind.EXTRACT)} == {0}
    with pipeline(tmp_path, stub=stub, clock=A_MINUTE_LATER, lease_s=600.0) as second:
        assert second.finish(job).status is JobStatus.SUCCEEDED
        assert stub.stats()["requests"] == 6


def test_calls_that_were_not_begun_when_a_process_ends_are_never_made(stub: ModelStub, tmp_path: Path) -> None:
    """All steps of a message were claimed at once; the process is told to end while the first is begun."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False, lease_s=600.0) as service:
        job = service.submit(numbered_pdf(40))
        (opening,) = service.steps(job)
        run_ring(service.services, _ring_for(opening))
        asked = [s for s in service.steps(job, StepKind.EXTRACT) if s.state is StepState.QUEUED]
        assert len(asked) > 1
        ending = replace(service.services, blobs=_EndingAtFirst(service.services))
        run_ring(ending, replace(_ring_for(asked[0]), step_ids=tuple(step.id for step in asked)))
        after = {step.id: step for step in service.steps(job, StepKind.EXTRACT)}
        assert {(after[s.id].state, after[s.id].attempt) for s in asked} == {(StepState.QUEUED, 0)}
        assert stub.stats()["requests"] == 1, "that of who opened the file"


class _EndingAtFirst:
    """The folder of bytes, whose first reader hears that the process ends."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._told = False

    def __getattr__(self, name: str) -> object:
        if not self._told:
            self._told = True
            self._services.keeper.let_go()
        return getattr(self._services.blobs, name)


def test_what_a_worker_goes_on_with_is_kept_alive_while_it_rings_for_the_rest(tmp_path: Path) -> None:
    """A broker that hangs may take longer than a lease, and nobody else may have the step meanwhile."""
    with pipeline(tmp_path, working=False, sweeping=False) as service:
        job = service.submit(numbered_pdf(3), model="embedded")
        watching = _HeldWhileRinging(service, job)
        (opening,) = service.steps(job)
        run_ring(replace(service.services, queue=watching), _ring_for(opening))
        assert watching.held == [True]


class _HeldWhileRinging:
    """A queue that looks at each message whether the claims on a job's steps are held."""

    def __init__(self, service: Pipeline, job: Job) -> None:
        self._service = service
        self._job = job
        self.held: list[bool] = []

    def send(self, rings: Sequence[Ring]) -> bool:
        """Look."""
        running = [s for s in self._service.steps(self._job) if s.state is StepState.RUNNING]
        if rings and running:
            self.held.append(all(self._service.services.keeper.holds(s.owner or "") for s in running))
        return True

    def is_reachable(self) -> bool:
        """Always."""
        return True

    def close(self) -> None:
        """Nothing waits."""


def test_a_worker_outlives_a_database_that_is_away_and_keeps_its_places(stub: ModelStub, tmp_path: Path) -> None:
    """More messages than there are places for calls, each in vain; then the database is back."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False, max_calls_in_flight=2) as service:
        nowhere = Database("postgresql+psycopg://nobody@127.0.0.1:1/none")
        away = replace(service.services, store=Store(nowhere))
        for queue in QueueName:
            for _ in range(5):
                run_ring(away, Ring(queue=queue, priority=Priority.NORMAL, step_ids=("step_x",)))
        job = service.submit(numbered_pdf(1))
        _work_off(service, job.id)
        assert get_job(service.services, TENANT, job.id).status is JobStatus.SUCCEEDED


def _work_off(service: Pipeline, job_id: str) -> None:
    """Be the worker of both queues until nothing waits."""
    for _ in range(20):
        job = get_job(service.services, TENANT, job_id)
        for step in service.steps(job):
            if step.state is StepState.QUEUED:
                run_ring(service.services, _ring_for(step))
        if job.status.is_terminal:
            return


def test_a_run_whose_model_is_not_to_be_had_any_more_ends_and_says_why(stub: ModelStub, tmp_path: Path) -> None:
    """Its key was taken away after it was handed in."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False) as service:
        job = service.submit(numbered_pdf(2))
    with pipeline(tmp_path, clock=A_MINUTE_LATER) as without_key:
        ended = without_key.finish(job)
        assert ended.status is JobStatus.FAILED
        assert ended.fault is not None
        assert (ended.fault.code, "FIELDMARK_UPSTAGE_API_KEY" in ended.fault.message) == ("unknown_model", True)
        assert {step.state for step in without_key.steps(ended)} <= {StepState.DONE, StepState.CANCELLED}


def test_one_row_that_cannot_be_swept_does_not_keep_the_others(tmp_path: Path) -> None:
    """The bytes of the first job cannot be removed; the second one goes in the same round all the same."""
    with pipeline(tmp_path, sweeping=False) as service:
        bad, good = (service.run(numbered_pdf(1, mark=mark), model="embedded") for mark in ("bad", "good"))
        in_the_way = service.home / "blobs" / (bad.source_key or "")
        in_the_way.unlink()
        in_the_way.mkdir()
        sweep(later(service.services, 86_400.0 * 40))
        assert service.rows("select id from jobs") == [(bad.id,)]
        assert not service.services.blobs.exists(good.source_key or "")
