"""From upload to result over a model server: what is asked, and what becomes of the answers."""

from __future__ import annotations

import gc
import itertools
from pathlib import Path
from typing import Any

import pytest

from service.domain.jobs import JobStatus
from service.domain.steps import Priority, QueueName, StepKind, StepState
from service.jobs.control.ending import cancel_job
from service.jobs.events.log import read_job_events
from service.jobs.queries import get_job, get_progress
from service.jobs.steps.model_calls import ModelCall
from service.protocol.body import Attachment
from service.protocol.data_url import HEADER
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import TENANT, Pipeline, draw_pdf, numbered_pdf, pipeline, wait_until


@pytest.mark.parametrize(("pages", "calls"), [(1, 1), (3, 1), (25, 3)])
def test_a_file_is_asked_for_ten_pages_at_a_time(service: Pipeline, stub: ModelStub, pages: int, calls: int) -> None:
    """One request for each chunk; every page extracted; scalars once, rows of all chunks."""
    job = service.run(numbered_pdf(pages, mark="ten at a time"))
    result = service.result(job)
    assert job.status is JobStatus.SUCCEEDED
    assert stub.stats()["requests"] == calls == result["usage"]["requests"]
    assert [row["page"] for row in result["coverage"]] == list(range(1, pages + 1))
    assert {row["state"] for row in result["coverage"]} == {"extracted"}
    assert len(result["records"]) == 1
    assert result["records"][0]["pages"] == list(range(1, pages + 1))
    assert len(result["records"][0]["values"]["lines"]) == 2 * calls


def test_a_chunk_is_as_long_as_the_caller_says(service: Pipeline, stub: ModelStub) -> None:
    """`pages_per_chunk` cuts the file otherwise, and each chunk's places are numbered as the file is."""
    job = service.run(numbered_pdf(7), pages_per_chunk=3)
    assert stub.stats()["requests"] == 3
    assert [step.pages for step in service.steps(job, StepKind.EXTRACT)] == [(1, 2, 3), (4, 5, 6), (7,)]
    rows = service.result(job)["records"][0]["fields"]
    assert {rows[f"/lines/{n}/amount"]["page"] for n in range(6)} == {1, 4, 7}


def test_the_model_gets_the_pages_of_its_chunk_and_no_others(service: Pipeline, stub: ModelStub) -> None:
    """A file that fits goes as it is; else its pages are cut out, so the parts are smaller than the whole."""
    data = numbered_pdf(4)
    service.run(data)
    service.run(data, pages_per_chunk=2)
    whole, *parts = [
        request["body"]["messages"][0]["content"][0]["image_url"]["url_chars"] for request in stub.requests()
    ]
    assert whole == len(Attachment(HEADER, data).url())
    assert len(parts) == 2
    assert all(part < whole for part in parts)


def test_a_call_that_is_settled_is_held_by_nothing(service: Pipeline) -> None:
    """Its pages and its answer go with it, not when the collector of loops looks, which a worker lets do so seldom."""
    gc.collect()
    gc.disable()
    try:
        service.run(numbered_pdf(25))
        wait_until(lambda: not any(type(known) is ModelCall for known in gc.get_objects()))
    finally:
        gc.enable()


def test_a_model_of_this_process_waits_for_no_call_that_goes_elsewhere(stub: ModelStub, tmp_path: Path) -> None:
    """All calls that may be in flight are: a document that needs none is done meanwhile."""
    with pipeline(tmp_path, stub=stub, max_calls_in_flight=1) as service:
        stub.script({"fault": "hang"})
        elsewhere = service.submit(numbered_pdf(1, mark="elsewhere"))
        stub.wait_for(in_flight=1)
        assert service.run(numbered_pdf(1, mark="here"), model="embedded").status is JobStatus.SUCCEEDED
        cancel_job(service.services, TENANT, elsewhere.id)


def test_blank_pages_are_not_sent(service: Pipeline, stub: ModelStub) -> None:
    """A chunk of blank pages costs no call; the ledger names each page."""
    job = service.run(draw_pdf(["first page 1", "", "", "", "last page 5"]), pages_per_chunk=2)
    assert job.status is JobStatus.SUCCEEDED
    assert stub.stats()["requests"] == 2
    states = [row["state"] for row in service.result(job)["coverage"]]
    assert states == ["extracted", "blank", "blank", "blank", "extracted"]


def test_a_file_of_blank_pages_ends_with_everything_absent(service: Pipeline, stub: ModelStub) -> None:
    """No call, one record, each leaf absent."""
    job = service.run(draw_pdf(["", ""]))
    result = service.result(job)
    assert (job.status, stub.stats()["requests"]) == (JobStatus.SUCCEEDED, 0)
    assert result["records"][0]["values"] == {"invoice_number": None, "total": None, "lines": []}
    assert {entry["verdict"] for entry in result["records"][0]["fields"].values()} == {"absent"}


def test_a_wide_schema_is_asked_in_groups_of_fields_and_gives_one_record(service: Pipeline, stub: ModelStub) -> None:
    """150 properties are more than the model takes at once."""
    names = [f"field_{number:03}" for number in range(150)]
    wide: dict[str, Any] = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    job = service.run(numbered_pdf(1), schema=wide)
    record = service.result(job)["records"][0]
    asked = [r["body"]["response_format"]["json_schema"]["schema"]["properties"] for r in stub.requests()]
    assert job.status is JobStatus.SUCCEEDED
    assert sorted(itertools.chain.from_iterable(asked)) == names
    assert len(asked) == 2
    assert list(record["values"]) == names
    assert all(record["values"][name].startswith(name) for name in names)


def test_events_come_in_order_and_without_gaps(service: Pipeline) -> None:
    """The log of a job counts 1, 2, 3, … and tells each status once, the last one final."""
    job = service.run(numbered_pdf(2))
    events = read_job_events(service.services, TENANT, job.id, after_seq=0, most=100)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.data["status"] for event in events] == ["queued", "extracting", "merging", "succeeded"]
    rest = read_job_events(service.services, TENANT, job.id, after_seq=2, most=100)
    assert [event.seq for event in rest] == [3, 4]


def test_a_job_under_way_tells_how_far_it_is(service: Pipeline, stub: ModelStub) -> None:
    """While a call is out all pages are read and all splits planned; at its end they are done."""
    stub.hold()
    job = service.submit(numbered_pdf(12))
    stub.wait_for(requests=2)
    wait_until(lambda: {step.state for step in service.steps(job, StepKind.READ)} == {StepState.DONE})
    early = get_job(service.services, TENANT, job.id)
    progress = get_progress(service.services, early)
    assert early.status is JobStatus.EXTRACTING
    assert (progress.pages_total, progress.pages_read, progress.splits_total) == (12, 12, 2)
    stub.let_go()
    late = service.finish(job)
    assert late.status is JobStatus.SUCCEEDED
    assert get_progress(service.services, late).splits_done == 2


@pytest.mark.parametrize("priority", [Priority.HIGH, Priority.NORMAL])
def test_a_small_job_passes_the_mass_of_a_large_one(service: Pipeline, stub: ModelStub, priority: Priority) -> None:
    """The large job came first and is still at work when the small one has ended."""
    stub.hold()
    large = service.submit(numbered_pdf(100, mark=f"large {priority.name}"), pages_per_chunk=1)
    wait_until(lambda: stub.stats()["requests"] > 5)
    small = service.submit(numbered_pdf(1, mark=f"small {priority.name}"), priority=priority)
    for answered in range(1, 100):
        stub.let_go(1)
        wait_until(lambda answered=answered: stub.stats()["answered"].get("200", 0) == answered)
        if get_job(service.services, TENANT, small.id).status.is_terminal:
            break
    assert service.finish(small).status is JobStatus.SUCCEEDED
    waiting = [s for s in service.steps(large, StepKind.EXTRACT) if not s.state.is_terminal]
    assert waiting
    assert {s.queue for s in waiting} == {QueueName.IO}
    stub.let_go()
    assert service.finish(large).status is JobStatus.SUCCEEDED
