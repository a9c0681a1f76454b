"""Schemas that are proposed for documents nobody described: what a user gets, and that it is found again."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain.pages import PageText
from service.domain.records import Extraction, JsonObject
from service.domain.schema import FieldType, SchemaField, parse_schema
from service.embedded.asked.fields import understand
from service.embedded.model import EmbeddedModel
from service.embedded.suggesting.propose import propose_schema
from service.embedded.suggesting.wishes import read_wishes
from service.embedded.words.catalogue import Entry, property_name, singles, table_columns
from service.embedded.words.labels import columns, concepts
from tests.unit.embedded.laid_out import page, rows

SCALARS = {"string", "number", "integer", "boolean"}
INVOICE = page(
    [
        (60, 50, "Nordlicht Lampen GmbH"),
        (60, 64, "Hafenweg 3, 20457 Hamburg"),
        (60, 120, "Invoice number: RE-2041"),
        (60, 136, "Invoice date: 14.03.2026"),
        *rows(
            (60, 260, 360, 460),
            220,
            16,
            (
                ("Description", "Quantity", "Unit price", "Amount"),
                ("Desk lamp", "2", "40.00", "80.00"),
                ("Bulb", "5", "4.00", "20.00"),
            ),
        ),
        (360, 300, "Total net"),
        (460, 300, "100.00"),
        (360, 316, "VAT"),
        (460, 316, "19.00"),
        (360, 332, "Total"),
        (460, 332, "119.00 EUR"),
    ]
)
LABELS = (
    ("Breed of the dog", "Poodle"),
    ("Favourite meadow", "Lower field"),
    ("Vaccinated since", "03.05.2024"),
    ("Name of the groom", "Ada Wolke"),
    ("Stable corner", "north"),
    ("Colour of the lead", "red"),
    ("Whistle", "two tones"),
    ("Kennel letter", "K"),
    ("Usual walk", "along the river"),
    ("Harness", "leather"),
    ("Bowl", "steel"),
    ("Basket", "willow"),
    ("Blanket", "wool"),
    ("Brush", "soft"),
)
FORM = page([(60, 60 + 20 * n, f"{label}: {value}") for n, (label, value) in enumerate(LABELS)])


def properties_of(*documents: PageText, instruction: str = "") -> dict[str, Any]:
    """The proposed properties for documents of one page each."""
    _, schema = propose_schema([[document] for document in documents], instruction)
    return cast(dict[str, Any], schema["properties"])


def extract(properties: JsonObject, document: PageText) -> Extraction:
    """What the model finds with them."""
    return EmbeddedModel().extract(parse_schema({"type": "object", "properties": properties}), [document])


def assert_in_grammar(schema: JsonObject) -> None:
    """The grammar that every model takes: scalars, lists of scalars, tables of flat rows."""
    assert schema["type"] == "object"
    for name, source in cast(dict[str, Any], schema["properties"]).items():
        assert name.isascii()
        assert name == name.lower()
        if source["type"] != "array":
            assert source["type"] in SCALARS
            continue
        items = source["items"]
        cells = items["properties"].values() if items["type"] == "object" else [items]
        assert all(cell["type"] in SCALARS for cell in cells)
    assert parse_schema(schema)


def test_an_invoice_gets_its_numbers_dates_amounts_and_table():
    """With types and formats, and a column for each header."""
    found = properties_of(INVOICE)
    assert found["invoice_number"]["type"] == "string"
    assert (found["date"]["type"], found["date"]["format"]) == ("string", "date")
    assert found["total"]["type"] == "number"
    assert [*found["lines"]["items"]["properties"]] == ["description", "quantity", "unit_price", "amount"]
    assert all(source["description"] for source in found.values())


def test_what_is_proposed_is_found_again():
    """The descriptions tell the model what they were made from."""
    values = extract(properties_of(INVOICE), INVOICE).values
    assert (values["invoice_number"], values["date"], values["total"]) == ("RE-2041", "2026-03-14", 119.0)
    assert [cast(JsonObject, row)["amount"] for row in cast(list[Any], values["lines"])] == [80.0, 20.0]


def test_a_form_gets_a_field_for_each_label():
    """Also where the lexicon knows none of them, and more than another document gets."""
    found = properties_of(FORM)
    assert {"breed_of_the_dog", "favourite_meadow", "stable_corner", "brush"} <= found.keys()
    assert extract(found, FORM).values["breed_of_the_dog"] == "Poodle"
    assert len(found) > len(properties_of(INVOICE))


def test_fields_of_most_documents_are_kept():
    """What one of three has alone is left out."""
    other = page([(60, 50, "Invoice number: RE-9"), (60, 90, "Total: 12.00 EUR"), (60, 110, "Hinges: brass")])
    found = properties_of(other, INVOICE, page([(60, 50, "Invoice number: RE-10"), (60, 90, "Total: 15.00 EUR")]))
    assert {"invoice_number", "total"} <= found.keys()
    assert "hinges" not in found
    assert "hinges" in properties_of(other)


def test_an_instruction_adds_and_confines_fields():
    """Also ones that the document does not have; with `only`, nothing else."""
    found = properties_of(INVOICE, instruction="Fields: due date, the lamp holder")
    assert {"due_date", "lamp_holder", "invoice_number"} <= found.keys()
    assert [*properties_of(INVOICE, instruction="Only these fields: invoice number, total amount")] == [
        "invoice_number",
        "total",
    ]
    assert properties_of(INVOICE, instruction="Generate schema suitable for invoices.") == properties_of(INVOICE)


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("Extract the invoice number and the due date", ["invoice_number", "due_date"]),
        ("fields: IBAN; due date\nbirth date", ["iban", "due_date", "birth_date"]),
        ("Please make something useful of this.", []),
        ("", []),
    ],
)
def test_wishes_are_read_from_words(said: str, names: list[str]):
    """Lists and sentences."""
    assert [entry.name for entry in read_wishes(said).known] == names


@pytest.mark.parametrize("entry", [*singles(), *table_columns()], ids=lambda entry: entry.name)
def test_the_model_understands_every_entry_as_its_concept(entry: Entry):
    """Name and description lead to the concept they were written for, and to its kind of value."""
    is_column = entry in table_columns()
    known = columns() if is_column else concepts()
    field = SchemaField(
        name=entry.name,
        type=FieldType.NUMBER if entry.source["type"] == "number" else FieldType.STRING,
        description=str(entry.source["description"]),
        format=str(entry.source["format"]) if "format" in entry.source else None,
    )
    ask = understand(field, f"/{entry.name}", column=is_column)
    assert (ask.concept, ask.kind) == (entry.concept, known[entry.concept].kind)


def test_names_are_ascii_in_every_script():
    """By folding, or by what the lexicon says a word means."""
    assert property_name("Überweisung bis:") == "uberweisung_bis"
    assert property_name("날짜") == "date"
    assert property_name("1. Quartal") == "field_1_quartal"
    assert property_name("…") == ""


def test_a_page_without_words_gets_one_field():
    """Never a schema that no model takes."""
    assert [*properties_of(page([]))] == ["title"]


_WORD = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12)
_CELL = st.tuples(st.floats(20, 500), st.floats(20, 780), st.lists(_WORD, min_size=1, max_size=6).map(" ".join))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(_CELL, max_size=25), min_size=1, max_size=3), st.text(max_size=60))
def test_whatever_is_printed_and_said_the_schema_is_in_the_grammar(
    documents: list[list[tuple[float, float, str]]], instruction: str
):
    """Any words in any place, any instruction."""
    _, schema = propose_schema([[page(cells)] for cells in documents], instruction)
    assert_in_grammar(schema)
