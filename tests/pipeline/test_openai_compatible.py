"""From submit to result through OpenAI-compatible servers: one that keeps OpenAI's rules, and a real small model."""

from __future__ import annotations

import io
import json
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from service.domain.errors import ErrorCode
from service.domain.jobs import JobStatus
from service.wiring.models import OPENAI
from tests.fakes.local_service import SAMPLES
from tests.fakes.model_stub import GOOD_KEY, ModelStub
from tests.fakes.one_invoice import SCHEMA, TRUTH, draw_invoice
from tests.fakes.pipeline import Pipeline, numbered_pdf, pipeline
from tests.fakes.small_model import CONTEXT_TOKENS, MODEL, small_model

Json = Any
SEES, READS, SMALL = "openai:sees-and-reads", "openai:reads", "openai:small-context"
MODELS: dict[str, dict[str, Json]] = {
    "sees*": {"images": True, "image_dpi": 100},
    "small*": {"context_tokens": 1_500, "default_pages_per_chunk": 16, "schema_in_prompt": False},
    "narrow*": {"max_properties": 5, "schema_in_prompt": False},
}
PATIENCE_S = 700.0
"""A model that takes two seconds may take a minute where others compute."""
ASKED = ("invoice_number", "invoice_date", "due_date", "order_number", "total")


@pytest.fixture(scope="module")
def open_server() -> Iterator[ModelStub]:
    """One server for all tests of this file."""
    with ModelStub() as running:
        yield running


@pytest.fixture(scope="module")
def local(open_server: ModelStub, tmp_path_factory: pytest.TempPathFactory) -> Generator[Pipeline]:
    """A service whose OpenAI is that server."""
    settings: dict[str, Json] = {"openai_base_url": open_server.base_url, "openai_api_key": GOOD_KEY}
    with pipeline(tmp_path_factory.mktemp("home"), openai_models=MODELS, **settings) as running:
        yield running


@pytest.fixture
def openai(open_server: ModelStub) -> ModelStub:
    """The server without memory of the test before."""
    open_server.reset()
    return open_server


def scan_page() -> bytes:
    """A picture without words."""
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize((600, 800)).convert("RGB").save(buffer, "JPEG")
    return buffer.getvalue()


@pytest.mark.parametrize("stream", [False, True])
def test_a_real_model_fills_a_record_whose_values_have_boxes(tmp_path: Path, stream: bool) -> None:
    """The page is read, laid out, asked about, answered by the model, and its values found on the page."""
    schema = {"type": "object", "properties": {name: SCHEMA["properties"][name] for name in ASKED}}
    traits = {"context_tokens": CONTEXT_TOKENS, "stream": stream}
    with (
        small_model() as base_url,
        pipeline(tmp_path, openai_base_url=base_url, openai_models={"*": traits}) as service,
    ):
        job = service.submit(draw_invoice(), schema=schema, model=f"openai_compatible:{MODEL}")
        job = service.finish(job, seconds=PATIENCE_S)
        result = service.result(job)
    assert job.status is JobStatus.SUCCEEDED, result["issues"]
    assert result["model"] == f"openai:{MODEL}"
    assert result["usage"]["completion_tokens"] > 0
    (record,) = result["records"]
    assert set(record["values"]) == set(ASKED)
    right = [name for name in ASKED if record["values"][name] == TRUTH[name]]
    placed = [name for name in right if record["fields"][f"/{name}"]["box_check"] == "match"]
    assert placed, record["values"]
    for name in placed:
        entry = record["fields"][f"/{name}"]
        assert (entry["page"], len(entry["coordinates"])) == (1, 4)


def test_a_sample_goes_out_as_text_and_as_grey_pictures(local: Pipeline, openai: ModelStub) -> None:
    """One request for both pages, in the layout of the page; what comes back is found on the page it stands on."""
    folder = SAMPLES / "invoice"
    schema = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    openai.answers({"invoice_number": "QF-2026-0417", "seller_name": "Quillfox Paperworks Ltd"})
    job = local.run((folder / "document.pdf").read_bytes(), schema=schema, model=SEES)
    assert job.status is JobStatus.SUCCEEDED
    (request,) = openai.requests()
    assert [(p["format"], p["mode"]) for p in request["pictures"]] == [("JPEG", "L")] * 2
    fields = local.result(job)["records"][0]["fields"]
    assert fields["/invoice_number"]["page"] in (1, 2)
    assert fields["/invoice_number"]["box_check"] == "match"
    assert fields["/invoice_number"]["confidence"] == "low"


@pytest.mark.parametrize(("model", "count"), [(SEES, 1), (READS, 0)])
def test_a_page_without_words_is_sent_to_a_model_that_can_look(
    local: Pipeline, openai: ModelStub, model: str, count: int
) -> None:
    """A model that only reads is not asked about it."""
    job = local.run(scan_page(), name="scan.jpg", model=model)
    assert job.status.is_terminal
    assert [[p["mode"] for p in request["pictures"]] for request in openai.requests()] == [["RGB"]] * count


def test_pages_that_are_too_much_at_once_are_asked_for_in_parts(local: Pipeline, openai: ModelStub) -> None:
    """Before the server cuts them silently; every page is asked about."""
    pages = numbered_pdf(16, mark="words " * 60)
    job = local.run(pages, model=SMALL)
    assert job.status is JobStatus.SUCCEEDED
    assert len(openai.requests()) > 1
    assert {row["state"] for row in local.result(job)["coverage"]} == {"extracted"}


def test_an_answer_that_was_cut_asks_for_less(local: Pipeline, openai: ModelStub) -> None:
    """Two pages, then one and one."""
    openai.script("length", "ok", "ok")
    job = local.run(numbered_pdf(2), model=READS)
    assert job.status is JobStatus.SUCCEEDED
    assert len(openai.requests()) == 3


def test_a_wide_schema_is_asked_for_in_groups_and_joined(local: Pipeline, openai: ModelStub) -> None:
    """Twelve fields of a model that takes five."""
    schema = {"type": "object", "properties": {f"field_{n}": {"type": "string"} for n in range(12)}}
    job = local.run(numbered_pdf(1), schema=schema, model="openai:narrow")
    assert job.status is JobStatus.SUCCEEDED
    assert len(openai.requests()) == 3
    (record,) = local.result(job)["records"]
    assert all(record["values"].values())


def test_what_a_filter_holds_back_ends_its_pages_with_a_message(local: Pipeline, openai: ModelStub) -> None:
    """It is not asked again, and nobody crashes; what was merely noticed on the page is not the reason."""
    out = io.BytesIO()
    canvas = Canvas(out)
    canvas.drawString(60, 780, "Seen by everyone")
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(60, 650, "whitewash")
    canvas.save()
    openai.script("filtered")
    job = local.run(out.getvalue(), model=READS)
    assert job.status is JobStatus.FAILED
    assert job.fault is not None
    assert job.fault.code == ErrorCode.CONTENT_FILTERED
    assert "hidden_text" in {issue["code"] for issue in local.result(job)["issues"]}
    assert "content_filter" in json.dumps(local.result(job)["issues"], default=str)
    assert len(openai.requests()) == 1


def test_the_provider_has_its_own_name() -> None:
    """Wiring names it without loading it."""
    from service.clients.openai_compatible.client import PROVIDER

    assert PROVIDER == OPENAI
