"""Tables over many pages: every row, in order, none twice, through the embedded model and through an outside one.

The outside model is the rehearsal server, which answers for each request what stands in the words it was sent: a row of
two lines that the page's edge cuts comes as two rows, as from real models.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import replace

import pytest

from service.domain.jobs import JobStatus
from tests.fakes.long_tables import SCHEMA, LongTable, draw_table, truth_of
from tests.fakes.model_stub import GOOD_KEY, ModelStub
from tests.fakes.pipeline import Pipeline, pipeline

OUTSIDE = "openai:outside"
MODELS = {"*": {"context_tokens": 400_000, "max_output_tokens": 100_000}}
_DAY, _AMOUNT = r"\d{4}-\d\d-\d\d", r"[\d,]*\d\.\d\d"
PATTERNS = {
    # A row, with its second line if it has one on this page; or a second line whose first one is on the page before.
    "entries": rf"^ *(?P<date>{_DAY}) +(?P<description>[A-Z][^\n]*?)(?:  +(?P<amount>{_AMOUNT}))?"
    rf"(?:\n {{6,}}(?P<description2>[a-z][^\n]*?)(?:  +(?P<amount2>{_AMOUNT}))?)?$"
    rf"|^ *(?P<description3>[a-z][^\n]*? note)(?:  +(?P<amount3>{_AMOUNT}))?$",
}
LAYOUTS = [
    LongTable(rows=30, repeated_headers=headers, carried=carried, amount_behind=behind)
    for headers, carried, behind in itertools.product((True, False), repeat=3)
]
CHUNKS = (1, 5, 10)
PATIENCE_S = 700.0


@pytest.fixture(scope="module")
def stub() -> Iterator[ModelStub]:
    """A model that reads every row of the words it is sent."""
    with ModelStub() as running:
        running.patterns(**PATTERNS)
        yield running


@pytest.fixture(scope="module")
def service(stub: ModelStub, tmp_path_factory: pytest.TempPathFactory) -> Generator[Pipeline]:
    """A service with both models."""
    settings = {"openai_base_url": stub.base_url, "openai_api_key": GOOD_KEY, "openai_models": MODELS}
    with pipeline(tmp_path_factory.mktemp("home"), **settings) as running:
        yield running


def check(service: Pipeline, table: LongTable, model: str, pages_per_chunk: int | None = None) -> None:
    """Every row of the table is in the record, in order, each with a box of its own; the rows' balance is even."""
    truth = truth_of(table)
    job = service.submit(draw_table(table), schema=SCHEMA, model=model, pages_per_chunk=pages_per_chunk)
    job = service.finish(job, seconds=PATIENCE_S)
    result = service.result(job)
    assert job.status is JobStatus.SUCCEEDED, result["issues"]
    (record,) = result["records"]
    assert record["values"]["entries"] == truth
    fields = record["fields"]
    places = [
        (f["page"], str(f["word_coordinates"])) for n in range(len(truth)) if (f := fields[f"/entries/{n}/amount"])
    ]
    assert len(set(places)) == len(truth)
    assert [page for page, _ in places] == sorted(page for page, _ in places)
    removed = Counter(issue["code"] for issue in result["issues"] if issue["stage"] == "merge")
    assert set(removed) <= {"row_continued"}
    assert sum(split["rows_out"] for split in result["splits"]) == len(truth)
    assert sum(split["rows_in"] for split in result["splits"]) == len(truth) + removed["row_continued"]
    assert {page for split in result["splits"] for page in split["pages"]} == set(range(1, len(result["coverage"]) + 1))


def test_the_tables_hold_what_makes_them_hard() -> None:
    """True duplicates, rows of two lines, and some of them cut by a page's edge."""
    rows = truth_of(LongTable(rows=300))
    assert sum(a == b for a, b in itertools.pairwise(rows)) > 10
    assert sum(row["description"].endswith("note") for row in rows) > 10


@pytest.mark.parametrize("pages", CHUNKS)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_thirty_rows_through_an_outside_model(service: Pipeline, layout: LongTable, pages: int) -> None:
    """One page or two."""
    check(service, layout, OUTSIDE, pages)


@pytest.mark.parametrize(("layout", "pages"), list(zip(LAYOUTS, itertools.cycle(CHUNKS), strict=False)), ids=str)
def test_three_hundred_rows_through_an_outside_model(service: Pipeline, layout: LongTable, pages: int) -> None:
    """Eight pages, in chunks of one, five and ten."""
    check(service, replace(layout, rows=300, seed=1), OUTSIDE, pages)


@pytest.mark.parametrize(("layout", "pages"), list(zip(LAYOUTS[::3], CHUNKS, strict=True)), ids=str)
def test_two_thousand_rows_through_an_outside_model(service: Pipeline, layout: LongTable, pages: int) -> None:
    """Fifty pages."""
    check(service, replace(layout, rows=2_000, seed=3), OUTSIDE, pages)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_thirty_rows_through_the_embedded_model(service: Pipeline, layout: LongTable) -> None:
    """One page or two."""
    check(service, layout, "embedded")


@pytest.mark.parametrize("layout", LAYOUTS[::2], ids=str)
def test_three_hundred_rows_through_the_embedded_model(service: Pipeline, layout: LongTable) -> None:
    """Eight pages."""
    check(service, replace(layout, rows=300, seed=1), "embedded")


def test_two_thousand_rows_through_the_embedded_model(service: Pipeline) -> None:
    """Fifty pages, without any header after the first."""
    check(service, LongTable(rows=2_000, repeated_headers=False, amount_behind=True, seed=3), "embedded")


def test_the_embedded_model_reads_whole_documents_whatever_is_asked_for(service: Pipeline) -> None:
    """And says so: a page alone does not tell its columns."""
    job = service.run(draw_table(LongTable(rows=100)), schema=SCHEMA, model="embedded", pages_per_chunk=1)
    result = service.result(job)
    assert [issue["code"] for issue in result["issues"]] == ["pages_per_chunk_not_honoured"]
    assert len(result["splits"]) == 1
    assert result["records"][0]["values"]["entries"] == truth_of(LongTable(rows=100))
