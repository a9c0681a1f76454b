"""A model's own boxes are checked, and a yes or no needs evidence of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.domain.geometry import Box, Point, quad_box, union_box
from service.domain.pages import CheckMark, PageSize, PageText, TextSource
from service.domain.records import BoxCheck, Confidence, FieldEntry, Origin, Scalar
from service.extraction.grounding.ground import ground
from tests.unit.extraction.answers import extraction_of, schema_of
from tests.unit.extraction.grounding.grounded import assert_at, box_of, found, grounded
from tests.unit.extraction.printed_pages import LINE, line_box, page_of


def located(value: Scalar, box: Box, *lines: str, kind: str = "string") -> FieldEntry:
    """The entry of a value for which the model gave a box on a page of these lines."""
    schema = schema_of(field=kind)
    given = extraction_of({"field": value}, (1,), {"/field": (1, box)})
    return ground(given, schema, {1: page_of(*lines)}).fields["/field"]


def test_a_right_box_of_the_model_stays() -> None:
    """It is checked and called a match; its printed text is added."""
    box = line_box(1, 4, 9)
    entry = located("Alpha", box, "Alpha one", "two Alpha")
    assert (entry.box_check, entry.origin, entry.confidence) == (BoxCheck.MATCH, Origin.MODEL, Confidence.HIGH)
    assert entry.raw == "Alpha"
    assert entry.location is not None
    assert entry.location.coordinates == box.quad()


def test_a_box_around_the_whole_table_is_narrowed_to_the_value() -> None:
    """Vendors give every cell the box of its table."""
    entry = located(7.25, Box(0, 0, 1, 1), "Item 3.50", "Item 7.25", kind="number")
    assert_at(entry, 1, 5, 9)
    assert (entry.box_check, entry.origin) == (BoxCheck.MATCH, Origin.GROUNDED)


def test_a_wrong_box_is_replaced_by_the_place_of_the_words() -> None:
    """The text under the box is another one."""
    entry = located("Alpha", line_box(0, 0, 4), "Beta", "", "Alpha")
    assert_at(entry, 2, 0, 5)
    assert (entry.box_check, entry.origin) == (BoxCheck.MATCH, Origin.GROUNDED)


def test_a_box_over_other_words_is_told_and_not_sure() -> None:
    """The value stands nowhere: the model's place is kept for the reviewer, with the verdict of the check."""
    entry = located("Alpha", line_box(0, 0, 4), "Beta", "Gamma")
    assert (entry.box_check, entry.confidence) == (BoxCheck.NONE, Confidence.LOW)
    assert entry.location is not None


def test_a_box_over_a_misread_word_is_partly_right() -> None:
    """The place is right, the reading is not."""
    entry = located("Rotterdam", line_box(0, 0, 9), "Rotterdarn")
    assert (entry.box_check, entry.confidence) == (BoxCheck.PARTIAL, Confidence.LOW)


def with_mark(checked: bool, value: bool, *, located_: bool = True, label: str = "signed") -> FieldEntry:
    """The entry of a yes or no over a check box."""
    box = line_box(0, 0, 2)
    page = page_of(f"    {label}   2026-01-01")
    page = PageText(size=page.size, source=page.source, words=page.words, marks=(CheckMark(box, checked),))
    given = extraction_of({"signed": value}, (1,), {"/signed": (1, box)} if located_ else None)
    return ground(given, schema_of(signed="boolean"), {1: page}).fields["/signed"]


def test_a_yes_or_no_needs_evidence_of_its_own() -> None:
    """A date beside it proves nothing: only its own place, and a check box there agrees or not."""
    assert with_mark(True, True).box_check is BoxCheck.MATCH
    assert with_mark(True, True).confidence is Confidence.HIGH
    assert (with_mark(False, True).box_check, with_mark(False, True).confidence) == (BoxCheck.NONE, Confidence.LOW)


def test_a_yes_or_no_without_a_place_is_that_of_the_check_box_with_its_label() -> None:
    """It is sure only where the box shows the same; a box with another label says nothing."""
    found_ = with_mark(True, True, located_=False)
    assert (found_.box_check, found_.confidence, found_.origin) == (BoxCheck.MATCH, Confidence.HIGH, Origin.GROUNDED)
    assert_at(found_, 0, 0, 2)
    other = with_mark(False, True, located_=False)
    assert (other.box_check, other.confidence) == (BoxCheck.NONE, Confidence.LOW)
    foreign = with_mark(True, True, located_=False, label="delivered")
    assert (foreign.location, foreign.confidence) == (None, Confidence.LOW)


def test_each_of_several_yes_or_no_fields_has_a_check_box_of_its_own() -> None:
    """Labels stand on either side; the description names them."""
    line = "    Partnership        Trust/estate        C Corporation"
    boxes = [line_box(0, at, at + 2) for at in (0, 19, 39)]
    page = replace(page_of(line), marks=tuple(CheckMark(box, n == 1) for n, box in enumerate(boxes)))
    told = {"corp": "C Corporation", "trust": "Trust/estate", "partners": "Partnership"}
    schema = schema_of(**{n: {"type": "boolean", "description": f"Whether '{t}' is ticked."} for n, t in told.items()})
    fields = grounded({"corp": False, "trust": True, "partners": False}, schema, page)
    assert {entry.box_check for entry in fields.values()} == {BoxCheck.MATCH}
    assert [box_of(fields[f"/{name}"]).x0 for name in ("partners", "trust", "corp")] == [box.x0 for box in boxes]


@pytest.mark.parametrize(
    ("line", "page", "confidence"),
    [(0, 1, Confidence.HIGH), (1, 1, Confidence.LOW), (0, 2, Confidence.LOW)],
    ids=["over words", "over nothing", "on a page without words"],
)
def test_a_yes_or_no_is_sure_only_where_something_is_printed(line: int, page: int, confidence: Confidence) -> None:
    """Without a check box its words are the evidence; an empty place is none."""
    blank = PageText(size=PageSize(2, 100, 140), source=TextSource.OCR)
    given = extraction_of({"signed": True}, (1, 2), {"/signed": (page, line_box(line, 0, 6))})
    entry = ground(given, schema_of(signed="boolean"), {1: page_of("signed", ""), 2: blank}).fields["/signed"]
    assert entry.confidence is confidence


def test_word_boxes_lie_inside_the_value_s_box() -> None:
    """One polygon a word, clockwise from the top-left corner, and the box around them all."""
    entry = found("Blue Door Ltd", "string", "by Blue Door Ltd")
    assert entry.location is not None
    words = [quad_box(quad) for quad in entry.location.word_coordinates]
    assert len(words) == 3
    assert union_box(words) == box_of(entry)
    assert entry.location.coordinates[0] == Point(round(0.03, 4), round(2 * LINE, 4))
