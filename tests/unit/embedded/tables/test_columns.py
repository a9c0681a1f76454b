"""Columns that only their descriptions, their place or their sums tell, and rows that are none."""

from __future__ import annotations

import pytest

from service.domain.pages import PageText
from service.domain.records import Confidence, Extraction, Json, JsonObject
from tests.unit.embedded.asking import extract
from tests.unit.embedded.laid_out import page, rows

Column = tuple[str, str]
"""Type (or `date`) and description."""
BOOKINGS = (
    ("02.11.2026", "04.11.2026", "Kartenzahlung Teeladen", "-12,50", "987,50"),
    ("03.11.2026", "05.11.2026", "Gutschrift Honorar", "400,25", "1.387,75"),
    ("06.11.2026", "09.11.2026", "Lastschrift Wasserwerk", "-87,75", "1.300,00"),
    ("07.11.2026", "10.11.2026", "Geldautomat", "-50,00", "1.250,00"),
)
STATEMENTS = {
    "english": (
        "When the bank posted it",
        "Day from which interest counts",
        "Purpose and other party",
        "Amount booked",
        "Balance after it",
    ),
    "german": (
        "Tag der Buchung",
        "Tag der Wertstellung",
        "Zweck und Gegenpartei",
        "Gebuchter Betrag",
        "Kontostand danach",
    ),
    "french": ("Jour de l'opération", "Date de valeur", "Nature et autre partie", "Montant", "Solde du compte ensuite"),
    "nothing": ("", "", "", "", ""),
}
GOODS = {
    "english": ("Running number", "What was sold", "How many pieces", "Price of one unit", "Quantity times unit price"),
    "german": ("Laufende Nummer der Zeile", "Was geliefert wurde", "Wie viele", "Einzelpreis", "Menge mal Einzelpreis"),
    "spanish": ("Número de la línea", "Qué se entregó", "Cuántas", "Precio de una unidad", "Cantidad por precio"),
    "nothing": ("", "", "", "", ""),
}


def table_schema(*columns: Column) -> JsonObject:
    """One table whose names say nothing."""
    cells: JsonObject = {}
    for number, (kind, description) in enumerate(columns, start=1):
        shape: JsonObject = {"type": "string", "format": "date"} if kind == "date" else {"type": kind}
        cells[f"field_{number}"] = {**shape, "description": description}
    return {
        "type": "object",
        "properties": {"field_0": {"type": "array", "items": {"type": "object", "properties": cells}}},
    }


def cells_of(found: Extraction) -> list[list[Json]]:
    """The rows of the table, cells in the order of the schema."""
    table = found.values["field_0"]
    assert isinstance(table, list)
    return [list(row.values()) for row in table if isinstance(row, dict)]


def statement() -> PageText:
    """A statement of our own."""
    head = ("Buchung", "Wert", "Vorgang", "Betrag EUR", "Saldo EUR")
    return page([(40, 60, "Wolkenufer Bank"), *rows((40, 120, 200, 400, 490), 120, 16, (head, *BOOKINGS))])


def bill() -> PageText:
    """A bill of our own."""
    body = (
        ("Pos.", "Bezeichnung", "Menge", "Einzelpreis", "Betrag"),
        ("1", "Federkiel, grau", "4", "2,50", "10,00"),
        ("2", "Tintenfass", "2", "600,25", "1.200,50"),
        ("3", "Löschpapier", "30", "0,40", "12,00"),
    )
    return page([(40, 60, "Nebelweg Papier GmbH"), *rows((40, 90, 300, 380, 480), 120, 16, body)])


@pytest.mark.parametrize("language", STATEMENTS)
def test_a_statement_is_read_by_descriptions_in_any_language_or_none(language: str) -> None:
    """Booking date before value date, amounts before the balance that they add up to."""
    kinds = ("date", "date", "string", "number", "number")
    found = extract(table_schema(*zip(kinds, STATEMENTS[language], strict=True)), statement())
    assert cells_of(found) == [
        ["2026-11-02", "2026-11-04", "Kartenzahlung Teeladen", -12.5, 987.5],
        ["2026-11-03", "2026-11-05", "Gutschrift Honorar", 400.25, 1387.75],
        ["2026-11-06", "2026-11-09", "Lastschrift Wasserwerk", -87.75, 1300.0],
        ["2026-11-07", "2026-11-10", "Geldautomat", -50.0, 1250.0],
    ]


@pytest.mark.parametrize("language", GOODS)
def test_the_lines_of_a_bill_are_read_by_descriptions_in_any_language_or_none(language: str) -> None:
    """Number, text, quantity, price and amount."""
    kinds = ("integer", "string", "number", "number", "number")
    found = extract(table_schema(*zip(kinds, GOODS[language], strict=True)), bill())
    assert cells_of(found) == [
        [1, "Federkiel, grau", 4, 2.5, 10.0],
        [2, "Tintenfass", 2, 600.25, 1200.5],
        [3, "Löschpapier", 30, 0.4, 12.0],
    ]


def test_a_running_balance_is_found_whatever_its_header_says() -> None:
    """Where the header calls the balance an amount, the sums tell the two apart."""
    head = ("Datum", "Vorgang", "Umsatz", "Betrag")
    body = [(day, text, amount, balance) for day, _, text, amount, balance in BOOKINGS]
    columns = (
        ("date", "Date"),
        ("string", "Purpose"),
        ("number", "Amount booked"),
        ("number", "Balance of the account"),
    )
    found = extract(table_schema(*columns), page(rows((40, 140, 340, 460), 120, 16, (head, *body))))
    assert [row[2:] for row in cells_of(found)] == [
        [-12.5, 987.5],
        [400.25, 1387.75],
        [-87.75, 1300.0],
        [-50.0, 1250.0],
    ]


def test_a_role_that_is_left_over_is_never_high() -> None:
    """Days that nothing describes are given, and are to be looked at."""
    kinds = ("date", "date", "string", "number", "number")
    found = extract(table_schema(*((kind, "") for kind in kinds)), statement())
    assert {entry.confidence for entry in found.fields.values()} == {Confidence.LOW}


def test_a_row_of_nothing_but_its_page_is_no_row() -> None:
    """Rows inside a row cannot be filled, and page numbers alone are no table."""
    inner: JsonObject = {"type": "object", "properties": {"text": {"type": "string"}}}
    cells: JsonObject = {
        "page": {"type": "integer", "description": "Page number, from 1"},
        "rows": {"type": "array", "items": inner},
    }
    schema: JsonObject = {
        "type": "object",
        "properties": {"tables": {"type": "array", "items": {"type": "object", "properties": cells}}},
    }
    contents = rows((40, 400), 100, 16, (("Chapter", "Page"), ("Feathers", "3"), ("Ink", "17"), ("Paper", "42")))
    found = extract(schema, page(contents))
    assert found.values == {"tables": []}
    assert not found.fields


LINES: JsonObject = {
    "type": "object",
    "properties": {
        "field_0": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "description": {"type": "string", "description": "Name of the article or service"},
                    "quantity": {"type": "number", "description": "Billed quantity"},
                    "unit_price": {"type": "number", "description": "Net price of one unit"},
                    "amount": {"type": "number", "description": "Net amount of the line"},
                },
            },
        }
    },
}
HEAD = ("Article no.", "Description", "Quantity", "Unit price", "Amount")
AT = (40, 140, 300, 380, 480)


def test_a_number_of_the_article_over_its_name_is_no_description() -> None:
    """Where most rows have a code in the text column and words under it, the words are meant."""
    body = [
        (0, ("Material / Description", "Quantity", "Unit price", "Amount")),
        (20, ("ZS997", "5", "2.00", "10.00")), (32, ("Grey quill",)),
        (60, ("M-02", "2", "6.50", "13.00")), (72, ("Blotting paper",)), (84, ("Packed in boxes",)),
        (110, ("2031", "1", "4.00", "4.00")), (122, ("Ink, black",)),
    ]  # fmt: skip
    places = (40, 300, 380, 480)
    bill = page([(places[c], 100 + y, text) for y, cells in body for c, text in enumerate(cells)])
    assert cells_of(extract(LINES, bill)) == [
        ["Grey quill", 5, 2.0, 10.0],
        ["Blotting paper", 2, 6.5, 13.0],
        ["Ink, black", 1, 4.0, 4.0],
    ]


def test_properties_and_notes_between_rows_neither_join_nor_end_them() -> None:
    """A table goes on after several lines about an article; what is labelled there is no part of its name."""
    notes = (
        "Packing: carton",
        "Colour: grey",
        "* 4 parcels",
        "Further properties:",
        "Origin: own mill",
        "Kept dry",
        "1 layer",
    )
    pieces = rows(AT, 100, 14, (HEAD,))
    rows_of = (("A1", "Grey quill, the long one", "5", "2.00", "10.00"), ("A2", "Blotting paper", "2", "6.50", "13.00"))
    for number, cells in enumerate(rows_of):
        top = 130 + 130 * number
        pieces += rows(AT, top, 14, (cells,))
        pieces += [(AT[1], top + 14 * (at + 1), note) for at, note in enumerate(notes)]
    assert cells_of(extract(LINES, page(pieces))) == [
        ["Grey quill, the long one", 5, 2.0, 10.0],
        ["Blotting paper", 2, 6.5, 13.0],
    ]


def test_running_text_under_a_row_does_not_hide_what_a_column_holds() -> None:
    """Sentences with days that run over the column of prices leave it one of prices."""
    head = ("Pos", "Description", "Net price", "Quantity", "Rate", "Net amount")
    at = (40, 90, 300, 370, 430, 490)
    pieces = rows(at, 100, 14, (head, ("1", "Exercise", "26.00", "10", "0 %", "260.00")))
    pieces += [(90, 128 + 14 * n, "On these days: 11.09.2026; 14.09.2026; 19.09.2026; 24.09.2026;") for n in range(3)]
    pieces += rows(at, 180, 14, (("2", "Visit", "12.00", "10", "0 %", "120.00"),))
    assert cells_of(extract(LINES, page(pieces))) == [["Exercise", 10, 26.0, 260.0], ["Visit", 10, 12.0, 120.0]]


def test_a_column_of_numbers_is_no_description_whatever_its_header_says() -> None:
    """Of two headers that both may mean the article the one over words is taken; a tick parts thousands."""
    body = (("Item", *HEAD[1:]), ("1", "Grey quill", "28", "120.00", "3`360.00"), ("2", "Ink", "1", "307.35", "307.35"))
    assert cells_of(extract(LINES, page(rows(AT, 100, 14, body)))) == [
        ["Grey quill", 28, 120.0, 3360.0],
        ["Ink", 1, 307.35, 307.35],
    ]
