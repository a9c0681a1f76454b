"""Pages that no reader should give, and some do: the model answers all the same, and soon."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.domain.geometry import Box
from service.domain.pages import FormEntry, PageSize, PageText, TextSource, Word
from service.domain.records import JsonObject
from tests.unit.embedded.asking import DATE, TEXT, ask, values_of
from tests.unit.embedded.laid_out import page, place, rows

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "seller": {"type": "string", "description": "Name of the seller"},
        "total": {"type": "number", "description": "Total to pay"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "price": {"type": "number", "description": "Line amount"}},
            },
        },
    },
}
LINES = (("Rye loaf", "4.20"), ("Plum cake", "3.35"), ("Total", "7.55"))


@pytest.mark.parametrize("digits", ["9" * 400, "$ " + "9" * 400 + " 50"])
def test_digits_without_end_are_no_number(digits: str) -> None:
    """As a code that is printed as digits; the amounts around them are read."""
    text = page([*rows((60.0, 460.0), 120.0, 16.0, LINES), (60, 400, digits)], source=TextSource.OCR)
    assert values_of(SCHEMA, text)["total"] == 7.55


def test_words_without_height_are_read() -> None:
    """On a page without a size, too."""
    texts = ["Larkspur Bakery Ltd", "Mill Lane 12", "12345 Dunstheim", "7. Total: 7.55"]
    words = tuple(
        Word(part, Box(0.1 * column, 0.1 * row, 0.1 * column + 0.05, 0.1 * row), line=row)
        for row, text in enumerate(texts) for column, part in enumerate(text.split())
    )  # fmt: skip
    for size in (PageSize(1, 595, 842), PageSize(1, 0, 0)):
        entries = (FormEntry(Box(0.1, 0.3, 0.4, 0.3), "7.55"),)
        flat = PageText(size=size, source=TextSource.OCR, words=words, entries=entries)
        assert set(values_of(SCHEMA, flat)) == {"seller", "total", "items"}


def test_a_field_of_a_form_thinner_than_a_point_does_not_follow_itself() -> None:
    """The rest of an address is looked for in the fields under it."""
    entries = [
        FormEntry(place(50, 224, 280, 240), "Zweigweg 7"),
        FormEntry(place(50, 262, 280, 262.5), "54321 Asthausen"),
    ]
    pieces = [
        (50, 212, "Street address"), (56, 227, "Zweigweg 7"),
        (50, 246, "City and ZIP code"), (56, 257.3, "54321 Asthausen"),
    ]  # fmt: skip
    schema: JsonObject = {
        "type": "object",
        "properties": {"address": {"type": "string", "description": "Street address, with city and ZIP code."}},
    }
    assert str(values_of(schema, page(pieces, entries=entries))["address"]).startswith("Zweigweg 7")


@pytest.mark.parametrize("junk", ["( " * 3000, "(" + "." * 6000, "net " + "a" * 6000 + "!"])
def test_signs_without_end_are_read_in_one_go(junk: str) -> None:
    """No search goes back over them again and again: what takes a moment here would take hours."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"tenant": {"type": "string"}, "payment_terms": {"type": "string"}},
    }
    assert set(values_of(schema, page([(60, 100, "Payment terms:"), (60, 116, junk)]))) == {"tenant", "payment_terms"}


def test_a_letter_without_a_page_has_neither_sender_nor_recipient() -> None:
    """Every page of a range may have been left out."""
    letter: JsonObject = {"type": "object", "properties": {"sender": TEXT, "recipient": TEXT}}
    assert values_of(letter) == {"sender": None, "recipient": None}


def test_a_name_whose_end_has_no_height_is_read() -> None:
    """Some text layers give flat boxes."""
    shown = page([(60, 60, "Sandkai Trade"), (60, 68, "Holdings"), (60, 300, "Total 12.00")])
    box = shown.words[2].box
    flat = replace(shown.words[2], box=Box(box.x0, box.y0, box.x1, box.y0))
    shown = replace(shown, words=(*shown.words[:2], flat, *shown.words[3:]))
    assert values_of(SCHEMA, shown)["seller"] in ("Holdings", "Sandkai Trade Holdings")


@pytest.mark.parametrize(
    "junk",
    ["12 " + "A" * 400 + "!", "1" + "." * 50_000, "1" + "./" * 25_000, "a" * 100_000, "employ" * 10_000],
    ids=["capitals", "dots", "dots and strokes", "letters", "words in one"],
)
def test_a_word_without_end_keeps_nobody_from_the_others(junk: str) -> None:
    """A pattern that tried every way to divide it would not come back."""
    asked = {"address": TEXT, "recipient": TEXT, "signed_on": DATE, "position": TEXT}
    pieces = [(60, 60, "Elmworth, 9 March 2024"), (60, 120, junk), (60, 134, "Jakarta 12190")]
    assert ask(asked, pieces)["signed_on"] == "2024-03-09"
