"""Lists of things with their prices that no header heads, as on receipts, and the sums that prove them."""

from __future__ import annotations

import pytest

from service.domain.pages import PageText, TextSource
from service.domain.records import JsonObject
from service.domain.schema import parse_schema
from service.embedded.model import EmbeddedModel
from tests.unit.embedded.asking import values_of
from tests.unit.embedded.laid_out import page

RECEIPT: JsonObject = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Item description"},
                    "price": {"type": "number", "description": "Line amount of the item"},
                },
            },
        },
        "subtotal": {"type": "number", "description": "Amount before tax."},
        "tax": {"type": "number", "description": "Tax amount."},
        "total": {"type": "number", "description": "Total amount of the receipt."},
    },
}
EDGE = 300
"""Right edge of the prices, points."""


def receipt(*lines: tuple[str, str]) -> PageText:
    """A photographed receipt of our own: texts at the left, prices at one right edge."""
    pieces: list[tuple[float, float, str]] = [(60, 40, "Moss & Fern"), (60, 56, "Till 3")]
    for number, (text, price) in enumerate(lines):
        top = 100 + 16 * number
        pieces += [(60, top, text), (EDGE - 5 * len(price), top, price)]
    return page([p for p in pieces if p[2]], source=TextSource.OCR)


def read(*lines: tuple[str, str]) -> JsonObject:
    """What the model makes of a receipt."""
    return values_of(RECEIPT, receipt(*lines))


def items(*rows: tuple[str, float]) -> list[JsonObject]:
    """Rows as the schema has them."""
    return [{"name": name, "price": price} for name, price in rows]


def test_a_line_that_the_others_come_to_is_their_sum_whatever_it_is_called() -> None:
    """The sum of a list is no item, and the total is found from it over the tax."""
    found = read(
        ("Nettle soup", "6.50"), ("Rye roll", "1.20"), ("Kitchen", "7.70"), ("Levy", "0.77"), ("Voucher", "8.47")
    )
    assert found == {
        "items": items(("Nettle soup", 6.5), ("Rye roll", 1.2)),
        "subtotal": 7.7,
        "tax": 0.77,
        "total": 8.47,
    }


def test_names_that_say_what_labels_say_end_no_list() -> None:
    """A bar of soap and an open sandwich are things, though `bar` and `open` label payments elsewhere."""
    found = read(("OATMEAL BAR", "2.10"), ("OPEN SANDWICH", "4.40"), ("STILL WATER", "1.50"), ("Total", "8.00"))
    assert found["items"] == items(("OATMEAL BAR", 2.1), ("OPEN SANDWICH", 4.4), ("STILL WATER", 1.5))


@pytest.mark.parametrize(
    ("printed", "named"),
    [
        (("1 Plum jam", "2 12 Eggs", "1 Rusks"), ("Plum jam", "12 Eggs", "Rusks")),
        (("T PLUM JAM", "T EGGS", "T RUSKS"), ("PLUM JAM", "EGGS", "RUSKS")),
        (("1 PK PLUM JAM", "1 BX EGGS", "2 TN RUSKS"), ("PK PLUM JAM", "BX EGGS", "TN RUSKS")),
        (("320044 PLUM JAM", "320051 EGGS", "99012 RUSKS"), ("PLUM JAM", "EGGS", "RUSKS")),
        (("PLUM JAM 1", "EGGS 2", "RUSKS 4"), ("PLUM JAM", "EGGS", "RUSKS")),
        (("PLUM JAM 15", "EGGS", "RUSKS"), ("PLUM JAM 15", "EGGS", "RUSKS")),
        (("HP INK", "IT HELP", "TV GUIDE"), ("HP INK", "IT HELP", "TV GUIDE")),
    ],
)
def test_names_come_without_what_all_lines_have_before_and_behind(
    printed: tuple[str, ...], named: tuple[str, ...]
) -> None:
    """Counts, marks, numbers of articles and of columns are left off; what only one line has is part of its name."""
    found = read(*zip(printed, ("3.00", "4.00", "5.00"), strict=True), ("Total", "12.00"))
    assert found["items"] == items(*zip(named, (3.0, 4.0, 5.0), strict=True))


def test_marks_of_units_before_names_are_left_off() -> None:
    """Marks of two letters that come again and again, of several kinds, are no words of the names."""
    lines = [(f"1 {mark} {name}", "2.00") for mark, name in zip(
        ("PK", "BX", "PK", "TN", "BX", "TN"), ("RUSKS", "EGGS", "DATES", "PEAS", "PEARS", "CORN"), strict=True
    )]  # fmt: skip
    found = read(*lines, ("Total", "12.00"))
    assert found["items"] == items(*((name, 2.0) for name in ("RUSKS", "EGGS", "DATES", "PEAS", "PEARS", "CORN")))


def test_prices_are_read_through_spots_marks_and_lost_signs() -> None:
    """A spot before a price, a letter behind it, a dollar read as a letter and a lost point do not hide it."""
    found = read(("Plum jam", ".3.00"), ("Eggs", "4.00T"), ("Rusks", "S5.00"), ("Dates", "6 00"), ("Total", "18.00"))
    assert found["items"] == items(("Plum jam", 3.0), ("Eggs", 4.0), ("Rusks", 5.0), ("Dates", 6.0))


def test_what_looks_like_a_minus_is_a_spot_where_only_then_the_sum_holds() -> None:
    """Prices are positive when they come to the total so."""
    found = read(("Plum jam", "3.00"), ("Eggs", "-4.00"), ("Rusks", "5.00"), ("Total", "12.00"))
    assert found["items"] == items(("Plum jam", 3.0), ("Eggs", 4.0), ("Rusks", 5.0))
    kept = read(("Plum jam", "3.00"), ("Given back", "-4.00"), ("Rusks", "5.00"), ("Total", "4.00"))
    assert kept["items"] == items(("Plum jam", 3.0), ("Given back", -4.0), ("Rusks", 5.0))


def test_the_rounded_total_is_the_total() -> None:
    """Of totals that follow from one another the last one is to be paid."""
    found = read(
        ("Plum jam", "3.01"), ("Eggs", "4.01"), ("Total", "7.02"), ("Rounding", "-0.02"), ("Total", "7.00"),
        ("Cash", "10.00"), ("Change", "3.00"),
    )  # fmt: skip
    assert (found["total"], found["items"]) == (7.0, items(("Plum jam", 3.01), ("Eggs", 4.01)))


def test_a_row_of_net_and_tax_is_no_total() -> None:
    """Where the amounts of a line come to the total, none of them is it."""
    found = read(("Plum jam", "5.30"), ("Eggs", "5.30"), ("Total", "10.60"), ("Net", "Tax"), ("Total 10.00", "0.60"))
    assert found["total"] == 10.6


def test_digits_that_can_only_be_letters_are_letters() -> None:
    """On a photograph a zero among letters is read as one; what is printed stays in `raw`."""
    lines = (("SWIRL P0PS", "3.00"), ("C0LA 100Z", "4.00"), ("MP3 CABLE", "5.00"), ("Total", "12.00"))
    found = EmbeddedModel().extract(parse_schema(RECEIPT), [receipt(*lines)])
    assert found.values["items"] == items(("SWIRL POPS", 3.0), ("COLA 10OZ", 4.0), ("MP3 CABLE", 5.0))
    assert found.fields["/items/0/name"].raw == "SWIRL P0PS"
