"""What becomes of a job when the way to the model fails: rate limits, errors of the server, silence."""

from __future__ import annotations

from pathlib import Path

from service.domain.errors import ErrorCode
from service.domain.jobs import JobStatus
from service.domain.steps import StepKind, StepState
from service.rehearsal.way_faults import RETRY_FORMS
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import Clock, Pipeline, numbered_pdf, pipeline, wait_until

FORMS = tuple(RETRY_FORMS)


def test_a_rate_limit_is_waited_out_whatever_it_is_said_in(service: Pipeline, stub: ModelStub) -> None:
    """A job for each form at once, each turned away once in another form: each is asked once more, none fails."""
    stub.script(*({"fault": "429", "form": form, "seconds": 1} for form in FORMS))
    jobs = [service.submit(numbered_pdf(1, mark=form)) for form in FORMS]
    assert {service.finish(job).status for job in jobs} == {JobStatus.SUCCEEDED}
    assert stub.stats()["answered"] == {"429": len(FORMS), "200": len(FORMS)}


def test_a_split_that_keeps_failing_leaves_the_others_and_a_retry_does_only_that_one(
    stub: ModelStub, tmp_path: Path
) -> None:
    """Three splits, one answered 500 as often as it may be asked: 4 calls; the retry makes 1 and the job is whole."""
    with pipeline(tmp_path, stub=stub, model_attempts=1, step_attempts=2) as service:
        stub.script("500", "ok", "ok", "500")
        stub.hold()
        job = service.submit(numbered_pdf(30))
        stub.wait_for(script_left=1)  # so that the fourth is the one that failed, once more
        stub.let_go()
        job = service.finish(job)
        first = service.result(job)
        failed = [s for s in service.steps(job, StepKind.EXTRACT) if s.state is StepState.FAILED]
        assert job.status is JobStatus.PARTIALLY_SUCCEEDED
        assert stub.stats()["requests"] == 4
        assert len(failed) == 1
        assert failed[0].fault is not None
        assert failed[0].fault.code == ErrorCode.MODEL_UNAVAILABLE
        assert {row["state"] for row in first["coverage"] if row["page"] in failed[0].pages} == {"failed"}
        assert {row["state"] for row in first["coverage"] if row["page"] not in failed[0].pages} == {"extracted"}
        assert len(first["records"][0]["values"]["lines"]) == 4
        ended = service.retry(job)
        second = service.result(ended)
        assert ended.status is JobStatus.SUCCEEDED
        assert stub.stats()["requests"] == 5
        assert len(second["records"][0]["values"]["lines"]) == 6
        assert second["issues"] == []


def test_a_refused_key_fails_at_once(stub: ModelStub, tmp_path: Path) -> None:
    """Asking again would be useless; the message says what to look at and does not hold the key."""
    with pipeline(tmp_path, stub=stub, upstage_api_key="up_wrong") as service:
        job = service.run(numbered_pdf(1))
        assert job.status is JobStatus.FAILED
        assert job.fault is not None
        assert (job.fault.code, stub.stats()["requests"]) == (ErrorCode.MODEL_ACCESS_DENIED, 1)
        assert "up_wrong" not in job.fault.message


def test_a_model_that_does_not_answer_runs_into_its_time(stub: ModelStub, tmp_path: Path) -> None:
    """The call is closed when its time is over, and counted as a timeout."""
    with pipeline(tmp_path, stub=stub, model_attempts=1, step_attempts=1, model_timeout_s=3.0) as service:
        stub.script("hang")
        job = service.run(numbered_pdf(1))
        assert job.status is JobStatus.FAILED
        assert job.fault is not None
        assert job.fault.code == ErrorCode.MODEL_TIMEOUT
        stub.wait_for(in_flight=0)


def test_no_more_calls_are_in_flight_than_the_process_may_have(stub: ModelStub, tmp_path: Path) -> None:
    """Twelve splits over three slots: three at once, all done."""
    with pipeline(tmp_path, stub=stub, max_calls_in_flight=3) as service:
        stub.script({"fault": "slow", "seconds": 0.1, "repeat": 12})
        stub.hold()
        job = service.submit(numbered_pdf(12), pages_per_chunk=1)
        stub.wait_for(in_flight=3)
        stub.let_go()
        job = service.finish(job)
        assert job.status is JobStatus.SUCCEEDED
        assert (stub.stats()["requests"], stub.stats()["peak_in_flight"]) == (12, 3)


def test_a_claim_is_kept_for_as_long_as_its_call_takes(stub: ModelStub, tmp_path: Path) -> None:
    """A call of twenty minutes under a lease of ten, beside a sweeper that never rests: one claim, one call."""
    clock = Clock()
    with pipeline(tmp_path, stub=stub, clock=clock, lease_s=600.0) as service:
        stub.hold()
        job = service.submit(numbered_pdf(1))
        stub.wait_for(in_flight=1)
        for _ in range(4):
            clock.forward(300)
            kept_until = clock() + 500
            wait_until(lambda until=kept_until: service.steps(job, StepKind.EXTRACT)[0].lease_until > until)
        stub.let_go()
        job = service.finish(job)
        [step] = service.steps(job, StepKind.EXTRACT)
        assert job.status is JobStatus.SUCCEEDED
        assert (step.attempt, stub.stats()["requests"]) == (1, 1)
