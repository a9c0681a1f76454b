"""A model that is given the file is asked before the pages are read; its answers find their words later."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from service.domain.jobs import Job, JobStatus
from service.domain.steps import Priority, QueueName, StepKind, StepState
from service.jobs.queries import get_job
from service.jobs.services import Services
from service.jobs.settle import claim_steps, settle
from service.jobs.steps.open_document import open_document
from service.jobs.steps.run_steps import run_ring
from service.messaging.queue import Ring
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import TENANT, Pipeline, numbered_pdf, pipeline


class Rings:
    """A queue whose messages the test takes out in an order of its own."""

    def __init__(self) -> None:
        self.waiting: list[Ring] = []

    def send(self, rings: Sequence[Ring]) -> bool:
        """Keep them."""
        self.waiting += rings
        return True

    def is_reachable(self) -> bool:
        """Always."""
        return True

    def close(self) -> None:
        """Nothing waits."""


def picture() -> bytes:
    """A PNG that shows something."""
    image, data = Image.new("RGB", (200, 100), "white"), io.BytesIO()
    image.paste("black", (50, 40, 150, 60))
    image.save(data, "PNG")
    return data.getvalue()


def _work_off(service: Pipeline, job: Job, *, first: QueueName) -> Job:
    """Work on a job alone, whatever waits in one queue before the other."""
    rings = Rings()
    services = replace(service.services, queue=rings)
    rings.waiting += [Ring(queue=s.queue, priority=s.priority, step_ids=(s.id,)) for s in service.steps(job)]
    while rings.waiting:
        rings.waiting.sort(key=lambda ring: ring.queue is not first)
        run_ring(services, rings.waiting.pop(0))
    return get_job(service.services, TENANT, job.id)


def test_answers_before_the_words_give_what_they_give_behind_them(tmp_path: Path, stub: ModelStub) -> None:
    """Whether all calls come before all reading or the other way round: the same values at the same places."""
    results: list[object] = []
    for number, first in enumerate((QueueName.IO, QueueName.CPU)):
        with pipeline(tmp_path / str(number), stub=stub, working=False, sweeping=False) as service:
            job = _work_off(service, service.submit(numbered_pdf(12)), first=first)
            result = service.result(job)
            assert job.status is JobStatus.SUCCEEDED
            assert {row["state"] for row in result["coverage"]} == {"extracted"}
            results.append((result["records"][0]["values"], result["records"][0]["fields"], result["coverage"]))
    assert results[0] == results[1]


def test_no_page_is_read_when_the_model_is_asked(tmp_path: Path, stub: ModelStub) -> None:
    """Opening the file is enough to ask, and what was answered is kept until the words are there."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False) as service:
        job = service.submit(numbered_pdf(12))
        services = service.services
        for ring in _opened(service, job):
            if ring.queue is QueueName.IO:
                run_ring(services, ring)
        assert stub.stats()["requests"] == 2
        assert service.rows("select page from pages") == []
        assert get_job(services, TENANT, job.id).status is JobStatus.EXTRACTING


def test_reading_is_put_off_until_the_answer_is_there(tmp_path: Path, stub: ModelStub) -> None:
    """While the model works others go first; then the words are rung for in the job's own lane."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False) as service:
        rings = _opened(service, service.submit(numbered_pdf(2)))
        assert [ring.queue for ring in rings] == [QueueName.CPU] * 4
        assert [ring.priority for ring in rings] == [Priority.LOW, Priority.LOW, Priority.NORMAL, Priority.NORMAL]
        assert [ring.step_ids for ring in rings[:2]] == [ring.step_ids for ring in rings[2:]]


def test_a_small_file_is_opened_by_who_asks_about_it(tmp_path: Path, stub: ModelStub) -> None:
    """One message leads from the upload to the answer, and nothing was read by then."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False) as service:
        for data in (numbered_pdf(1), picture()):
            job = service.submit(data)
            awaited = [ring for ring in _opened(service, job) if ring.priority is Priority.NORMAL]
            assert [ring.queue for ring in awaited] == [QueueName.CPU]
            assert [s.state for s in service.steps(job, StepKind.EXTRACT)] == [StepState.DONE]
            assert service.rows("select page from pages") == []


def test_a_file_that_takes_long_to_open_is_left_to_others(
    tmp_path: Path, stub: ModelStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would keep waiting whose calls can begin; whoever opens it then says what is wrong, or goes on."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False) as service:
        job = service.submit(numbered_pdf(2))
        with monkeypatch.context() as hurried:
            hurried.setattr("service.documents.reader.LOOK_S", 1e-9)
            rings = _opened(service, job)
        assert [ring.queue for ring in rings] == [QueueName.CPU]
        assert [step.state for step in service.steps(job)] == [StepState.DONE, StepState.QUEUED]
        assert stub.stats()["requests"] == 0
        assert _work_off(service, job, first=QueueName.IO).status is JobStatus.SUCCEEDED


def test_only_words_that_a_model_asks_for_are_taken_while_its_file_is_open(tmp_path: Path, stub: ModelStub) -> None:
    """Of a page of plain text; one that is a picture has a step of its own."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False) as service:
        for data, model, read in (
            (numbered_pdf(1, mark="a"), "embedded", [(1, "digital")]),
            (numbered_pdf(1, mark="b"), "upstage", []),
        ):
            job = service.submit(data, model=model)
            (claim,) = claim_steps(service.services, [step.id for step in service.steps(job)])
            settle(service.services, claim, open_document(service.services, claim))
            source = get_job(service.services, TENANT, job.id).source_key
            assert service.rows(f"select page, source from pages where source_key = '{source}'") == read


def _opened(service: Pipeline, job: Job) -> list[Ring]:
    """What is rung for once the first message of a job is worked off."""
    rings = Rings()
    _run_first(service, replace(service.services, queue=rings), job)
    return rings.waiting


def _run_first(service: Pipeline, services: Services, job: Job) -> None:
    (opening,) = service.steps(job)
    run_ring(services, Ring(queue=opening.queue, priority=opening.priority, step_ids=(opening.id,)))
