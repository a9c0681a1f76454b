"""Routes over the runs of a job: found in the plan, frozen, kept by a retry, found anew where reading had failed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.domain.jobs import Job, JobStatus
from service.domain.pages import PageRange, PageText, TextSource
from service.domain.routes import JobSchema, Route, UnroutedReason
from service.jobs.control.given import Given, GivenDocument
from service.jobs.control.rerun import rerun_job
from service.jobs.intake.schemas import SchemaWish, choose_schemas, put_schema, ready_schemas
from service.jobs.queries import get_job
from tests.fakes.mixed_pile import INVOICE, LETTER, RECEIPT, pile
from tests.fakes.pipeline import TENANT, Pipeline


def run(service: Pipeline, data: bytes, *names: str, split: bool = True) -> Job:
    """A job whose documents are given one of these schemas each."""
    chosen = choose_schemas(service.services, TENANT, SchemaWish(references=names))
    return service.run(data, model="embedded", schemas=chosen.schemas, is_routed=True, split_documents=split)


def names_of(job: Job) -> list[str | None]:
    """The schema of each document."""
    schemas = [job.schema_of(n) for n in range(len(job.page_ranges()))]
    return [schema and schema.reference for schema in schemas]


def test_a_job_keeps_the_versions_it_came_with(service: Pipeline) -> None:
    """A later version changes neither its record nor a rerun."""
    source = ready_schemas()["receipt"].source
    put_schema(service.services, TENANT, "slip", source)
    job = run(service, pile(RECEIPT), "slip", "invoice")
    put_schema(service.services, TENANT, "slip", {**source, "title": "Another"})
    rerun_job(service.services, TENANT, job.id)
    assert names_of(service.finish(job)) == ["slip@1"]


def test_a_given_schema_is_not_looked_for_and_joins_those_of_the_job(service: Pipeline) -> None:
    """Also in a job of one schema, whose other documents keep it."""
    contract = ready_schemas()["contract"]
    chosen = JobSchema(source=contract.source, name="contract", version=0)
    job = service.run(pile(INVOICE, LETTER), model="embedded", split_documents=True)
    documents = [GivenDocument(pages=PageRange(1, 1)), GivenDocument(pages=PageRange(2, 2), schema=chosen)]
    rerun_job(service.services, TENANT, job.id, given=Given(documents=documents))
    again = service.finish(job)
    assert names_of(again) == ["document", "contract@0"]
    assert [record["schema"]["name"] for record in service.result(again)["records"]] == ["document", "contract"]


@pytest.mark.parametrize("source", [TextSource.FAILED, TextSource.UNREADABLE])
def test_a_stranger_whose_page_was_not_read_is_routed_anew_by_a_retry(service: Pipeline, source: TextSource) -> None:
    """What could not be read may have a kind after all; the documents that have a schema keep it."""
    first = run(service, pile(INVOICE, RECEIPT), "invoice", "receipt")
    assert names_of(first) == ["invoice@0", "receipt@0"]
    with service.services.store.write() as rows:
        texts = {text.page: text for text in rows.pages.load(first.source_key or "")}
        rows.pages.put(TENANT, first.source_key or "", [texts[1], PageText(size=texts[2].size, source=source)])
        routes = (first.route_of(0), Route(schema=None, reason=UnroutedReason.NO_TEXT))
        job = rows.jobs.get(first.id, lock=True)
        assert job is not None
        rows.jobs.save(replace(job, routes=routes, status=JobStatus.PARTIALLY_SUCCEEDED))
    again = service.retry(get_job(service.services, TENANT, first.id))
    assert names_of(again) == ["invoice@0", "receipt@0"]
    assert again.status is JobStatus.SUCCEEDED


def test_a_file_of_strangers_alone_gives_no_record_and_says_so(service: Pipeline) -> None:
    """It is not a success that nobody looks at."""
    job = run(service, pile(LETTER), "invoice", "receipt", split=False)
    result = service.result(job)
    assert (job.status, result["records"]) == (JobStatus.PARTIALLY_SUCCEEDED, [])
    assert job.review_reasons == ("unrouted:0",)
    assert result["usage"]["requests"] == 0
