"""Pages are left out, and read again from their picture, by a new run; corrections stay."""

from __future__ import annotations

import io
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from service.domain.corrections import Operation, OperationKind
from service.domain.errors import InputError
from service.domain.jobs import JobStatus
from service.domain.pages import PageRange, TextSource
from service.jobs.control import GivenDocument, rerun_job
from service.jobs.correct import CorrectionRequest, correct
from service.jobs.read_again import mark_to_read
from tests.fakes.pipeline import TENANT, Pipeline, draw_pdf, pipeline

SCHEMA = {"type": "object", "properties": {"number": {"type": "string", "description": "Letter number"}}}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Pipeline]:
    """The embedded model."""
    with pipeline(Path(tmp_path_factory.mktemp("home"))) as running:
        yield running


def test_pages_that_are_left_out_give_nothing_and_call_nobody(service: Pipeline) -> None:
    """Each page still ends in a named state, and the record of the others stays as it was corrected."""
    job = service.run(
        draw_pdf(["Letter number: L-17", "Letter number: X-99"]), schema=SCHEMA, model="embedded", split_documents=True
    )
    change = Operation(id="a", kind=OperationKind.SET, path="/number", old="L-17", value="L-18")
    first = service.result(job)["records"][0]["id"]
    done = CorrectionRequest(operations=(replace(change, record=first),))
    correct(service.services, TENANT, job.id, "ada", done)
    kept = [GivenDocument(pages=PageRange(1, 1)), GivenDocument(pages=PageRange(2, 2), is_ignored=True)]
    again = service.finish(rerun_job(service.services, TENANT, job.id, documents=kept))
    result = service.result(again)
    assert again.status is JobStatus.SUCCEEDED
    assert [record["values"] for record in result["records"]] == [{"number": "L-18"}]
    assert [row["state"] for row in result["coverage"]] == ["extracted", "ignored"]
    assert not any(reason.startswith(("page", "unrouted")) for reason in again.review_reasons)


def test_something_has_to_be_left(service: Pipeline) -> None:
    """All pages cannot be left out."""
    job = service.run(draw_pdf(["Letter number: L-17"]), schema=SCHEMA, model="embedded")
    with pytest.raises(InputError, match="nothing is left"):
        rerun_job(service.services, TENANT, job.id, documents=[GivenDocument(pages=PageRange(1, 1), is_ignored=True)])


def test_a_page_is_read_again_from_its_picture(service: Pipeline) -> None:
    """The text that a page holds is passed over for what it shows."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.setFont("Helvetica", 18)
    canvas.drawString(72, 720, "Letter number: L-17")
    canvas.save()
    job = service.run(out.getvalue(), schema=SCHEMA, model="embedded")
    assert job.source_key is not None
    mark_to_read(service.services, TENANT, job.id, [1])
    again = service.finish(rerun_job(service.services, TENANT, job.id), seconds=90)
    with service.services.store.read() as rows:
        [text] = rows.pages.load(again.source_key or "")
    assert text.source is TextSource.OCR
    assert service.result(again)["records"][0]["values"] == {"number": "L-17"}
    with pytest.raises(InputError, match="page 2"):
        mark_to_read(service.services, TENANT, job.id, [1, 2])
