"""What a user gets from the embedded model, on pages of our own making."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain.geometry import Box
from service.domain.pages import CheckMark, PageSize, PageText, TextSource
from service.domain.records import JsonObject, Verdict
from service.domain.schema import walk_leaves
from tests.unit.embedded.asking import extract
from tests.unit.embedded.laid_out import HEIGHT, WIDTH, page, rows

INVOICE: JsonObject = {
    "type": "object",
    "properties": {
        "invoice_number": {"type": "string", "description": "Number of the invoice."},
        "date": {"type": "string", "format": "date", "description": "Date on which the invoice was issued."},
        "due_date": {"type": "string", "format": "date", "description": "Date by which the invoice has to be paid."},
        "buyer_name": {"type": "string", "description": "Name of the customer to whom the invoice is addressed."},
        "seller_name": {"type": "string", "description": "Name of the company that issues the invoice."},
        "currency": {"type": "string", "description": "Currency as its ISO 4217 code."},
        "total_net": {"type": "number", "description": "Total without tax."},
        "total_tax": {"type": "number", "description": "Total amount of tax."},
        "total_gross": {"type": "number", "description": "Total including tax."},
        "iban": {"type": "string", "description": "IBAN of the account to pay to."},
        "tracking_number": {"type": "string", "description": "Tracking number of the parcel."},
        "lines": {
            "type": "array",
            "description": "The lines of the invoice.",
            "items": {
                "type": "object",
                "properties": {
                    "description": {"type": "string", "description": "Name of the article"},
                    "quantity": {"type": "number", "description": "Billed quantity"},
                    "unit_price": {"type": "number", "description": "Price of one unit"},
                    "amount": {"type": "number", "description": "Amount of the line"},
                },
            },
        },
    },
}
LINES = [
    {"description": "Federkiel, grau", "quantity": 4.0, "unit_price": 2.5, "amount": 10.0},
    {"description": "Tintenfass groß", "quantity": 2.0, "unit_price": 600.25, "amount": 1200.5},
]


def german_invoice() -> PageText:
    """A letter of our own with an address window, facts at the right, a table and totals."""
    return page([
        (57, 60, "Wolkenbank Papier GmbH · Nebelweg 3 · 12345 Dunstheim"),
        (57, 84, "Amsel & Drossel KG"), (57, 98, "Zweigstraße 7"), (57, 112, "54321 Asthausen"),
        (330, 84, "Rechnungsnummer"), (460, 84, "WB-2026-118"),
        (330, 98, "Rechnungsdatum"), (460, 98, "03.11.2026"),
        (330, 112, "Zahlbar bis"), (460, 112, "17.11.2026"),
        *rows((57, 90, 300, 380, 480), 240, 16, [
            ("Pos.", "Bezeichnung", "Menge", "Einzelpreis", "Betrag EUR"),
            ("1", "Federkiel, grau", "4", "2,50", "10,00"),
            ("2", "Tintenfass groß", "2", "600,25", "1.200,50"),
        ]),
        (300, 310, "Summe netto"), (480, 310, "1.210,50"),
        (300, 326, "MwSt. 19 %"), (480, 326, "230,00"),
        (300, 342, "Gesamtbetrag"), (480, 342, "1.440,50 €"),
        (57, 780, "IBAN DE52 0000 0000 0012 3456 78"),
    ])  # fmt: skip


def test_a_german_invoice_is_read_whole() -> None:
    """Numbers, dates and names come out by meaning and in the schema's types."""
    values = extract(INVOICE, german_invoice()).values
    assert values == {
        "invoice_number": "WB-2026-118",
        "date": "2026-11-03",
        "due_date": "2026-11-17",
        "buyer_name": "Amsel & Drossel KG",
        "seller_name": "Wolkenbank Papier GmbH",
        "currency": "EUR",
        "total_net": 1210.5,
        "total_tax": 230.0,
        "total_gross": 1440.5,
        "iban": "DE52000000000012345678",
        "tracking_number": None,
        "lines": LINES,
    }


FACTS = {
    "en": ("Invoice No.", "Date of issue", "Payment due", "Bill to", "Subtotal", "VAT 19 %", "Total due"),
    "de": ("Beleg-Nr.", "Datum", "Fällig am", "Rechnung an", "Nettobetrag", "zzgl. USt. 19 %", "Zu zahlen"),
    "fr": ("Facture n°", "Date d'émission", "Échéance", "Facturé à", "Total HT", "TVA 19 %", "Total TTC"),
    "es": (
        "Nº de factura",
        "Fecha de factura",
        "Vencimiento",
        "Cliente",
        "Base imponible",
        "IVA 19 %",
        "Total factura",
    ),
    "it": ("Numero fattura", "Data fattura", "Scadenza", "Spett.le", "Imponibile", "IVA 19 %", "Totale fattura"),
    "nl": ("Factuurnummer", "Factuurdatum", "Vervaldatum", "Klant", "Totaal excl. btw", "BTW 19 %", "Totaal incl. btw"),
}
HEADS = {
    "en": ("#", "Item", "Qty", "Rate", "Amount"),
    "de": ("Nr.", "Artikel", "Anzahl", "Preis/Stk.", "Gesamt"),
    "fr": ("N°", "Désignation", "Qté", "P.U. HT", "Montant HT"),
    "es": ("Pos.", "Descripción", "Cantidad", "Precio unitario", "Importe"),
    "it": ("N.", "Descrizione", "Quantità", "Prezzo unitario", "Importo"),
    "nl": ("Nr.", "Omschrijving", "Aantal", "Prijs per stuk", "Bedrag"),
}


@pytest.mark.parametrize("language", sorted(FACTS))
def test_the_same_invoice_in_every_language(language: str) -> None:
    """Labels and headers in six languages lead to one record."""
    number, date, due, buyer, net, tax, total = FACTS[language]
    invoice = page([
        (57, 60, "Wolkenbank Papier SL · Nebelweg 3 · 12345 Dunstheim"),
        (57, 84, buyer), (57, 98, "Amsel Drossel SA"), (57, 112, "Zweigstrasse 7"), (57, 126, "54321 Asthausen"),
        (330, 84, number), (460, 84, "WB-2026-118"), (330, 98, date), (460, 98, "03/11/2026"),
        (330, 112, due), (460, 112, "17/11/2026"),
        *rows((57, 90, 300, 380, 480), 240, 16, [
            HEADS[language], ("1", "Federkiel, grau", "4", "2,50", "10,00"),
            ("2", "Tintenfass groß", "2", "600,25", "1.200,50"),
        ]),
        (300, 310, net), (480, 310, "1.210,50"), (300, 326, tax), (480, 326, "230,00"),
        (300, 342, total), (480, 342, "1.440,50 €"),
        (57, 780, "IBAN DE52 0000 0000 0012 3456 78"),
    ])  # fmt: skip
    values = extract(INVOICE, invoice).values
    assert values.pop("buyer_name") == "Amsel Drossel SA"
    assert values.pop("seller_name") == "Wolkenbank Papier SL"
    whole = extract(INVOICE, german_invoice()).values
    assert values == {name: value for name, value in whole.items() if name in values}


def test_names_without_meaning_change_nothing() -> None:
    """With every property renamed to a number, the descriptions alone lead to the same values."""
    known = cast(JsonObject, INVOICE["properties"])
    renamed: JsonObject = {f"field_{i}": child for i, child in enumerate(known.values())}
    plain = extract(INVOICE, german_invoice()).values
    blind = extract({"type": "object", "properties": renamed}, german_invoice()).values
    assert list(blind.values()) == list(plain.values())


def test_every_leaf_has_an_entry_with_its_place() -> None:
    """A found value names page, box and words; an absent one says so."""
    found = extract(INVOICE, german_invoice())
    assert {path for path, _ in walk_leaves(found.values)} == set(found.fields)
    number = found.fields["/invoice_number"]
    assert number.raw == "WB-2026-118"
    assert number.location is not None
    assert number.location.page == 1
    assert number.location.coordinates[0].x == pytest.approx(460 / WIDTH, abs=1e-3)
    assert number.location.coordinates[0].y == pytest.approx(84 / HEIGHT, abs=1e-3)
    assert len(number.location.word_coordinates) == 1
    assert found.fields["/tracking_number"].verdict is Verdict.ABSENT
    assert found.fields["/lines/1/amount"].raw == "1.200,50"


def test_a_table_goes_on_over_pages_without_its_carried_lines() -> None:
    """Repeated headers, subtotals and carried-forward lines are no rows."""
    head = ("Description", "Qty", "Unit price", "Amount")
    at = (57.0, 300.0, 380.0, 480.0)
    first = page(rows(at, 100, 16, [head, ("Blue ink", "2", "3.00", "6.00"), ("Red ink", "1", "4.00", "4.00"),
                                    ("Carried forward", "", "", "10.00")]))  # fmt: skip
    second = page(rows(at, 100, 16, [head, ("Brought forward", "", "", "10.00"), ("Green ink", "5", "2.00", "10.00"),
                                     ("Total", "", "", "20.00")]), number=2)  # fmt: skip
    lines = cast("list[JsonObject]", extract(INVOICE, first, second).values["lines"])
    assert [row["description"] for row in lines] == ["Blue ink", "Red ink", "Green ink"]
    assert [row["amount"] for row in lines] == [6.0, 4.0, 10.0]


def test_a_wrapped_description_stays_one_row() -> None:
    """Text that filled its column goes on in the line below."""
    cells = [
        ("Description", "Qty", "Unit price", "Amount"),
        ("Bound ledger of two hundred ruled leaves", "1", "9.00", "9.00"),
        ("with a red ribbon", "", "", ""),
        ("Blotter", "2", "1.00", "2.00"),
    ]
    lines = cast("list[JsonObject]", extract(INVOICE, page(rows((57, 300, 380, 480), 100, 13, cells))).values["lines"])
    assert [row["description"] for row in lines] == [
        "Bound ledger of two hundred ruled leaves with a red ribbon",
        "Blotter",
    ]


RECEIPT: JsonObject = {
    "type": "object",
    "properties": {
        "shop": {"type": "string", "description": "Name of the shop at the top of the receipt."},
        "total": {"type": "number", "description": "Total to pay, including tax."},
        "date": {"type": "string", "format": "date", "description": "Date of the purchase."},
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
    },
}


def test_a_receipt_without_headers_gives_items_and_the_total() -> None:
    """Cash less change confirms the total; the date is the only one."""
    receipt = page([
        (200, 40, "Mossy Kettle Tea Room"), (200, 56, "4 Fern Lane"),
        (180, 90, "Oat biscuit"), (360, 90, "2.50"),
        (180, 106, "Pot of tea"), (360, 106, "3.20"),
        (180, 130, "TOTAL"), (360, 130, "5.70"),
        (180, 146, "CASH"), (360, 146, "10.00"),
        (180, 162, "CHANGE"), (360, 162, "4.30"),
        (180, 190, "21/03/2026 14:05"),
    ])  # fmt: skip
    assert extract(RECEIPT, receipt).values == {
        "shop": "Mossy Kettle Tea Room",
        "total": 5.7,
        "date": "2026-03-21",
        "items": [{"name": "Oat biscuit", "price": 2.5}, {"name": "Pot of tea", "price": 3.2}],
    }


FORM: JsonObject = {
    "type": "object",
    "properties": {
        "member": {"type": "boolean", "description": "Whether the box 'Member of the society' is checked."},
        "guest": {"type": "boolean", "description": "Whether the box 'Guest of a member' is checked."},
        "parking": {"type": "boolean", "description": "Whether a parking place is needed."},
        "size": {"type": "string", "enum": ["small", "large"], "description": "Plot size"},
        "phone": {"type": "string", "description": "Telephone number of the applicant."},
    },
}


def test_boxes_of_a_form_are_true_false_or_unknown() -> None:
    """A ticked box is true, an empty one false; what shows neither tick nor answer stays empty."""
    marks = [
        CheckMark(Box(50 / WIDTH, 100 / HEIGHT, 60 / WIDTH, 110 / HEIGHT), checked=True),
        CheckMark(Box(50 / WIDTH, 120 / HEIGHT, 60 / WIDTH, 130 / HEIGHT), checked=False),
    ]
    form = page(
        [(65, 100, "Member of the society"), (65, 120, "Guest of a member"), (65, 150, "Parking place needed?"),
         (250, 150, "Yes"), (320, 150, "No"), (65, 170, "Plot size"), (250, 170, "small"), (320, 170, "✔ large"),
         (65, 200, "Phone"), (250, 200, "E-mail")],
        marks=marks,
    )  # fmt: skip
    assert extract(FORM, form).values == {
        "member": True,
        "guest": False,
        "parking": None,
        "size": "large",
        "phone": None,
    }


def test_pages_that_could_not_be_read_are_not_called_absent() -> None:
    """A value that may stand on an unreadable page is unreadable."""
    dark = PageText(size=PageSize(1, WIDTH, HEIGHT), source=TextSource.UNREADABLE)
    assert extract(RECEIPT, dark).fields["/total"].verdict is Verdict.UNREADABLE


def test_a_labelled_address_takes_its_lines() -> None:
    """An address goes on under its first line until another label."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"delivery_address": {"type": "string", "description": "Delivery address."}},
    }
    form = page([(57, 80, "Delivery address:"), (160, 80, "7 Inkwell Yard"), (160, 93, "Nowherebridge NW0 0ZZ"),
                 (57, 115, "Phone:"), (160, 115, "01632 960147")])  # fmt: skip
    assert extract(schema, form).values == {"delivery_address": "7 Inkwell Yard, Nowherebridge NW0 0ZZ"}


def test_no_pages_give_an_empty_answer() -> None:
    """A document without pages has every leaf, and none filled."""
    found = extract(INVOICE)
    assert found.values["lines"] == []
    assert all(e.value is None for e in found.fields.values())


def test_nested_objects_keep_their_shape() -> None:
    """Objects inside objects are filled in place."""
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "invoice": {
                "type": "object",
                "properties": {"number": {"type": "string"}, "date": {"type": "string", "format": "date"}},
            }
        },
    }
    assert extract(schema, german_invoice()).values == {"invoice": {"number": "WB-2026-118", "date": "2026-11-03"}}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.floats(20, 500), st.floats(20, 800), st.text(min_size=1, max_size=20)), max_size=25))
def test_any_page_gives_a_whole_answer(pieces: list[tuple[float, float, str]]) -> None:
    """Whatever is printed, each leaf has its entry and no value lacks a place."""
    found = extract(INVOICE, page(pieces))
    assert {path for path, _ in walk_leaves(found.values)} == set(found.fields)
    assert all(e.location is not None for e in found.fields.values() if e.value is not None)


def test_a_small_count_in_a_sentence_is_no_number_of_the_document() -> None:
    """What names the document goes before words about parcels."""
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "invoice_number": {"type": "string", "description": "Number of the invoice."},
            "iban": {"type": "string", "description": "IBAN of the account to pay to."},
        },
    }
    letter = page([
        (40, 60, "Delivery invoice no. 471113 of 13.06.2026"),
        (40, 100, "With this invoice the last 4 parcels are charged"),
        (40, 140, "Please pay to our account: DE75123456780000001234, the mill bank"),
    ])  # fmt: skip
    assert extract(schema, letter).values == {"invoice_number": "471113", "iban": "DE75123456780000001234"}


@pytest.mark.parametrize(
    ("description", "expected"),
    [("Date of the invoice, YYYY-MM-DD", "2026-05-03"), ("Date of the invoice as printed", "03.05.2026")],
)
def test_a_date_without_a_format_has_the_form_that_its_description_spells_out(description: str, expected: str) -> None:
    """A text stays as printed unless the form is told."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"date": {"type": "string", "description": description}},
    }
    assert extract(schema, page([(40, 60, "Invoice date: 03.05.2026")])).values == {"date": expected}
