"""Fillable forms: what is filled in goes to the field whose label it has, and empty fields stay empty."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from service.domain.pages import FormEntry, PageText
from service.domain.records import JsonObject
from tests.unit.embedded.asking import values_of
from tests.unit.embedded.laid_out import page, place

Piece = tuple[float, float, str]
LABELS = {
    "surname": "Surname",
    "birth_date": "Date of birth",
    "policy_number": "Policy number",
    "employer": "Name of employer",
    "town": "Town",
    "occupation": "Occupation",
    "annual_income": "Annual income",
    "spouse": "Name of spouse",
}
FILLED = {
    "surname": ("Tannhofer", "Ardley", "Quist"),
    "birth_date": ("1981-03-14", "2 November 1975"),
    "policy_number": ("KV-2231-7", "88 104 552"),
    "employer": ("Larkspur Mills", "Amsel & Drossel KG"),
    "town": ("Dunstheim", "Port Ellery"),
    "occupation": ("Miller", "Cartographer"),
    "annual_income": ("41,500", "38,200.50"),
    "spouse": ("", "Mara Ardley"),
}


def read(properties: JsonObject, form: PageText) -> JsonObject:
    """The model's values."""
    return values_of({"type": "object", "properties": properties}, form)


def schema_of(names: list[str]) -> JsonObject:
    """Fields as a caller who has seen the form would describe them."""
    return {
        name: {
            "type": "number" if name == "annual_income" else "string",
            "description": f"{LABELS[name]} of the applicant.",
        }
        for name in names
    }


def above(column: int, row: int) -> tuple[Piece, tuple[float, float, float, float]]:
    """A label over its field."""
    x, y = 50 + 250 * column, 80 + 46 * row
    return (x, y, ""), (x - 4, y + 11, x + 220, y + 27)


def left(column: int, row: int) -> tuple[Piece, tuple[float, float, float, float]]:
    """A label left of its field."""
    x, y = 40 + 270 * column, 80 + 26 * row
    return (x, y, ""), (x + 110, y - 4, x + 250, y + 14)


def below(column: int, row: int) -> tuple[Piece, tuple[float, float, float, float]]:
    """A label under the line that is filled in."""
    x, y = 50 + 250 * column, 80 + 46 * row
    return (x, y + 19, ""), (x, y, x + 200, y + 17)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("style", [above, left, below])
def test_each_field_of_a_form_is_read_by_its_label(
    style: Callable[..., tuple[Piece, tuple[float, ...]]], seed: int
) -> None:
    """Eight fields in two columns, in any order, some of them empty; the label stands over, left of or under them."""
    chance = random.Random(seed)
    names = chance.sample(sorted(LABELS), len(LABELS))
    filled = {name: "" if chance.random() < 0.2 else chance.choice(FILLED[name]) for name in names}
    pieces: list[Piece] = [(200, 30, "Application for membership")]
    entries: list[FormEntry] = []
    for number, name in enumerate(names):
        (x, y, _), (x0, y0, x1, y1) = style(number % 2, number // 2)
        pieces += [(x, y, LABELS[name]), *([(x0 + 6, y0 + 4, filled[name])] if filled[name] else [])]
        entries.append(FormEntry(place(x0, y0, x1, y1), filled[name]))
    values = read(schema_of(names), page(pieces, entries=entries))
    wanted: JsonObject = {name: text or None for name, text in filled.items()}
    wanted["annual_income"] = float(filled["annual_income"].replace(",", "")) if filled["annual_income"] else None
    assert values == wanted


def test_what_the_form_says_of_a_field_names_it() -> None:
    """A field without a printed label near it is found by its own accessible name."""
    entries = [
        FormEntry(place(300, 100, 500, 116), "Nebelweg 3", "Street and house number"),
        FormEntry(place(300, 130, 500, 146), "", "Telephone"),
        FormEntry(place(300, 160, 500, 176), "Tannhofer", "Family name"),
    ]
    properties: JsonObject = {
        "street": {"type": "string", "description": "Street and house number."},
        "telephone": {"type": "string", "description": "Telephone number."},
        "family_name": {"type": "string", "description": "Family name."},
    }
    form = page([(60, 60, "Please fill in"), (306, 104, "Nebelweg 3"), (306, 164, "Tannhofer")], entries=entries)
    assert read(properties, form) == {"street": "Nebelweg 3", "telephone": None, "family_name": "Tannhofer"}


def test_a_number_that_is_typed_into_several_fields_is_one() -> None:
    """`12 – 3456789` under one label, and the field beside it under its own."""
    entries = [
        FormEntry(place(50, 114, 90, 132), "12"),
        FormEntry(place(105, 114, 200, 132), "3456789"),
        FormEntry(place(300, 114, 420, 132), "4401"),
    ]
    pieces = [
        (50, 100, "Employer number"), (300, 100, "Branch"),
        (60, 118, "12"), (95, 118, "–"), (112, 118, "3456789"), (306, 118, "4401"),
    ]  # fmt: skip
    properties: JsonObject = {
        "employer_number": {"type": "string", "description": "Employer number."},
        "branch": {"type": "string", "description": "Branch."},
    }
    assert read(properties, page(pieces, entries=entries)) == {"employer_number": "12-3456789", "branch": "4401"}


def test_a_block_holds_a_name_and_an_address() -> None:
    """The first line of a block is who, the others are where; the lines under a street belong to its address."""
    block = "Wolkenbank Papier GmbH\nNebelweg 3\n12345 Dunstheim"
    entries = [
        FormEntry(place(50, 112, 280, 160), block),
        FormEntry(place(50, 190, 280, 206), "Amsel Reisen"),
        FormEntry(place(50, 224, 280, 240), "Zweigweg 7"),
        FormEntry(place(50, 258, 280, 274), "54321 Asthausen"),
    ]
    pieces = [
        (50, 100, "PAYER'S name, street address, city"),
        *((56.0, 114.0 + 14 * n, line) for n, line in enumerate(block.splitlines())),
        (50, 178, "RECIPIENT'S name"), (56, 193, "Amsel Reisen"),
        (50, 212, "Street address"), (56, 227, "Zweigweg 7"),
        (50, 246, "City and ZIP code"), (56, 261, "54321 Asthausen"),
    ]  # fmt: skip
    properties: JsonObject = {
        "payer": {"type": "string", "description": "Name of the payer."},
        "payer_address": {"type": "string", "description": "Address of the payer."},
        "recipient": {"type": "string", "description": "Name of the recipient."},
        "recipient_address": {"type": "string", "description": "Address of the recipient: street, city, ZIP code."},
    }
    assert read(properties, page(pieces, entries=entries)) == {
        "payer": "Wolkenbank Papier GmbH",
        "payer_address": "Nebelweg 3 12345 Dunstheim",
        "recipient": "Amsel Reisen",
        "recipient_address": "Zweigweg 7 54321 Asthausen",
    }


def test_a_numbered_line_is_found_by_its_number() -> None:
    """Two lines have the same caption; the number that the schema names tells which is meant."""
    entries = [
        FormEntry(place(40, 112, 280, 126), "Dunstheim"),
        FormEntry(place(300, 112, 500, 126), "Norland"),
        FormEntry(place(40, 152, 280, 166), ""),
        FormEntry(place(300, 152, 500, 166), ""),
    ]
    pieces = [
        (40, 100, "3"), (60, 100, "Town of residence"), (310, 100, "Country"),
        (46, 114, "Dunstheim"), (306, 114, "Norland"),
        (40, 140, "4"), (60, 140, "Town for letters"), (310, 140, "Country"),
    ]  # fmt: skip
    properties: JsonObject = {
        "home_country": {"type": "string", "description": "Line 3: country of residence."},
        "letter_country": {"type": "string", "description": "Line 4: country for letters."},
        "letter_town": {"type": "string", "description": "Line 4: town for letters."},
    }
    values = read(properties, page(pieces, entries=entries))
    assert values == {"home_country": "Norland", "letter_country": None, "letter_town": None}
