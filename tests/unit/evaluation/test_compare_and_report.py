"""Evaluation counts what a reader of the report would count by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.domain.errors import ErrorCode, InputError
from service.domain.geometry import Box
from service.domain.records import Confidence, Extraction, FieldEntry, Location, Verdict
from service.domain.schema import FieldType, SchemaField
from service.evaluation.answers import Answer
from service.evaluation.cases import load_cases
from service.evaluation.compare import align_rows, boxes_meet, is_same
from service.evaluation.report import measure, reliability, wilson_lower

SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "total": {"type": "number"},
        "due": {"type": "string", "format": "date"},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"text": {"type": "string"}, "amount": {"type": "number"}}},
        },
    },
}


def leaf(kind: FieldType, fmt: str | None = None) -> SchemaField:
    """A field of one type."""
    return SchemaField(name="x", type=kind, format=fmt)


@pytest.mark.parametrize(
    ("field", "want", "got", "same"),
    [
        (leaf(FieldType.STRING), "INV-7", "inv 7", True),
        (leaf(FieldType.STRING), "INV-7", "INV-8", False),
        (leaf(FieldType.NUMBER), 12.5, 12.504, True),
        (leaf(FieldType.NUMBER), 12.5, 12.51, False),
        (leaf(FieldType.NUMBER), 12.5, "12.50", True),
        (leaf(FieldType.NUMBER), 1, True, False),
        (leaf(FieldType.BOOLEAN), True, True, True),
        (leaf(FieldType.BOOLEAN), True, 1, False),
        (leaf(FieldType.STRING, "date"), "2026-01-02", "2026-01-02T00:00:00", True),
        (leaf(FieldType.STRING, "date"), "2026-01-02", "2026-02-01", False),
    ],
)
def test_values_are_the_same_by_their_type(field: SchemaField, want: object, got: object, same: bool) -> None:
    """Text by letters and digits, numbers to half a cent, dates as dates, booleans as booleans."""
    assert is_same(field, want, got) is same


def test_a_missing_row_does_not_shift_the_others() -> None:
    """Rows pair in order so that the most cells agree."""
    item = SchemaField(
        name="lines",
        type=FieldType.OBJECT,
        properties=(SchemaField(name="t", type=FieldType.STRING),),
    )
    want = [{"t": "a"}, {"t": "b"}, {"t": "c"}]
    assert align_rows(item, want, [{"t": "a"}, {"t": "c"}]) == [(0, 0), (1, None), (2, 1)]


def test_boxes_meet_when_each_holds_the_middle_of_the_other() -> None:
    """A tight box inside a loose one of the same middle is the same place; a neighbour is not."""
    assert boxes_meet(Box(0.1, 0.1, 0.3, 0.12), Box(0.05, 0.09, 0.35, 0.13))
    assert not boxes_meet(Box(0.1, 0.1, 0.3, 0.12), Box(0.4, 0.1, 0.6, 0.12))


def write_set(folder: Path, **more: object) -> Path:
    """A set of one document."""
    row = {
        "file": "docs/a.pdf",
        "schema": SCHEMA,
        "truth": {"number": "INV-7", "total": 10.0, "lines": [{"text": "Chair", "amount": 10.0}]},
        "absent": ["due"],
        "boxes": {"total": {"page": 1, "bbox": [0.5, 0.5, 0.6, 0.52]}},
        **more,
    }
    (folder / "truth.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return folder


def entry(value: object, confidence: Confidence = Confidence.LOW, box: Box | None = None) -> FieldEntry:
    """An entry as a model gives it."""
    location = Location(1, box.quad(), (box.quad(),)) if box else None
    return FieldEntry(
        value=value, verdict=Verdict.FOUND, confidence=confidence, probability=0.9, location=location
    )  # fmt: skip


def extraction(**values: object) -> Extraction:
    """An answer for that document."""
    fields = {
        "/number": entry(values.get("number"), Confidence.HIGH),
        "/total": entry(values.get("total"), Confidence.HIGH, Box(0.5, 0.5, 0.6, 0.52)),
        "/due": entry(values.get("due")),
        "/lines/0/text": entry("Chair"),
        "/lines/0/amount": entry(11.0),
    }
    return Extraction(values=values, fields=fields, pages=(1,))


def test_report_counts_right_wrong_absent_and_places(tmp_path: Path) -> None:
    """Every figure of one small document, by hand."""
    cases = load_cases(write_set(tmp_path))
    found = extraction(number="INV-7", total=10.0, due="2026-01-01", lines=[{"text": "Chair", "amount": 11.0}])
    report = measure(cases, [Answer(extraction=found)], seconds=2.0)
    total = report.fields["*"]
    assert (total.present, total.filled, total.right) == (4, 4, 3)
    assert (total.absent, total.false_fill) == (1, 1)
    assert (total.high, total.high_right) == (2, 2)
    assert (total.boxed, total.box_hit) == (1, 1)
    assert report.fields["lines[].amount"].right == 0
    assert report.pages_per_second == 0.5
    assert report.to_json()["documents"] == 1


def test_a_document_that_cannot_be_extracted_counts_as_empty(tmp_path: Path) -> None:
    """Nothing is skipped silently: its values are missing and it is not among the answered."""
    report = measure(load_cases(write_set(tmp_path)), [Answer(extraction=None, code="damaged_file")], seconds=1.0)
    assert (report.documents, report.answered) == (1, 0)
    assert report.failed == (("docs/a.pdf", "damaged_file"),)
    assert report.fields["*"].recall == 0.0


def test_weak_fields_are_not_scored(tmp_path: Path) -> None:
    """A field whose truth is weak leaves no trace in the figures."""
    cases = load_cases(write_set(tmp_path, weak_fields=["number"]))
    report = measure(cases, [Answer(extraction=extraction(number="x", total=10.0))], seconds=1.0)
    assert "number" not in report.fields


def test_a_folder_without_truth_says_so(tmp_path: Path) -> None:
    """The error names the file that is missing."""
    with pytest.raises(InputError, match=r"truth\.jsonl") as caught:
        load_cases(tmp_path)
    assert caught.value.code is ErrorCode.NO_FILE


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    """The error names the line."""
    (tmp_path / "truth.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError, match="Line 1"):
        load_cases(tmp_path)


def test_reliability_counts_each_value_once() -> None:
    """The bands of probability cover 0 to 1 without overlap."""
    points = [(0.0, False), (0.5, True), (0.985, True), (1.0, True)]
    curve = reliability(points)
    assert sum(p.count for p in curve) == len(points)
    assert sum(p.right for p in curve) == 3


def test_lower_bound_is_below_the_share() -> None:
    """Few values prove little."""
    few, many = wilson_lower(10, 10), wilson_lower(1000, 1000)
    assert few is not None
    assert many is not None
    assert few < 0.8 < 0.99 < many
    assert wilson_lower(0, 0) is None


def test_other_places_may_be_given_as_boxes_of_the_same_page(tmp_path: Path) -> None:
    """Some sets write the page once."""
    node = {
        "page": 2,
        "bbox": [0.1, 0.1, 0.2, 0.2],
        "alternatives": [[0.5, 0.5, 0.6, 0.6], {"page": 3, "bbox": [0, 0, 1, 1]}],
    }
    row = {"file": "a.pdf", "schema": SCHEMA, "truth": {}, "boxes": {"total": node}}
    (tmp_path / "truth.jsonl").write_text(json.dumps(row) + "\n")
    (case,) = load_cases(tmp_path)
    assert [(place.page, place.box.x0) for place in case.places["/total"]] == [(2, 0.1), (2, 0.5), (3, 0.0)]
