"""Halves, the pooled row, tables, the page, and two runs compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from service.domain.errors import ErrorCode, InputError
from service.domain.records import Confidence, Extraction, FieldEntry, Json, Verdict
from service.domain.schema import parse_schema
from service.evaluation.answers import Answer, extraction_of
from service.evaluation.cases import Case
from service.evaluation.difference import Change, EarlierRun, changes_text, compare_runs, read_run
from service.evaluation.page import run_html
from service.evaluation.run import POOLED, Run, measure_set
from service.evaluation.tables import run_text

SCHEMA = parse_schema({"type": "object", "properties": {"a<b": {"type": "string"}, "n": {"type": "number"}}})


def case(number: int) -> Case:
    """One of many documents."""
    return Case(path=Path(f"{number}.pdf"), file=f"{number}.pdf", schema=SCHEMA, truth={"a<b": "x", "n": number})


def answer(*, n: Json, seconds: float = 1.0, confidence: Confidence = Confidence.HIGH) -> Answer:
    """Right in its text, and with a number."""
    fields = {
        path: FieldEntry(value=value, verdict=Verdict.FOUND, confidence=confidence, probability=0.9)
        for path, value in (("/a<b", "x"), ("/n", n))
    }
    extraction = Extraction(values={"a<b": "x", "n": n}, fields=fields, pages=(1, 2), model="m")
    return Answer(extraction=extraction, seconds=seconds)


def make_run(*wrong: int, name: str = "papers") -> Run:
    """Ten documents; the number of those named is wrong."""
    cases = [case(number) for number in range(10)]
    answers = [answer(n=99 if number in wrong else number) for number in range(10)]
    sets = (measure_set(name, cases, answers, seconds=5.0), measure_set("other", cases, answers, seconds=5.0))
    return Run(model="m", engine="1", made_at="2026-01-01T00:00:00+00:00", sets=sets)


def test_halves_are_the_whole_and_share_its_time():
    """No document is in both, none in neither."""
    one = make_run(3).sets[0]
    assert one.development.documents + one.validation.documents == one.whole.documents == 10
    assert 0 < one.development.documents < 10
    assert one.development.seconds + one.validation.seconds == pytest.approx(5.0)
    assert one.whole.pages_per_second == 4.0


def test_the_pooled_row_sums_values_and_documents():
    """Over sets, with what so many values prove."""
    run = make_run(3)
    pooled = run.pooled.whole
    assert (pooled.total.present, pooled.total.right, pooled.documents) == (40, 38, 20)
    assert (pooled.straight_through, pooled.straight_through_wrong) == (20, 2)
    assert pooled.straight_through_share == 1.0
    assert pooled.straight_through_error == 0.1
    single = run.sets[0].whole.high_lower_bound
    assert single is not None
    assert pooled.high_lower_bound is not None
    assert single < pooled.high_lower_bound < 38 / 40
    assert sum(point.count for point in pooled.curve) == 40


def test_only_critical_fields_hold_a_document_back_where_the_schema_names_them():
    """A doubt about another field, or its error, counts among the single fields alone."""
    schema = parse_schema({**SCHEMA.source, "x-review": {"critical": ["/n"]}})
    cases = [replace(case(number), schema=schema) for number in range(4)]
    given = [answer(n=0), answer(n=1), answer(n=7), answer(n=3, confidence=Confidence.LOW)]
    doubtful = given[1].extraction
    assert doubtful is not None
    low = replace(doubtful.fields["/a<b"], value="y", confidence=Confidence.LOW)
    fields = {**doubtful.fields, "/a<b": low}
    given[1] = Answer(extraction=replace(doubtful, values={"a<b": "y", "n": 1}, fields=fields))
    report = measure_set("papers", cases, given, seconds=1.0).whole
    assert (report.straight_through, report.straight_through_wrong) == (2, 1)
    assert (report.critical, report.critical_through, report.critical_through_wrong) == (4, 3, 1)
    assert make_run().sets[0].whole.critical == 0


def test_a_document_passes_when_its_critical_values_are_sure_together_and_none_is_unreadable():
    """Two of 0.9 are 0.81; a field that is empty though the document speaks of it is a doubt."""
    for sure, through in ((0.8, 1), (0.85, 0)):
        wanted: Json = {"critical": ["/a<b", "/n"], "sure": sure}
        schema = parse_schema({**SCHEMA.source, "x-review": wanted})
        one = replace(case(0), schema=schema)
        assert measure_set("papers", [one], [answer(n=0)], seconds=1.0).whole.critical_through == through
    given = answer(n=0).extraction
    assert given is not None
    missing = FieldEntry(value=None, verdict=Verdict.UNREADABLE, confidence=Confidence.LOW)
    open_ = replace(given, values={"a<b": "x", "n": None}, fields={**given.fields, "/n": missing})
    assert measure_set("papers", [case(0)], [Answer(extraction=open_)], seconds=1.0).whole.straight_through == 0


def test_a_value_without_a_place_is_read_from_a_result():
    """As the service writes one that is empty though the document speaks of it."""
    told: Json = {"value": None, "verdict": "unreadable", "confidence": "low", "page": None, "coordinates": []}
    found = extraction_of({"model": "m", "records": [{"values": {"n": None}, "fields": {"/n": told}, "pages": [1]}]})
    assert found is not None
    assert found.fields["/n"].location is None


def test_the_tables_name_sets_halves_fields_and_what_has_no_answer():
    """Everything a reader asks for first."""
    cases = [case(number) for number in range(12)]
    given = [Answer(extraction=None, code="damaged_file")] * 12
    one = measure_set("papers", cases, given, seconds=0.0)
    said = run_text(Run(model="m", engine="1", made_at="now", sets=(one,)))
    assert "no answer: 0.pdf [damaged_file]" in said
    assert "and 2 further ones" in said
    assert POOLED not in said  # a single set has no pooled row
    whole = run_text(make_run())
    for word in ("papers", "development", "validation", "a<b", POOLED):
        assert word in whole


def test_the_page_shows_names_as_text_and_the_curve():
    """A field's name is never markup."""
    page = run_html(make_run(3))
    assert "a&lt;b" in page
    assert "a<b" not in page
    assert page.count("<svg") == 3
    assert "38 of 40 right" in page


def test_only_what_moved_is_shown_of_the_fields(tmp_path: Path):
    """Sums always, a field if a figure moved, a set if both runs have it."""
    path = tmp_path / "before.json"
    path.write_text(json.dumps(make_run(3, 4, name="gone").to_json()), encoding="utf-8")
    changes = compare_runs(read_run(path), make_run(3))
    assert {change.set_name for change in changes} == {"other"}
    assert {change.field for change in changes} == {"*", "n"}
    moved = next(change for change in changes if change.field == "n")
    assert (moved.f1_before, moved.f1_now) == (0.8, 0.9)
    assert "+0.100" in changes_text(read_run(path), changes)


@pytest.mark.parametrize("now", [0.80004, 0.79996])
def test_what_did_not_move_has_no_sign_of_its_own(now: float):
    """A run keeps four decimals, so the next one is a hair above or below."""
    moved = Change(set_name="a", part="all", field="all", f1_before=0.8, f1_now=now, high_before=None, high_now=None)
    assert "+0.000" in changes_text(EarlierRun(sets={}), (moved,))


@pytest.mark.parametrize(("content", "code"), [("{}", ErrorCode.INVALID_REQUEST), (None, ErrorCode.NO_FILE)])
def test_a_file_that_is_no_run_is_refused_by_name(tmp_path: Path, content: str | None, code: ErrorCode):
    """With what would make one."""
    path = tmp_path / "run.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"run\.json") as caught:
        read_run(path)
    assert caught.value.code is code


def test_a_result_is_decoded_with_places_and_without():
    """The first record; a result without records is none."""
    corners = [{"x": 0.1, "y": 0.1}, {"x": 0.2, "y": 0.1}, {"x": 0.2, "y": 0.2}, {"x": 0.1, "y": 0.2}]
    fields: Json = {
        "/n": {"value": 1, "verdict": "found", "confidence": "high", "page": 2, "coordinates": corners, "raw": "1"},
        "/m": {"value": None, "verdict": "absent", "confidence": "low", "page": None, "coordinates": None},
    }
    record: Json = {"values": {"n": 1, "m": None}, "fields": fields, "pages": [1, 2]}
    found = extraction_of({"model": "m", "records": [record]})
    assert found is not None
    assert found.fields["/n"].location is not None
    assert (found.fields["/n"].location.page, found.fields["/n"].location.coordinates[2].x) == (2, 0.2)
    assert found.fields["/m"].location is None
    assert (found.pages, found.model) == ((1, 2), "m")
    assert extraction_of({"records": []}) is None
