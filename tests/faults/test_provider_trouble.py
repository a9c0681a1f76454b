"""A provider that is limited or away: jobs wait, say so, and go on; what is emptied or restarted loses none."""

from __future__ import annotations

import time
from pathlib import Path

from service.api.payloads.jobs import JobPayload
from service.domain.errors import ErrorCode
from service.domain.jobs import Job, JobStatus
from service.domain.steps import StepKind
from service.jobs.control.ending import cancel_job
from service.jobs.queries import get_details, get_job
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import TENANT, Clock, Pipeline, numbered_pdf, pipeline, wait_until

PAUSE_S = 600.0
AWAY = {"provider_failures": 2, "provider_pause_s": PAUSE_S, "provider_longest_pause_s": PAUSE_S}


def payload(service: Pipeline, job: Job) -> JobPayload:
    """The job as GET tells it."""
    now = get_job(service.services, TENANT, job.id)
    return JobPayload.of(now, "", get_details(service.services, now))


def is_waiting(service: Pipeline, job: Job) -> bool:
    """Whether it says so."""
    return payload(service, job).waiting is not None


def test_a_provider_that_is_away_is_waited_for_and_the_job_says_so(stub: ModelStub, tmp_path: Path) -> None:
    """Down for longer than one step's attempts: extracting, then succeeded; no attempt is used up by waiting."""
    clock = Clock()
    with pipeline(tmp_path, stub=stub, clock=clock, step_attempts=2, model_attempts=1, **AWAY) as service:
        stub.script({"fault": "503", "repeat": 2})
        stub.hold()
        job = service.submit(numbered_pdf(1))
        other = service.submit(numbered_pdf(1, mark="other"))
        stub.wait_for(script_left=0)  # one failure each
        stub.let_go()
        wait_until(lambda: is_waiting(service, job) and is_waiting(service, other))
        told = payload(service, job)
        assert told.status is JobStatus.EXTRACTING
        assert told.waiting is not None
        assert (told.waiting.reason, told.waiting.provider) == ("provider_unavailable", "upstage")
        clock.forward(2 * PAUSE_S)
        assert {service.finish(j).status for j in (job, other)} == {JobStatus.SUCCEEDED}
        assert stub.stats()["answered"] == {"503": 2, "200": 2}


def test_patience_ends_and_is_told_by_its_own_code(stub: ModelStub, tmp_path: Path) -> None:
    """The provider never comes back."""
    with pipeline(tmp_path, stub=stub, model_attempts=1, provider_patience_s=1.0, **AWAY) as service:
        stub.script({"fault": "503", "repeat": 50})
        job = service.run(numbered_pdf(1))
        assert job.status is JobStatus.FAILED
        assert job.fault is not None
        assert job.fault.code == ErrorCode.PROVIDER_UNAVAILABLE
        assert "upstage" in job.fault.message


def test_a_job_that_waits_can_be_cancelled(stub: ModelStub, tmp_path: Path) -> None:
    """At once, and no call follows."""
    with pipeline(tmp_path, stub=stub, model_attempts=1, **AWAY) as service:
        stub.script({"fault": "503", "repeat": 2})
        job = service.submit(numbered_pdf(1))
        wait_until(lambda: is_waiting(service, job))
        before = stub.stats()["requests"]
        assert cancel_job(service.services, TENANT, job.id).status is JobStatus.CANCELLED
        assert stub.stats()["requests"] == before


def test_a_long_retry_after_puts_the_step_back_without_a_worker_that_sleeps(stub: ModelStub, tmp_path: Path) -> None:
    """Two minutes: meanwhile the step is nobody's."""
    clock = Clock()
    with pipeline(tmp_path, stub=stub, clock=clock) as service:
        stub.script({"fault": "429", "form": "delta", "seconds": 120})
        job = service.submit(numbered_pdf(1))
        wait_until(lambda: is_waiting(service, job))
        [step] = service.steps(job, StepKind.EXTRACT)
        told = payload(service, job).waiting
        assert (step.owner, step.attempt) == (None, 0)
        assert told is not None
        assert told.reason == "rate_limited"
        clock.forward(300)
        assert service.finish(job).status is JobStatus.SUCCEEDED
        assert stub.stats()["requests"] == 2


def test_a_limit_spreads_the_calls_of_a_job(stub: ModelStub, tmp_path: Path) -> None:
    """Twelve splits at two a second: all done, none in a hurry, none failed."""
    limits = {"upstage": {"requests_per_minute": 120, "in_flight": 2}}
    with pipeline(tmp_path, stub=stub, provider_limits=limits) as service:
        began = time.time()
        job = service.run(numbered_pdf(12), pages_per_chunk=1)
        at = [request["at"] for request in stub.requests()]
        assert job.status is JobStatus.SUCCEEDED
        assert len(at) == 12
        assert at[-1] - began > 4.9
        assert stub.stats()["peak_in_flight"] <= 2


def test_a_request_that_always_fails_ends_while_others_are_answered(stub: ModelStub, tmp_path: Path) -> None:
    """It is its own fault then, not the provider's: its attempts are used up."""
    with pipeline(tmp_path, stub=stub, model_attempts=1, step_attempts=1) as service:
        stub.script("ok", "500", "ok")
        jobs = [service.run(numbered_pdf(1, mark=mark)) for mark in ("a", "b", "c")]
        assert [job.status for job in jobs] == [JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.SUCCEEDED]
        assert jobs[1].fault is not None
        assert jobs[1].fault.code == ErrorCode.MODEL_UNAVAILABLE
