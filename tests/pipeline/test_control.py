"""Cancel, retry, rerun, delete and retention of jobs, with a model server behind them."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from typing import Any

import docx
import pytest

from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.jobs import JobOptions, JobStatus
from service.domain.pages import PageRange, PageSize, PageText, TextSource
from service.domain.steps import StepKind, StepState
from service.jobs.control.ending import cancel_job, delete_job
from service.jobs.control.given import Given, GivenDocument
from service.jobs.control.rerun import rerun_job
from service.jobs.control.retry import retry_job
from service.jobs.control.sweep import sweep
from service.jobs.events.log import read_events
from service.jobs.intake.idempotency import KEPT_S, fingerprint_of, match_key, release_key, reserve_key
from service.jobs.intake.submit import Submission, submit_job
from service.jobs.intake.uploads import forget_upload
from service.jobs.process.keeper import BEAT_S
from service.jobs.queries import get_job
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import (
    SCHEMA,
    TENANT,
    Pipeline,
    draw_pdf,
    later,
    numbered_pdf,
    one_schema,
    pipeline,
    wait_until,
)

DAY_S = 86_400.0


def _snapshot(service: Pipeline, job_id: str) -> list[Any]:
    """All that a late worker could change."""
    queries = (
        "select id, version, state, attempt from steps where job_id = :job order by id",
        "select status, revision, last_seq, usage, finished_at from jobs where id = :job",
        "select seq, type, data from events where job_id = :job order by seq",
        "select run from results where job_id = :job",
    )
    return [service.rows(query, job=job_id) for query in queries]


def test_cancelling_closes_the_calls_at_the_next_beat_and_nothing_is_written_after(
    service: Pipeline, stub: ModelStub
) -> None:
    """A beat is a second at most. Steps, events and result stay as the cancel left them."""
    stub.script({"fault": "hang", "repeat": 3})
    job = service.submit(numbered_pdf(30, mark="closed"))
    stub.wait_for(in_flight=3)
    ended = cancel_job(service.services, TENANT, job.id)
    before = _snapshot(service, job.id)
    stub.wait_for(in_flight=0, aborted=3)
    assert ended.status is JobStatus.CANCELLED
    assert BEAT_S <= 1.0
    assert service.services.calls.wait_settled(100)  # whatever a late worker might do, it has done by now
    assert before == _snapshot(service, job.id)
    assert {step.state for step in service.steps(ended, StepKind.EXTRACT)} == {StepState.CANCELLED}
    assert get_job(service.services, TENANT, job.id).status is JobStatus.CANCELLED


def test_cancelling_twice_is_one_cancel_and_an_ended_job_is_not_cancelled(service: Pipeline, stub: ModelStub) -> None:
    """The second call gives the same job; a job that succeeded says so."""
    stub.script({"fault": "hang"})
    job = service.submit(numbered_pdf(1, mark="twice"))
    stub.wait_for(in_flight=1)
    first = cancel_job(service.services, TENANT, job.id)
    assert first == cancel_job(service.services, TENANT, job.id)
    done = service.run(numbered_pdf(1))
    with pytest.raises(StateError) as caught:
        cancel_job(service.services, TENANT, done.id)
    assert caught.value.code is ErrorCode.WRONG_STATE


def test_a_cancelled_job_can_be_retried_and_keeps_what_was_done(service: Pipeline, stub: ModelStub) -> None:
    """Of three splits one was done before the cancel: two are asked for again."""
    stub.script("ok", "hang", "hang")
    job = service.submit(numbered_pdf(30, mark="kept"))
    stub.wait_for(requests=3, in_flight=2)
    wait_until(lambda: any(s.state is StepState.DONE for s in service.steps(job, StepKind.EXTRACT)))
    cancel_job(service.services, TENANT, job.id)
    ended = service.retry(job)
    assert (ended.status, ended.run) == (JobStatus.SUCCEEDED, 2)
    assert stub.stats()["requests"] == 5
    assert {row["state"] for row in service.result(ended)["coverage"]} == {"extracted"}


def test_there_is_nothing_to_retry_in_a_job_that_succeeded(service: Pipeline) -> None:
    """It says what to do instead."""
    job = service.run(numbered_pdf(1))
    with pytest.raises(StateError, match="rerun") as caught:
        retry_job(service.services, TENANT, job.id)
    assert caught.value.code is ErrorCode.WRONG_STATE


def _note_page(service: Pipeline, data: bytes, source: TextSource) -> None:
    """As if an earlier job had read the second page of the same bytes, in vain."""
    file = service.upload(data)
    with service.services.store.write() as rows:
        rows.pages.put(TENANT, file.blob_key, [PageText(size=PageSize(2, 612, 792), source=source)])


@pytest.mark.parametrize("others_read", [(), (1,)], ids=["the other page too", "that page alone"])
def test_a_new_job_reads_a_page_again_whose_reading_failed(service: Pipeline, others_read: tuple[int, ...]) -> None:
    """What made it fail (a crash, no memory) may be over; its chunk waits for it."""
    data = draw_pdf([f"Invoice number: 47{len(others_read)}", "Total: 12.50"])
    _note_page(service, data, TextSource.FAILED)
    if others_read:
        source_key = service.upload(data).blob_key
        read = service.run(draw_pdf([f"Invoice number: 47{len(others_read)}"]), model="embedded")
        with service.services.store.write() as rows:
            rows.pages.put(TENANT, source_key, rows.pages.load(read.source_key or ""))
    job = service.run(data, model="embedded")
    assert job.status is JobStatus.SUCCEEDED
    assert [row["state"] for row in service.result(job)["coverage"]] == ["extracted", "extracted"]


def test_a_retry_asks_for_a_page_that_could_not_be_read_before(service: Pipeline) -> None:
    """A page on which nothing could be read gave nothing; once it can be read its words take part."""
    data = draw_pdf(["Invoice number: 4711", "Total: 12.50"])
    _note_page(service, data, TextSource.UNREADABLE)
    job = service.run(data, model="embedded")
    assert job.status is JobStatus.PARTIALLY_SUCCEEDED
    assert [row["state"] for row in service.result(job)["coverage"]] == ["extracted", "unreadable"]
    ended = service.retry(job)
    assert [row["state"] for row in service.result(ended)["coverage"]] == ["extracted", "extracted"]
    assert ended.status is JobStatus.SUCCEEDED


def test_a_rerun_with_another_schema_reads_no_page_again(service: Pipeline, stub: ModelStub) -> None:
    """The words of the first run serve the second; the record is the new schema's."""
    job = service.run(numbered_pdf(12, mark="rerun"))
    read = service.rows("select count(*) from steps where job_id = :job and kind = 'read'", job=job.id)
    pages = service.rows("select page, hex(body) from pages order by source_key, page")
    source = {"type": "object", "properties": {"buyer": {"type": "string"}}}
    rerun_job(service.services, TENANT, job.id, schemas=one_schema(source, "buyers"))
    again = service.finish(job)
    assert (again.run, again.status) == (2, JobStatus.SUCCEEDED)
    assert list(service.result(again)["records"][0]["values"]) == ["buyer"]
    assert read == service.rows("select count(*) from steps where job_id = :job and kind = 'read'", job=job.id)
    assert pages == service.rows("select page, hex(body) from pages order by source_key, page")
    assert stub.stats()["requests"] == 4


def given(first: int, last: int) -> GivenDocument:
    """A document as a person sees it."""
    return GivenDocument(pages=PageRange(first, last))


def test_a_rerun_takes_document_boundaries_from_a_person(service: Pipeline) -> None:
    """Each range becomes a record."""
    job = service.run(numbered_pdf(5))
    rerun_job(service.services, TENANT, job.id, given=Given(documents=[given(1, 2), given(3, 5)]))
    records = service.result(service.finish(job))["records"]
    assert [record["pages"] for record in records] == [[1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("documents", "why"),
    [
        ([(1, 1)], "must end at page 3"),
        ([(1, 1), (3, 3)], "document 2 must begin at page 2"),
        ([(2, 3)], "document 1 must begin at page 1"),
        ([(1, 2), (2, 3)], "document 2 must begin at page 3"),
        ([(1, 2), (3, 9)], "must end at page 3"),
    ],
)
def test_boundaries_that_lose_or_share_a_page_are_refused(
    service: Pipeline, documents: list[tuple[int, int]], why: str
) -> None:
    """And the job stays as it was."""
    job = service.run(numbered_pdf(3), model="embedded")
    with pytest.raises(InputError, match=why):
        rerun_job(service.services, TENANT, job.id, given=Given(documents=[given(*each) for each in documents]))
    assert get_job(service.services, TENANT, job.id) == job


def test_a_file_that_is_deleted_meanwhile_is_not_found(service: Pipeline) -> None:
    """Not an error of ours: it was there when the request was looked at."""
    file = service.upload(numbered_pdf(1, mark="meanwhile"))
    forget_upload(service.services, file)
    submission = Submission(
        tenant_id=TENANT,
        file=file,
        schemas=one_schema(SCHEMA, "document").schemas,
        options=JobOptions(model="embedded"),
        metadata={},
    )
    with pytest.raises(StateError) as caught:
        submit_job(service.services, submission)
    assert caught.value.code is ErrorCode.FILE_NOT_FOUND


def test_what_a_killed_upload_left_is_removed_after_a_day(tmp_path: Path) -> None:
    """One that still comes in stays."""
    with pipeline(tmp_path, sweeping=False) as service:
        folder = service.home / "blobs" / TENANT / "incoming"
        folder.mkdir(parents=True)
        old, fresh = folder / "old", folder / "fresh"
        for path in (old, fresh):
            path.write_bytes(b"%PDF-1.7 half a file")
        day_ago = time.time() - DAY_S - 60
        os.utime(old, (day_ago, day_ago))
        sweep(service.services)
        assert [path.name for path in folder.iterdir()] == ["fresh"]


PLANTED = "Zweihundertfuenfundvierzig"


def test_deleting_a_job_leaves_no_byte_of_it(stub: ModelStub, tmp_path: Path) -> None:
    """Text, file name, external id and metadata are gone from every file below the home; a tombstone is left."""
    with pipeline(tmp_path, stub=stub) as service:
        stub.answers({"invoice_number": f"{PLANTED}-answer"})
        job = service.run(
            draw_pdf([f"{PLANTED}-text"]),
            name=f"{PLANTED}.pdf",
            external_id=f"{PLANTED}-id",
            metadata={"of": PLANTED},
        )
        assert service.holds(PLANTED.encode())
        delete_job(service.services, TENANT, job.id)
        wait_until(lambda: service.holds(PLANTED.encode()) == [])
        assert not any((tmp_path / "blobs").rglob("*/*/*"))
        with pytest.raises(StateError) as caught:
            get_job(service.services, TENANT, job.id)
        assert caught.value.code is ErrorCode.EXPIRED
        last = read_events(service.services, TENANT, after=0, most=100)[-1]
        assert (last.type, last.job_id) == ("job.deleted", job.id)
    assert service.holds(PLANTED.encode()) == []


def test_deleting_a_job_under_way_stops_it_first(service: Pipeline, stub: ModelStub) -> None:
    """Its calls are closed, and the worker that had them does not bring the job back."""
    stub.script({"fault": "hang"})
    job = service.submit(draw_pdf(["to be deleted"]))
    stub.wait_for(in_flight=1)
    delete_job(service.services, TENANT, job.id)
    stub.wait_for(in_flight=0, aborted=1)
    for table in ("jobs", "steps", "results"):
        column = "id" if table == "jobs" else "job_id"
        assert service.rows(f"select 1 from {table} where {column} = :job", job=job.id) == []


def test_a_job_keeps_its_file_when_another_with_the_same_bytes_is_deleted(service: Pipeline) -> None:
    """The bytes are stored once and stay for as long as one job stands on them."""
    data = draw_pdf(["bytes of two jobs"])
    first, second = service.run(data, name="a.pdf"), service.run(data, name="b.pdf")
    [key] = {
        row[0]
        for row in service.rows("select blob_key from files where id in (:a, :b)", a=first.file_id, b=second.file_id)
    }
    stored = service.home / "blobs" / key
    delete_job(service.services, TENANT, first.id)
    assert stored.read_bytes() == data
    rerun_job(service.services, TENANT, second.id)
    assert service.finish(second).status is JobStatus.SUCCEEDED
    delete_job(service.services, TENANT, second.id)
    assert not stored.exists()
    assert service.rows("select 1 from pages where source_key = :key", key=key) == []


def test_an_office_file_is_made_into_a_pdf_once_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    """Words and pages of all jobs are those of one PDF, whatever another conversion would give."""
    document = docx.Document()
    document.add_paragraph(f"Invoice number: 4711 {PLANTED}")
    buffer = io.BytesIO()
    document.save(buffer)
    with pipeline(tmp_path, sweeping=False) as service:
        jobs = [service.run(buffer.getvalue(), name=f"{n}.docx", model="embedded") for n in range(2)]
        assert {job.status for job in jobs} == {JobStatus.SUCCEEDED}
        [key] = {job.source_key for job in jobs}
        first = service.home / "blobs" / (key or "")
        made = first.stat().st_mtime_ns
        assert service.run(buffer.getvalue(), name="again.docx", model="embedded").source_key == key
        assert first.stat().st_mtime_ns == made
        for (job_id,) in service.rows("select id from jobs"):
            delete_job(service.services, TENANT, job_id)
        assert not any((tmp_path / "blobs").rglob("*/*/*"))
        assert service.rows("select 1 from pages union all select 1 from blobs") == []


def test_jobs_and_files_past_their_retention_are_purged(stub: ModelStub, tmp_path: Path) -> None:
    """A finished job goes, one that is younger stays; so does an upload that no job stands on."""
    with pipeline(tmp_path, stub=stub, sweeping=False, retention_days=30) as service:
        job = service.run(draw_pdf([PLANTED]))
        service.upload(draw_pdf(["unused " + PLANTED]))
        sweep(later(service.services, 29 * DAY_S))
        assert get_job(service.services, TENANT, job.id) == job
        sweep(later(service.services, 31 * DAY_S))
        with pytest.raises(StateError, match="retention"):
            get_job(service.services, TENANT, job.id)
        assert service.holds(PLANTED.encode()) == []
        assert service.rows("select 1 from files") == []
        assert read_events(service.services, TENANT, after=0, most=99)
        sweep(later(service.services, 92 * DAY_S))
        assert read_events(service.services, TENANT, after=0, most=99) == ()


def test_an_idempotency_key_makes_one_job(service: Pipeline) -> None:
    """In flight, then the same job for the same request, then a refusal for another one."""
    data, key = numbered_pdf(1), "order-77"
    fingerprint = fingerprint_of("sha", SCHEMA, {})
    assert reserve_key(service.services, TENANT, key) is None
    with pytest.raises(StateError) as busy:
        reserve_key(service.services, TENANT, key)
    job = service.submit(data, idempotency=(key, fingerprint))
    assert busy.value.code is ErrorCode.IDEMPOTENCY_IN_FLIGHT
    assert busy.value.retry_after_s
    assert job.id == reserve_key(service.services, TENANT, key)
    assert job.id == match_key(service.services, TENANT, key, fingerprint).id
    with pytest.raises(StateError) as other:
        match_key(service.services, TENANT, key, fingerprint_of("sha", SCHEMA, {"mode": "enhanced"}))
    assert other.value.code is ErrorCode.IDEMPOTENCY_MISMATCH


def test_an_upload_that_outlasted_its_reservation_makes_no_second_job(service: Pipeline) -> None:
    """Another request took the key over meanwhile; whoever asks again is given the job that it made."""
    assert reserve_key(service.services, TENANT, "slow") is None
    assert reserve_key(later(service.services, 300), TENANT, "slow") is None
    job = service.submit(numbered_pdf(1), idempotency=("slow", "f"))
    with pytest.raises(StateError) as second:
        service.submit(numbered_pdf(1), idempotency=("slow", "f"))
    assert second.value.code is ErrorCode.IDEMPOTENCY_IN_FLIGHT
    release_key(service.services, TENANT, "slow")
    assert job.id == reserve_key(service.services, TENANT, "slow")


def test_an_idempotency_key_is_free_again_when_its_request_failed_or_its_day_is_over(service: Pipeline) -> None:
    """Given back, forgotten after a day, and taken over from a request that died without a word."""
    assert reserve_key(service.services, TENANT, "failed") is None
    release_key(service.services, TENANT, "failed")
    assert reserve_key(service.services, TENANT, "failed") is None
    assert reserve_key(later(service.services, 300), TENANT, "failed") is None
    job = service.submit(numbered_pdf(1), idempotency=("old", "f"))
    assert job.id == reserve_key(service.services, TENANT, "old")
    assert reserve_key(later(service.services, KEPT_S + 1), TENANT, "old") is None
