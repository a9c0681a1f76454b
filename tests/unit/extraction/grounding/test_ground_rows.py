"""Where rows stand: equal ones apart, each cell beside its own."""

from __future__ import annotations

import pytest

from service.domain.records import BoxCheck, Extraction, JsonObject
from service.domain.schema import parse_schema
from service.extraction.grounding.ground import ground
from tests.unit.extraction.answers import extraction_of, schema_of
from tests.unit.extraction.grounding.grounded import assert_at, box_of, grounded
from tests.unit.extraction.printed_pages import LINE, line_box, page_of

ROWS = schema_of(lines=[{"text": "string", "qty": "integer", "price": "number", "amount": "number"}])


def row(text: str, qty: int, price: float, amount: float) -> JsonObject:
    """One row of the table."""
    return {"text": text, "qty": qty, "price": price, "amount": amount}


def test_equal_rows_have_places_of_their_own() -> None:
    """A real second coffee stands on its own line, and its price is not its amount."""
    page = page_of(
        "Item        Qty   Price   Amount",
        "Coffee      1     5.00    5.00",
        "Coffee      1     5.00    5.00",
        "Cake        2     2.50    5.00",
        "Coffee      1     5.00    5.00",
    )
    rows = [
        row("Coffee", 1, 5.0, 5.0),
        row("Coffee", 1, 5.0, 5.0),
        row("Cake", 2, 2.5, 5.0),
        row("Coffee", 1, 5.0, 5.0),
    ]
    fields = grounded({"lines": list(rows)}, ROWS, page)
    for number in range(4):
        for column, start, end in (("qty", 12, 13), ("price", 18, 22), ("amount", 26, 30)):
            assert_at(fields[f"/lines/{number}/{column}"], number + 1, start, end)


def test_wrapped_rows_keep_their_own_cells() -> None:
    """A description of three lines belongs to the row it began in."""
    page = page_of(
        "Chair with a very   1   10.00   10.00", "long", "name", "Table               2   10.00   20.00",
        "Chair with a very   3   10.00   30.00", "long", "name",
    )  # fmt: skip
    text = "Chair with a very long name"
    fields = grounded({"lines": [row(text, 1, 10, 10), row("Table", 2, 10, 20), row(text, 3, 10, 30)]}, ROWS, page)
    assert box_of(fields["/lines/0/text"]).y0 == pytest.approx(2 * LINE, abs=1e-3)
    assert box_of(fields["/lines/2/text"]).y0 == pytest.approx(6 * LINE, abs=1e-3)
    assert [entry.box_check for entry in fields.values()] == [BoxCheck.MATCH] * len(fields)


def test_a_number_far_from_its_row_is_no_source() -> None:
    """The figure of another row label is not this row's."""
    page = page_of("Apples    3    1.00    3.00", "Pears     4    1.00    4.00", "", "", "", "", "", "Sum   77.00")
    fields = grounded({"lines": [row("Apples", 3, 1, 3), row("Pears", 4, 1, 77)]}, ROWS, page)
    assert fields["/lines/1/amount"].box_check is BoxCheck.NONE
    assert fields["/lines/1/qty"].box_check is BoxCheck.MATCH


def test_a_day_printed_once_serves_the_rows_below_it() -> None:
    """Statements print the day of several entries once."""
    schema = schema_of(entries=[{"day": {"type": "string", "format": "date"}, "amount": "number"}])
    page = page_of("2026-01-02", "  Rent   -800.00", "  Power  -60.00", "2026-01-03", "  Food   -20.00")
    days = ["2026-01-02", "2026-01-02", "2026-01-03"]
    values: JsonObject = {
        "entries": [{"day": d, "amount": a} for d, a in zip(days, (-800.0, -60.0, -20.0), strict=True)]
    }
    fields = grounded(values, schema, page)
    assert [round(box_of(fields[f"/entries/{n}/day"]).y0 / LINE) for n in range(3)] == [2, 2, 5]


def test_a_list_of_words_is_found_in_order() -> None:
    """Equal members have places of their own."""
    fields = grounded({"tags": ["red", "blue", "red"]}, schema_of(tags=["string"]), page_of("red", "blue", "red"))
    assert [round(box_of(fields[f"/tags/{n}"]).y0 / LINE) for n in range(3)] == [2, 3, 4]


def test_a_table_of_two_thousand_rows_is_found_row_by_row() -> None:
    """Forty pages of rows that mostly repeat each other."""
    count, per_page = 2000, 50
    rows = [row(f"Item {n % 50}", n % 7 + 1, n % 11 + 0.5, (n % 7 + 1) * (n % 11 + 0.5)) for n in range(count)]
    texts = [f"{r['text']:<12} {r['qty']:>4} {r['price']:>8.2f} {r['amount']:>10.2f}" for r in rows]
    pages = [page_of(*texts[n : n + per_page], page=1 + n // per_page) for n in range(0, count, per_page)]
    fields = grounded({"lines": list(rows)}, ROWS, *pages)
    for number in range(count):
        for column in rows[0]:
            place = fields[f"/lines/{number}/{column}"].location
            assert place is not None
            assert place.page == 1 + number // per_page
            assert round(place.coordinates[0].y / LINE) == 2 + number % per_page


def test_one_box_given_to_two_equal_rows_is_taken_apart() -> None:
    """Vendors resolve a repeated text to its first place."""
    box = line_box(0, 0, 6)
    schema = schema_of(lines=[{"text": "string", "amount": "number"}])
    values: JsonObject = {"lines": [{"text": "Coffee", "amount": 5.0}, {"text": "Coffee", "amount": 6.0}]}
    given = extraction_of(values, (1,), {"/lines/0/text": (1, box), "/lines/1/text": (1, box)})
    fields = ground(given, schema, {1: page_of("Coffee  5.00", "Coffee  6.00")}).fields
    assert_at(fields["/lines/0/text"], 0, 0, 6)
    assert_at(fields["/lines/1/text"], 1, 0, 6)


def test_nested_objects_and_rows_of_rows_are_grounded_too() -> None:
    """Every leaf has its entry before and after."""
    schema = parse_schema({
        "type": "object", "properties": {
            "buyer": {"type": "object", "properties": {"name": {"type": "string"}}},
            "groups": {"type": "array", "items": {"type": "object", "properties": {
                "name": {"type": "string"}, "parts": {"type": "array", "items": {"type": "string"}}}}},
        },
    })  # fmt: skip
    values: JsonObject = {"buyer": {"name": "Alpha"}, "groups": [{"name": "One", "parts": ["x1", "x2"]}]}
    given: Extraction = extraction_of(values)
    after = ground(given, schema, {1: page_of("Alpha", "One x1 x2")})
    assert after.fields.keys() == given.fields.keys()
    assert {entry.box_check for entry in after.fields.values()} == {BoxCheck.MATCH}
