"""A model that is given the file is asked before the pages are read; its answers find their words later."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image

from service.domain.jobs import Job, JobStatus, Priority, QueueName
from service.jobs.queries import get_job
from service.jobs.run_steps import run_ring
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
        rings = Rings()
        services = replace(service.services, queue=rings)
        (opening,) = service.steps(job)
        run_ring(services, Ring(queue=opening.queue, priority=opening.priority, step_ids=(opening.id,)))
        for ring in [ring for ring in rings.waiting if ring.queue is QueueName.IO]:
            run_ring(services, ring)
        assert stub.stats()["requests"] == 2
        assert service.rows("select page from pages") == []
        assert get_job(services, TENANT, job.id).status is JobStatus.EXTRACTING


def test_reading_is_put_off_until_the_answer_is_there(tmp_path: Path, stub: ModelStub) -> None:
    """While the model works others go first; then the words are rung for in the job's own lane."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False) as service:
        job = service.submit(numbered_pdf(2))
        rings = Rings()
        services = replace(service.services, queue=rings)
        (opening,) = service.steps(job)
        run_ring(services, Ring(queue=opening.queue, priority=opening.priority, step_ids=(opening.id,)))
        call, *reading = sorted(rings.waiting, key=lambda ring: ring.queue is not QueueName.IO)
        assert [ring.priority for ring in (call, *reading)] == [Priority.NORMAL, Priority.LOW, Priority.LOW]
        rings.waiting.clear()
        run_ring(services, call)
        assert rings.waiting == [replace(ring, priority=Priority.NORMAL) for ring in reading]


def test_a_page_of_plain_text_is_read_while_its_file_is_open(tmp_path: Path, stub: ModelStub) -> None:
    """A file of one such page has no step of reading; one of a picture has, and its call need not wait for it."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False) as service:
        for data, read in ((numbered_pdf(1), [(1, "digital")]), (picture(), [])):
            job = service.submit(data)
            rings = Rings()
            (opening,) = service.steps(job)
            ring = Ring(queue=opening.queue, priority=opening.priority, step_ids=(opening.id,))
            run_ring(replace(service.services, queue=rings), ring)
            source = get_job(service.services, TENANT, job.id).source_key
            assert service.rows(f"select page, source from pages where source_key = '{source}'") == read
            assert [ring.queue for ring in rings.waiting] == [QueueName.IO] + ([] if read else [QueueName.CPU])
