"""Tables as grids of texts, without rules: what is one, what is none, and which lines are one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service.domain.pages import PageText
from service.domain.records import Confidence, JsonObject, Verdict
from service.domain.schema import parse_schema
from service.embedded.model import EmbeddedModel
from tests.unit.embedded.laid_out import page, rows

GRID: JsonObject = {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
X = (40, 220, 320, 420)
LOOMS = (("Loom", "Ells", "Days"), ("First", "120", "9"), ("Second", "84", "11"), ("Third", "97", "10"))


def tables_of(*pages: PageText) -> list[Any]:
    """Every table with its title and rows."""
    properties: JsonObject = {"caption": {"type": "string"}, "cells": GRID}
    items: JsonObject = {"type": "object", "properties": properties}
    schema = parse_schema({"type": "object", "properties": {"tables": {"type": "array", "items": items}}})
    found = EmbeddedModel().extract(schema, pages).values["tables"]
    assert isinstance(found, list)
    return found


def lists(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    """As JSON has them."""
    return [list(row) for row in cells]


def test_a_table_brings_the_line_above_it_as_its_title() -> None:
    """The text elsewhere on the page is no part of it."""
    text = [(40, 60, "What was woven"), (40, 300, "All of it was sold at the fair in the week after Easter.")]
    found = tables_of(page([*text, *rows(X, 80, 16, LOOMS)]))
    assert found == [{"caption": "What was woven", "cells": lists(LOOMS)}]


def test_lines_of_a_cell_that_wraps_are_joined() -> None:
    """Text alone under a full row goes on with it."""
    wrapped = [(40, 80, "Loom"), (220, 80, "Ells"), (320, 80, "Days")]
    wrapped += rows(X, 100, 24, (("The great loom", "120", "9"), ("The small", "84", "11"), ("Third", "97", "10")))
    wrapped += [(40, 112, "by the window")]
    found = tables_of(page(wrapped))
    assert found[0]["cells"][1] == ["The great loom by the window", "120", "9"]


def test_a_table_that_goes_on_beside_itself_is_one_a_part() -> None:
    """Each part has the header again."""
    halves = [(*left, *right) for left, right in zip(LOOMS, LOOMS[:1] + LOOMS[:0:-1], strict=True)]
    found = tables_of(page(rows((40, 120, 180, 300, 380, 440), 80, 16, halves)))
    assert [table["cells"] for table in found] == [lists(LOOMS), lists(LOOMS[:1] + LOOMS[:0:-1])]


def test_text_is_no_table() -> None:
    """Neither in one column nor in two, nor labels with values of their own."""
    prose = "the river rose in the night and stood at the mill"
    columns = [(x, 80.0 + 14 * n, prose) for n in range(12) for x in (30, 310)]
    assert tables_of(page(columns)) == []
    assert tables_of(page([(40, 80, "Dear reader"), (40, 100, prose), (40, 114, prose)])) == []


def test_each_page_has_its_own_part() -> None:
    """The pages in order."""
    found = tables_of(page(rows(X, 80, 16, LOOMS)), page(rows(X, 80, 16, LOOMS[::-1]), number=2))
    assert [table["cells"] for table in found] == [lists(LOOMS), lists(LOOMS[::-1])]


def test_cells_are_never_high_and_empty_ones_are_absent() -> None:
    """An empty cell is an empty text in its column."""
    schema = parse_schema({"type": "object", "properties": {"stock": GRID}})
    gaps = (*LOOMS, ("Fourth", "", "3"))
    found = EmbeddedModel().extract(schema, [page(rows(X, 80, 16, gaps))])
    assert found.values == {"stock": lists(gaps)}
    assert found.fields["/stock/4/1"].verdict is Verdict.ABSENT
    assert found.fields["/stock/4/2"].location
    assert {entry.confidence for entry in found.fields.values()} == {Confidence.LOW}
