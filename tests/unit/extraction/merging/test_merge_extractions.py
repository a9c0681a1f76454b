"""Extractions of one document become one record, and every row is accounted for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.geometry import Box
from service.domain.records import (
    BoxCheck,
    Confidence,
    Extraction,
    FieldEntry,
    JsonObject,
    Record,
    Scalar,
    Verdict,
)
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, walk_leaves
from service.extraction.merging.merge import Merged, merge
from service.extraction.schema.closing import takes_last
from service.extraction.schema.narrow import narrow_schema
from service.extraction.schema.shape import blank_extraction
from tests.unit.extraction.answers import extraction_of, schema_of
from tests.unit.extraction.strategies import extractions, schemas

LINES = schema_of(lines=[{"day": {"type": "string", "format": "date"}, "text": "string", "amount": "number"}])


def merged(schema: ExtractionSchema, *given_: Extraction) -> Merged:
    """The merge of extractions as the only document."""
    return merge(given_, schema, index=0, record_id="rec_1")


def record(schema: ExtractionSchema, *given_: Extraction) -> Record:
    """The merged record."""
    return merged(schema, *given_).record


def at(y: float, page: int = 1, x: float = 0.1) -> tuple[int, Box]:
    """A place of one line."""
    return page, Box(x, y, x + 0.1, y + 0.01)


def entry(value: Scalar, **keys: object) -> FieldEntry:
    """A found value."""
    return replace(FieldEntry(value=value, verdict=Verdict.FOUND, confidence=Confidence.LOW), **keys)


def scalars(schema: ExtractionSchema, *entries: FieldEntry) -> Record:
    """The record of splits that each give one entry for `/field`, a page each."""
    name = schema.root.properties[0].name
    return record(
        schema,
        *(
            Extraction(values={name: e.value}, fields={f"/{name}": e}, pages=(page,))
            for page, e in enumerate(entries, 1)
        ),
    )


@pytest.mark.parametrize(
    ("first", "second", "kept", "rule"),
    [
        (entry("A", confidence=Confidence.HIGH), entry("B", box_check=BoxCheck.MATCH), "B", "grounded"),
        (entry("A"), entry("B", confidence=Confidence.HIGH), "B", "confidence"),
        (entry("A", box_check=BoxCheck.NONE), entry("B", box_check=BoxCheck.PARTIAL), "B", "grounded"),
        (entry("A"), entry("B"), "A", "first"),
    ],
)
def test_of_two_answers_the_better_one_stays_and_the_other_is_told(
    first: FieldEntry, second: FieldEntry, kept: str, rule: str
) -> None:
    """Grounded, then sure, then first: the loser is in `conflicts` with the rule that decided."""
    result = scalars(schema_of(field="string"), first, second)
    assert result.values == {"field": kept}
    assert [(c.kept.value, c.other.value, c.rule) for c in result.conflicts] == [(kept, "AB".replace(kept, ""), rule)]


def test_the_answer_of_most_splits_wins_among_equals() -> None:
    """Two splits that agree outvote an earlier one."""
    result = scalars(schema_of(field="string"), entry("A"), entry("B"), entry("b "))
    assert result.values == {"field": "B"}
    assert [c.rule for c in result.conflicts] == ["agreement"]


def test_equal_numbers_of_other_types_are_no_conflict() -> None:
    """12 and 12.0 are the same amount."""
    assert scalars(schema_of(field="number"), entry(12), entry(12.0)).conflicts == ()


@pytest.mark.parametrize(
    ("name", "kind", "description", "last"),
    [
        ("total", "number", "", True), ("closing_balance", "number", "", True), ("amountDue", "number", "", True),
        ("Gesamtbetrag", "number", "", True), ("betrag", "number", "Endsaldo laut Auszug", True),
        ("montant_total", "number", "", True), ("총액", "integer", "", True), ("合計", "number", "", True),
        ("opening_balance", "number", "", False), ("total", "string", "", True), ("tax_rate", "number", "", False),
        ("invoice_number", "string", "Number beside the total", False), ("saldo_inicial", "number", "", False),
    ],
)  # fmt: skip
def test_totals_and_closing_balances_are_taken_from_the_last_page(
    name: str, kind: str, description: str, last: bool
) -> None:
    """By their names in several languages; `x-merge` overrules."""
    schema = schema_of(**{name: {"type": kind, "description": description}})
    values = ("1", "2") if kind == "string" else (1, 2)
    result = scalars(schema, entry(values[0]), entry(values[1]))
    assert result.values[name] == values[last]
    assert [c.rule for c in result.conflicts] == ["last" if last else "first"]
    field = schema.root.properties[0]
    assert takes_last(replace(field, merge="first")) is False
    assert takes_last(replace(field, merge="last")) is True


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        ((Verdict.ABSENT, Verdict.UNREADABLE), Verdict.UNREADABLE),
        ((Verdict.ABSENT, Verdict.NOT_REACHED), Verdict.NOT_REACHED),
        ((Verdict.ABSENT, Verdict.ABSENT), Verdict.ABSENT),
    ],
)
def test_an_empty_field_says_that_it_may_be_there_after_all(verdicts: tuple[Verdict, ...], verdict: Verdict) -> None:
    """A page that was not read may hold what the others do not."""
    given_ = [entry(None, verdict=v) for v in verdicts]
    assert scalars(schema_of(field="string"), *given_).fields["/field"].verdict is verdict


def coffee(y: float, page: int = 1) -> tuple[JsonObject, tuple[int, Box]]:
    """A row and its place."""
    return {"day": "2026-01-02", "text": "Coffee", "amount": 5.0}, at(y, page)


def rows_of(pages: tuple[int, ...], *rows: tuple[JsonObject, tuple[int, Box] | None]) -> Extraction:
    """An extraction of table rows whose cells stand side by side."""
    places: dict[str, tuple[int, Box]] = {}
    for number, (values, place) in enumerate(rows):
        for shift, name in enumerate(values):
            if place and values[name] is not None:
                page, box = place
                places[f"/lines/{number}/{name}"] = (
                    page,
                    Box(box.x0 + 0.2 * shift, box.y0, box.x1 + 0.2 * shift, box.y1),
                )
    return extraction_of({"lines": [values for values, _ in rows]}, pages, places)


def texts(result: Merged) -> list[object]:
    """The first text of every row."""
    lines = result.record.values["lines"]
    assert isinstance(lines, list)
    return [line["text"] for line in lines if isinstance(line, dict)]


def test_a_real_second_coffee_stays() -> None:
    """Equal rows of one split, and of splits that share no page, are all kept."""
    result = merged(LINES, rows_of((1,), coffee(0.1), coffee(0.2)), rows_of((2,), coffee(0.1, 2)))
    assert texts(result) == ["Coffee"] * 3
    assert (result.report.rows_in, result.report.rows_out, result.report.removals) == (3, 3, ())


def test_a_repeat_on_a_shared_page_is_kept_once() -> None:
    """Splits that overlap both give the rows of page 2; one stays of each pair, equal rows included."""
    first = rows_of((1, 2), coffee(0.5, 1), coffee(0.1, 2), coffee(0.2, 2))
    second = rows_of((2, 3), coffee(0.1003, 2), coffee(0.2003, 2), coffee(0.1, 3))
    result = merged(LINES, first, second)
    assert texts(result) == ["Coffee"] * 4
    assert [(r.reason, r.page) for r in result.report.removals] == [("repeat", 2), ("repeat", 2)]
    assert [issue.code for issue in result.report.issues()] == ["row_repeat", "row_repeat"]


def test_on_a_shared_page_rows_at_other_places_or_without_places_stay() -> None:
    """Equal text alone is no proof."""
    away = merged(LINES, rows_of((1, 2), coffee(0.1, 2)), rows_of((2, 3), coffee(0.3, 2)))
    assert texts(away) == ["Coffee"] * 2
    blind = merged(LINES, rows_of((1, 2), (coffee(0)[0], None)), rows_of((2, 3), (coffee(0)[0], None)))
    assert texts(blind) == ["Coffee"] * 2


def test_a_repeat_fills_what_the_kept_row_lacks() -> None:
    """The split that saw more of the row completes it."""
    values, place = coffee(0.1, 2)
    result = merged(LINES, rows_of((1, 2), ({**values, "day": None}, place)), rows_of((2, 3), (values, place)))
    assert result.record.values == {"lines": [values]}
    assert result.record.fields["/lines/0/day"].value == "2026-01-02"


def plain(text: str | None, amount: float | None, day: str | None = "2026-01-02") -> JsonObject:
    """A row."""
    return {"day": day, "text": text, "amount": amount}


def test_a_row_cut_by_the_page_edge_is_joined() -> None:
    """The rest of a description on the next page belongs to the row before it."""
    first = rows_of((1,), (plain("Tea", 1.0), at(0.1)), (plain("Chair with", 2.0), at(0.9)))
    second = rows_of((2,), (plain("wooden legs", None, None), at(0.05, 2)), (plain("Table", 3.0), at(0.1, 2)))
    result = merged(LINES, first, second)
    assert texts(result) == ["Tea", "Chair with wooden legs", "Table"]
    assert result.record.fields["/lines/1/text"].value == "Chair with wooden legs"
    assert [(r.reason, r.page) for r in result.report.removals] == [("continued", 2)]
    assert (result.report.rows_in, result.report.rows_out) == (4, 3)


def test_a_row_cut_by_a_page_edge_inside_a_split_is_joined() -> None:
    """Models give the two ends as two rows; where the amount went along, each has what the other lacks."""
    rows = [(plain("Tea", 1.0), at(0.1)), (plain("Chair with", None), at(0.9))]
    more = [
        (plain("wooden legs", 2.0, None), at(0.05, 2)),
        (plain("Table", 3.0), at(0.1, 2)),
        (plain("Lamp", 4.0), at(0.2, 2)),
    ]
    result = merged(LINES, rows_of((1, 2), *rows, *more))
    assert result.record.values == {
        "lines": [plain("Tea", 1.0), plain("Chair with wooden legs", 2.0), plain("Table", 3.0), plain("Lamp", 4.0)]
    }
    assert [(r.reason, r.page) for r in result.report.removals] == [("continued", 2)]


def test_the_rows_of_each_split_are_counted_in_the_order_of_the_splits() -> None:
    """A row that was joined is one of the split in which it begins."""
    first = rows_of((1,), (plain("Tea", 1.0), at(0.1)), (plain("Chair with", 2.0), at(0.9)))
    second = rows_of((2,), (plain("wooden legs", None, None), at(0.05, 2)), (plain("Table", 3.0), at(0.1, 2)))
    report = merged(LINES, second, first).report
    assert (report.rows_in, report.rows_out, report.splits) == (4, 3, ((2, 1), (2, 2)))


def test_a_document_without_any_value_is_told() -> None:
    """One that was shown to nobody, since it is blank, is not."""
    nothing = rows_of((1,))
    assert [issue.code for issue in merged(LINES, replace(nothing, model="m")).report.issues()] == ["nothing_found"]
    assert merged(LINES, nothing).report.issues() == ()


def test_an_amount_that_fell_on_the_next_page_is_joined() -> None:
    """The row's empty cell is filled."""
    first = rows_of((1,), (plain("Tea", 1.0), at(0.1)), (plain("Chair", None), at(0.9)))
    second = rows_of((2,), (plain(None, 2.0, None), at(0.05, 2)), (plain("Table", 3.0), at(0.1, 2)))
    assert merged(LINES, first, second).record.values["lines"] == [
        plain("Tea", 1.0),
        plain("Chair", 2.0),
        plain("Table", 3.0),
    ]


@pytest.mark.parametrize(
    "rest",
    [
        plain("Sofa", 9.0),  # a whole row
        plain(None, 9.0),  # a day and an amount of its own
        plain(None, 9.0, None),  # an amount, but the row before has one
        plain("12345", None, None),  # figures do not run on
    ],
)
def test_rows_that_may_stand_for_themselves_are_not_joined(rest: JsonObject) -> None:
    """In doubt a row stays."""
    first = rows_of((1,), (plain("Tea", 1.0), at(0.1)), (plain("Chair", 2.0), at(0.9)))
    second = rows_of((2,), (rest, at(0.05, 2)), (plain("Table", 3.0), at(0.1, 2)))
    result = merged(LINES, first, second)
    assert (result.report.rows_out, result.report.removals) == (4, ())


def test_a_row_below_others_or_of_the_same_page_is_not_joined() -> None:
    """Only what stands first on a later page can be the rest of a row."""
    first = rows_of((1,), (plain("Tea", 1.0), at(0.1)), (plain("Chair", 2.0), at(0.9)))
    rest = plain("wooden legs", None, None)
    below = rows_of((2,), (rest, at(0.5, 2)), (plain("Table", 3.0), at(0.1, 2)))
    assert merged(LINES, first, below).report.removals == ()
    same = rows_of((1,), (rest, at(0.95)), (plain("Table", 3.0), at(0.97)))
    assert merged(LINES, first, same).report.removals == ()


def test_a_continued_table_with_sparse_columns_loses_nothing() -> None:
    """Where other rows lack the column too, its absence says nothing."""
    first = rows_of((1,), (plain("Tea", None, None), at(0.1)), (plain("Chair", 2.0), at(0.9)))
    second = rows_of((2,), (plain("Section B", None, None), at(0.05, 2)), (plain("Table", 3.0), at(0.1, 2)))
    assert merged(LINES, first, second).report.removals == ()


def test_equal_words_at_different_places_all_stay() -> None:
    """A list of scalars is appended, as rows are."""
    schema = schema_of(tags=["string"])
    one = extraction_of({"tags": ["red", "red"]}, (1,), {"/tags/0": at(0.1), "/tags/1": at(0.2)})
    two = extraction_of({"tags": ["red"]}, (2,), {"/tags/0": at(0.1, 2)})
    assert record(schema, one, two).values == {"tags": ["red", "red", "red"]}


def test_field_groups_of_the_same_pages_complete_each_other() -> None:
    """A wide schema was asked in two requests."""
    schema = schema_of(a="string", rows=[{"x": "string"}], b="string")
    left, right = narrow_schema(schema, ("a", "rows")), narrow_schema(schema, ("b",))
    one = replace(extraction_of({"a": "1", "rows": [{"x": "r"}]}, (1, 2)))
    two = extraction_of({"b": "2"}, (1, 2))
    assert (len(left.root.properties), len(right.root.properties)) == (2, 1)
    assert record(schema, one, two).values == {"a": "1", "rows": [{"x": "r"}], "b": "2"}
    lost = record(schema, one)
    assert lost.fields["/b"].verdict is Verdict.NOT_REACHED


def test_pages_of_the_record_are_those_of_the_file_in_order() -> None:
    """Extractions may come in any order."""
    schema = schema_of(tags=["string"])
    late, early = extraction_of({"tags": ["b"]}, (5, 6)), extraction_of({"tags": ["a"]}, (2, 4))
    result = record(schema, late, early)
    assert (result.pages, result.values) == ((2, 4, 5, 6), {"tags": ["a", "b"]})


def test_row_ids_stay_when_a_row_is_inserted_before_them() -> None:
    """They come from where a row stands, and equal rows have different ones."""
    before = record(LINES, rows_of((1,), coffee(0.2), coffee(0.3))).rows["/lines"]
    after = record(LINES, rows_of((1,), coffee(0.1), coffee(0.2), coffee(0.3))).rows["/lines"]
    assert after[1:] == before
    assert len(set(after)) == 3
    assert all(name.startswith("row_") for name in after)


def test_rows_without_places_have_ids_too() -> None:
    """The same input gives the same ids, and no two are alike."""
    given_ = rows_of((1,), *[(coffee(0)[0], None)] * 5)
    ids = record(LINES, given_).rows["/lines"]
    assert len(set(ids)) == 5
    assert record(LINES, given_).rows["/lines"] == ids


PAGES = [(1,), (2, 3), (3, 4), (9,)]


@st.composite
def several(draw: st.DrawFn) -> tuple[ExtractionSchema, list[Extraction]]:
    """Extractions of one schema, some of whose pages overlap."""
    schema = draw(schemas())
    pages = draw(st.lists(st.sampled_from(PAGES), min_size=1, max_size=4))
    return schema, [draw(extractions(schema, p)) for p in sorted(pages)]


@given(several())
def test_every_leaf_has_its_entry_and_the_rows_balance(case: tuple[ExtractionSchema, list[Extraction]]) -> None:
    """No row is lost: what went in came out, or is told with its reason."""
    schema, given_ = case
    result = merged(schema, *given_)
    found = dict(walk_leaves(result.record.values))
    assert {path: e.value for path, e in result.record.fields.items()} == found
    report = result.report
    assert report.rows_in == sum(_count_rows(e.values, schema.root) for e in given_)
    assert report.rows_in == report.rows_out + len(report.removals)
    assert report.rows_out == _count_rows(result.record.values, schema.root)


def _count_rows(value: object, field: SchemaField) -> int:
    """Rows of the outermost arrays."""
    if field.type is FieldType.OBJECT:
        return sum(_count_rows(value[p.name], p) for p in field.properties) if isinstance(value, dict) else 0
    return len(value) if isinstance(value, list) else 0


@given(several())
def test_an_extraction_that_found_nothing_changes_nothing(case: tuple[ExtractionSchema, list[Extraction]]) -> None:
    """Merging has an identity."""
    schema, given_ = case
    alone = record(schema, *given_)
    more = record(schema, *given_, blank_extraction(schema, (99,)))
    assert more.values == alone.values
    assert {p: e for p, e in more.fields.items() if e.value is not None} == {
        p: e for p, e in alone.fields.items() if e.value is not None
    }
    assert more.conflicts == alone.conflicts
    assert more.rows == alone.rows


@given(st.data())
def test_one_extraction_alone_is_its_own_record(data: st.DataObject) -> None:
    """Nothing is chosen, dropped or joined."""
    schema = data.draw(schemas())
    only = data.draw(extractions(schema))
    result = merged(schema, only)
    assert (result.record.values, result.record.fields) == (only.values, only.fields)
    assert result.record.conflicts == ()


@given(st.data())
def test_rows_keep_their_order(data: st.DataObject) -> None:
    """Rows of a split stay in order, and splits follow their pages."""
    schema = schema_of(tags=["integer"])
    counts = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    numbers = iter(range(100))
    given_ = [extraction_of({"tags": [next(numbers) for _ in range(c)]}, (page,)) for page, c in enumerate(counts, 1)]
    order = data.draw(st.permutations(given_))
    assert record(schema, *order).values["tags"] == list(range(sum(counts)))
