"""Files with a password: asked for, used once, and forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.domain.errors import ErrorCode
from service.domain.jobs import JobStatus
from service.jobs.control.ending import delete_job
from service.jobs.control.rerun import rerun_job
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import SCHEMA, TENANT, Pipeline, draw_pdf, one_schema, pipeline, wait_until

PASSWORD = "Rhabarberkuchen-9"
LOCKED = draw_pdf(["Invoice number: 4711", "Total: 12.50"], password=PASSWORD)


@pytest.mark.parametrize(
    ("password", "code"), [(None, ErrorCode.PASSWORD_REQUIRED), ("not it", ErrorCode.PASSWORD_WRONG)]
)
def test_a_locked_file_says_what_it_needs(service: Pipeline, password: str | None, code: ErrorCode) -> None:
    """No password and a wrong one are told apart, and the password is not repeated."""
    job = service.run(LOCKED, password=password)
    assert job.status is JobStatus.FAILED
    assert job.fault is not None
    assert job.fault.code == code
    assert "not it" not in job.fault.message
    assert service.rows("select password from jobs where id = :job", job=job.id) == [(None,)]


@pytest.mark.parametrize("model", ["embedded", "upstage"])
def test_a_locked_file_is_read_with_its_password(service: Pipeline, model: str) -> None:
    """As any other file, by a model that gets words and by one that gets the file."""
    job = service.run(LOCKED, password=PASSWORD, model=model)
    assert job.status is JobStatus.SUCCEEDED
    assert {row["state"] for row in service.result(job)["coverage"]} == {"extracted"}


def test_the_password_is_forgotten_once_the_file_is_open(stub: ModelStub, tmp_path: Path) -> None:
    """A sweep later not a byte of it is below the home; what was opened can be run again, and goes with the job."""
    with pipeline(tmp_path, stub=stub) as service:
        job = service.run(LOCKED, password=PASSWORD)
        wait_until(lambda: service.holds(PASSWORD.encode()) == [])
        rerun_job(service.services, TENANT, job.id, schemas=one_schema(SCHEMA, "letter"))
        again = service.finish(job)
        assert (again.status, again.run) == (JobStatus.SUCCEEDED, 2)
        twin = service.run(LOCKED, password=PASSWORD)
        delete_job(service.services, TENANT, job.id)
        assert service.result(twin)["coverage"][0]["state"] == "extracted"
        delete_job(service.services, TENANT, twin.id)
        assert not any((tmp_path / "blobs").rglob("*/*/*"))
        assert service.rows("select 1 from pages union all select 1 from blobs") == []


def test_a_wrong_password_can_be_followed_by_a_job_with_the_right_one(service: Pipeline) -> None:
    """The same bytes: the first job's failure does not stick to them."""
    data = draw_pdf(["locked and tried twice"], password=PASSWORD)
    assert service.run(data, password="not it").status is JobStatus.FAILED
    assert service.run(data, password=PASSWORD).status is JobStatus.SUCCEEDED
