"""Trust follows the reviews: a field that was called high and was wrong too often is low; limits call a person."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from service.domain.corrections import Operation, OperationKind
from service.domain.jobs import Job, ReviewState
from service.jobs.learned.quality import quality
from service.jobs.reviewing.correct import CorrectionRequest, correct
from service.jobs.reviewing.course import approve_job
from service.jobs.reviewing.reviewed_cases import reviewed_cases
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import TENANT, Pipeline, draw_pdf, pipeline

SCHEMA = {"type": "object", "properties": {"number": {"type": "string"}, "total": {"type": "number"}}}
SURE = {"number": "A-1", "total": 12.5}
REVIEWED = 25


@pytest.fixture(scope="module")
def server() -> Generator[ModelStub]:
    """A model that is sure of everything."""
    with ModelStub() as running:
        yield running


@pytest.fixture
def service(server: ModelStub, tmp_path: Path) -> Generator[Pipeline]:
    """A service of the test's own, without any review yet."""
    server.reset()
    server.answers(SURE)
    with pipeline(tmp_path / "home", stub=server) as running:
        yield running


def run(service: Pipeline, **review: object) -> Job:
    """A document that says what the model says."""
    schema = {**SCHEMA, **({"x-review": review} if review else {})}
    return service.run(draw_pdf(["number A-1 total 12.50"]), schema=schema)


def look(service: Pipeline, job: Job, *, total: float | None = None) -> None:
    """Both fields are looked at, `total` corrected if another is given, and the job approved."""
    kept = Operation(id="n", kind=OperationKind.CONFIRM, path="/number", old="A-1")
    changed = Operation(id="t", kind=OperationKind.SET, path="/total", old=12.5, value=total)
    seen = Operation(id="t", kind=OperationKind.CONFIRM, path="/total", old=12.5)
    operations = (kept, seen if total is None else changed)
    correct(service.services, TENANT, job.id, "ada", CorrectionRequest(operations=operations))
    approve_job(service.services, TENANT, job.id, "ada", accept_unseen=True)


def test_a_field_that_is_often_wrong_is_high_no_more(service: Pipeline) -> None:
    """The other field stays as it was, and the result says why."""
    assert run(service, sample=0).review is ReviewState.NOT_NEEDED
    for n in range(REVIEWED):
        look(service, run(service), total=99.0 if n % 4 == 0 else None)
    job = run(service)
    fields = service.result(job)["records"][0]["fields"]
    assert {path: entry["confidence"] for path, entry in fields.items()} == {"/number": "high", "/total": "low"}
    assert job.review_reasons == ("low:/total",)
    [issue] = [issue for issue in service.result(job)["issues"] if issue["code"] == "measured_low"]
    assert "18 of 25" in issue["message"]
    found = quality(service.services, TENANT, schema_name=None, since=0.0)
    assert [(f.field, f.high.right, f.high.count, f.is_demoted) for f in found.fields] == [
        ("/number", REVIEWED, REVIEWED, False),
        ("/total", 18, REVIEWED, True),
    ]


def test_a_value_beyond_a_limit_calls_a_person_until_it_was_seen(service: Pipeline) -> None:
    """Though the model is sure of it."""
    job = run(service, limits={"/total": {"above": 10}}, sample=0)
    assert job.review is ReviewState.NEEDED
    assert job.review_reasons == ("low:/total", "limit:/total")
    seen = Operation(id="t", kind=OperationKind.CONFIRM, path="/total", old=12.5)
    done = correct(service.services, TENANT, job.id, "ada", CorrectionRequest(operations=(seen,)))
    assert done.job.review_reasons == ()
    assert run(service, limits={"/total": {"above": 20}}, sample=0).review is ReviewState.NOT_NEEDED


def test_critical_values_that_are_not_sure_together_call_a_person(service: Pipeline) -> None:
    """Each alone is sure enough; the least sure one is doubted until it was seen."""
    data = draw_pdf(["Invoice number: 4711", "Total: 12.50", "Date: 2026-03-04"])
    properties = {"invoice_number": {"type": "string"}, "date": {"type": "string", "format": "date"}}
    for sure, reasons in ((0, 0), (0.9999, 1)):
        review = {"critical": ["/invoice_number", "/date"], "sure": sure, "sample": 0}
        schema = {"type": "object", "properties": properties, "x-review": review}
        job = service.run(data, schema=schema, model="embedded")
        entries = service.result(job)["records"][0]["fields"].values()
        assert sum(entry["confidence"] == "low" for entry in entries) >= reasons
        assert (len(job.review_reasons) > 0) == (reasons > 0)
        assert all(reason.startswith("low:/") for reason in job.review_reasons)


def test_the_sample_measures_what_passed(service: Pipeline) -> None:
    """A document of the blind sample that a person had to change counts against the straight-through ones."""
    for total in (None, 99.0):
        look(service, run(service, sample=1.0), total=total)
    found = quality(service.services, TENANT, schema_name=None, since=0.0)
    assert (found.sample.right, found.sample.count) == (1, 2)


def test_cases_hold_only_what_somebody_looked_at(service: Pipeline) -> None:
    """Of an approved document the fields that were confirmed or corrected; an unapproved one is none."""
    first = run(service)
    run(service)
    change = Operation(id="t", kind=OperationKind.SET, path="/total", old=12.5, value="13,75")
    correct(service.services, TENANT, first.id, "ada", CorrectionRequest(operations=(change,)))
    approve_job(service.services, TENANT, first.id, "ada", accept_unseen=True)
    cases, more = reviewed_cases(service.services, TENANT, schema_name=None, before=None)
    assert [(case.job_id, case.truth, case.absent) for case in cases] == [(first.id, {"total": 13.75}, ())]
    assert more is None


def test_reviews_give_a_model_that_tells_no_probability_one(service: Pipeline) -> None:
    """In new results alone, with the number of reviews on the page of quality; what is learned later is not from it."""
    first = run(service)
    for n in range(REVIEWED * 2):
        look(service, run(service), total=99.0 if n % 2 == 0 else None)
    later = run(service)
    before, after = (service.result(job)["records"][0]["fields"] for job in (first, later))
    assert {path: entry["probability"] for path, entry in before.items()} == {"/number": None, "/total": None}
    assert {entry["probability"] for entry in after.values()} == {0.75}
    look(service, later)
    [(key, curve)] = quality(service.services, TENANT, schema_name=None, since=0.0).curves.items()
    assert key[1].startswith("upstage:")
    assert curve.untold == {"high": (pytest.approx(77 / 102, abs=1e-4), REVIEWED * 4 + 2)}
