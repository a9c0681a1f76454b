"""Whole tables, cell by cell, from a PDF to the result, its files and its corrections."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from service.domain.jobs import JobStatus
from tests.fakes.drawn_tables import GRIDS, OPEN, OPEN_SPANNING, RULED, draw_tables
from tests.fakes.pipeline import Pipeline

Json = Any
EMBEDDED = "embedded"


def record(service: Pipeline, schema: Json, **more: Json) -> Json:
    """The one record of the drawn tables."""
    job = service.run(draw_tables(), schema=schema, model=EMBEDDED, **more)
    result = service.result(job)
    assert job.status is JobStatus.SUCCEEDED, result["issues"]
    (one,) = result["records"]
    return one


@pytest.mark.parametrize("pages_per_chunk", [None, 1])
def test_every_table_comes_with_its_page_and_all_its_cells(service: Pipeline, pages_per_chunk: int | None) -> None:
    """However the document is cut into splits, in reading order."""
    one = record(service, GRIDS, pages_per_chunk=pages_per_chunk)
    assert one["values"]["tables"] == [
        {"page": 1, "rows": RULED},
        {"page": 1, "rows": OPEN},
        {"page": 2, "rows": OPEN_SPANNING},
    ]


def test_every_cell_has_an_entry_and_those_with_words_a_box(service: Pipeline) -> None:
    """Empty cells keep their place in the row."""
    one = record(service, GRIDS)
    for t, table in enumerate(one["values"]["tables"]):
        for r, row in enumerate(table["rows"]):
            for c, text in enumerate(row):
                entry = one["fields"][f"/tables/{t}/rows/{r}/{c}"]
                assert entry["value"] == text
                assert bool(entry.get("page")) == bool(text)
                assert not text or entry["page"] == table["page"]


def test_a_lone_grid_is_the_table_its_field_speaks_of(service: Pipeline) -> None:
    """Named by its header or its title."""
    rows: Json = {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
    schema: Json = {
        "type": "object",
        "properties": {
            "flour_sold": {**rows, "description": "What each mill sold"},
            "vessels": {**rows, "description": "Every vessel and its cargo"},
        },
    }
    values = record(service, schema)["values"]
    assert values == {"flour_sold": OPEN_SPANNING, "vessels": OPEN}


def test_cells_of_a_grid_of_numbers_are_numbers(service: Pipeline) -> None:
    """Text among them is null and keeps its place."""
    schema = copy.deepcopy(GRIDS)
    schema["properties"]["tables"]["items"]["properties"]["rows"]["items"]["items"] = {"type": "number"}
    tables = record(service, schema)["values"]["tables"]
    assert tables[1]["rows"] == [[None, None, 1200, 14], [None, None, 310, 6], [None, None, 95, 3], [None, None, 44, 9]]


def test_an_empty_cell_is_no_reason_for_a_review(service: Pipeline) -> None:
    """The cells with words are, as none of a table is ever sure."""
    result = service.result(service.run(draw_tables(), schema=GRIDS, model=EMBEDDED))
    reasons = str(result["review"])
    assert "/tables/0/rows/1/0" in reasons
    assert "/tables/0/rows/0/0" not in reasons
