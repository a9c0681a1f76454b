"""Pages are left out, and read again from their picture, by a new run; corrections stay."""

from __future__ import annotations

import io
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from service.documents.reader import RenderOptions
from service.domain.corrections import Operation, OperationKind, ReviewAction
from service.domain.errors import InputError
from service.domain.geometry import Box, quad_box
from service.domain.jobs import Job, JobStatus
from service.domain.pages import PageRange, PageText, TextSource
from service.domain.records import Location
from service.jobs.control.given import Given, GivenDocument
from service.jobs.control.rerun import rerun_job
from service.jobs.results.current import load_current
from service.jobs.results.page_views import page_image
from service.jobs.reviewing.correct import CorrectionRequest, correct
from service.jobs.reviewing.course import history_of
from service.jobs.steps.mend_pages import PageWishes
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
    again = service.finish(rerun_job(service.services, TENANT, job.id, given=Given(documents=kept)))
    result = service.result(again)
    assert again.status is JobStatus.SUCCEEDED
    assert [record["values"] for record in result["records"]] == [{"number": "L-18"}]
    assert [row["state"] for row in result["coverage"]] == ["extracted", "ignored"]
    assert not any(reason.startswith(("page", "unrouted")) for reason in again.review_reasons)


def test_something_has_to_be_left(service: Pipeline) -> None:
    """All pages cannot be left out."""
    job = service.run(draw_pdf(["Letter number: L-17"]), schema=SCHEMA, model="embedded")
    nothing = [GivenDocument(pages=PageRange(1, 1), is_ignored=True)]
    with pytest.raises(InputError, match="nothing is left"):
        rerun_job(service.services, TENANT, job.id, given=Given(documents=nothing))


def test_a_page_is_read_again_from_its_picture(service: Pipeline) -> None:
    """The text that a page holds is passed over for what it shows."""
    job = service.run(_letter(), schema=SCHEMA, model="embedded")
    again = _mended(service, job, PageWishes(read_again=[1]))
    [text] = _words(service, again)
    assert text.source is TextSource.OCR
    assert service.result(again)["records"][0]["values"] == {"number": "L-17"}
    with pytest.raises(InputError, match="page 2"):
        _mended(service, again, PageWishes(read_again=[1, 2]))


def _put(service: Pipeline, job: Job, value: str, *, by: str) -> None:
    """Correct the number, with a place on a page that lies on its side."""
    put = Operation(
        id="a",
        kind=OperationKind.SET,
        path="/number",
        old=service.result(job)["records"][0]["values"]["number"],
        value=value,
        location=Location(1, Box(0.1, 0.2, 0.15, 0.6).quad()),
    )
    correct(service.services, TENANT, job.id, by, CorrectionRequest(operations=(put,)))


def test_a_page_is_turned_with_its_words_and_what_was_corrected(service: Pipeline) -> None:
    """Picture, words, boxes, places of corrections and the history; the same bytes are turned from the start."""
    job = service.run(_letter(sideways=True), schema=SCHEMA, model="embedded")
    before = service.result(job)["file"]["pages"][0]
    _put(service, job, "L-17", by="ada")
    again = _mended(service, job, PageWishes(turn={1: 90}, by="ada"))
    result = service.result(again)
    page = result["file"]["pages"][0]
    assert (page["width"], page["height"], page["rotation"]) == (before["height"], before["width"], 90)
    assert " ".join(word.text for word in _words(service, again)[0].words) == "Letter number: L-17"
    entry = result["records"][0]["fields"]["/number"]
    assert (entry["value"], entry["coordinates"]) == ("L-17", _points(Box(0.4, 0.1, 0.8, 0.15)))
    machine = load_current(service.services, again, "machine").result.records[0].fields["/number"]
    assert machine.value == "L-17"
    assert machine.location is not None
    assert quad_box(machine.location.coordinates).width > quad_box(machine.location.coordinates).height
    event = history_of(service.services, TENANT, job.id)[-1]
    assert (event.action, event.by, event.detail["turned"]) == (ReviewAction.MEND, "ada", {"1": 90})
    same = service.run(_letter(sideways=True), schema=SCHEMA, model="embedded")
    assert service.result(same)["file"]["pages"][0]["rotation"] == 90
    assert service.result(same)["records"][0]["values"] == {"number": "L-17"}
    back = _mended(service, again, PageWishes(turn={1: 270}, by="ada"))
    assert service.result(back)["file"]["pages"][0] == before
    assert service.result(same)["file"]["pages"][0]["rotation"] == 90, "as its places still are"


def test_corrections_of_another_job_follow_a_page_that_was_turned(service: Pipeline) -> None:
    """Their places stay on the page as that job shows it, and turn when its own next run shows it turned."""
    one, other = (service.run(_letter(sideways=True, text="L-99"), schema=SCHEMA, model="embedded") for _ in range(2))
    _put(service, other, "L-99", by="ben")
    _mended(service, one, PageWishes(turn={1: 90}, by="ada"))

    def shown(job: Job) -> tuple[int, object]:
        result = service.result(job)
        return result["file"]["pages"][0]["rotation"], result["records"][0]["fields"]["/number"]["coordinates"]

    assert shown(other) == (0, _points(Box(0.1, 0.2, 0.15, 0.6)))
    other = service.finish(rerun_job(service.services, TENANT, other.id))
    assert shown(other) == (90, _points(Box(0.4, 0.1, 0.8, 0.15)))
    other = _mended(service, other, PageWishes(turn={1: 90}, by="ben"))
    assert shown(other) == (180, _points(Box(0.85, 0.4, 0.9, 0.8)))


def test_a_picture_is_turned(service: Pipeline) -> None:
    """A photo that lies on its head is read and shown upright."""
    with service.services.blobs.local(service.upload(_letter()).blob_key) as path:
        image = Image.open(io.BytesIO(service.services.reader.render_page(path, 1, RenderOptions(dpi=150))))
    out = io.BytesIO()
    image.transpose(Image.Transpose.ROTATE_180).save(out, "PNG", dpi=(150, 150))
    job = service.run(out.getvalue(), schema=SCHEMA, model="embedded", name="photo.png")
    again = _mended(service, job, PageWishes(turn={1: 180}, by="ada"))
    [text] = _words(service, again)
    assert text.text() == "Letter number: L-17"
    assert text.words[0].box.y1 < 0.2
    with service.services.store.read() as rows:
        file = rows.files.get(TENANT, again.file_id)
    assert file is not None
    for turned, is_black in ((file, True), (file.shown_at(1, 0), False)):
        drawn = page_image(service.services, turned, 1, RenderOptions(dpi=72, image_format="png"))
        top = Image.open(io.BytesIO(drawn)).convert("L").crop((0, 0, 500, 160))
        assert (sum(top.histogram()[:128]) > 0) is is_black


def _letter(*, sideways: bool = False, text: str = "L-17") -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.setFont("Helvetica", 18)
    if sideways:
        canvas.rotate(90)
        canvas.drawString(72, -72, f"Letter number: {text}")
    else:
        canvas.drawString(72, 720, f"Letter number: {text}")
    canvas.save()
    return out.getvalue()


def _mended(service: Pipeline, job: Job, wishes: PageWishes) -> Job:
    return service.finish(rerun_job(service.services, TENANT, job.id, given=Given(pages=wishes)), seconds=90)


def _words(service: Pipeline, job: Job) -> tuple[PageText, ...]:
    with service.services.store.read() as rows:
        return rows.pages.load(job.source_key or "")


def _points(box: Box) -> list[dict[str, float]]:
    return [{"x": point.x, "y": point.y} for point in box.quad()]
