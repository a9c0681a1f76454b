"""Who issues and who receives: blocks under headings, names apart over their streets, and the title's date."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.domain.records import JsonObject
from service.domain.schema import parse_schema
from service.embedded.anchors.parties import looks_postal
from service.embedded.model import EmbeddedModel
from tests.unit.embedded.asking import values_of
from tests.unit.embedded.laid_out import HEIGHT, page

Piece = tuple[float, float, str]
LETTER: JsonObject = {
    "type": "object",
    "properties": {
        "seller_name": {"type": "string", "description": "Name of the company that issues the invoice."},
        "buyer_name": {"type": "string", "description": "Name of the customer to whom the invoice is addressed."},
        "date": {"type": "string", "format": "date", "description": "Date on which the invoice was issued."},
    },
}


def read(*pieces: Piece) -> JsonObject:
    """What the model makes of a page."""
    return values_of(LETTER, page(pieces))


def names(found: JsonObject) -> tuple[object, object]:
    """Seller and buyer."""
    return found["seller_name"], found["buyer_name"]


@pytest.mark.parametrize(
    ("seller", "buyer"), [("Supplier", "Customer"), ("Verkäufer:", "Käufer:"), ("Fournisseur", "Client")]
)
@pytest.mark.parametrize("between", [(), ("Number : 4711",), ("Number : 4711", "Register 4300001234567")])
def test_headings_tell_who_stands_under_them(seller: str, buyer: str, between: tuple[str, ...]) -> None:
    """Whichever block comes first, and with numbers of who it is between heading and name."""
    blocks = ((buyer, "Larkfield Tea AG", "Brook Road 12"), (seller, "Elderwood Mills AG", "Mill Lane 3"))
    pieces: list[Piece] = [(40, 40, "Invoice no. 88 of 03.05.2026")]
    for number, (heading, name, street) in enumerate(blocks):
        lines = (heading, *between, name, street, "DE 70771 Echterdingen")
        pieces += [(40, 90 + 120 * number + 14 * at, line) for at, line in enumerate(lines)]
    assert names(read(*pieces)) == ("Elderwood Mills AG", "Larkfield Tea AG")


def test_a_name_may_stand_apart_over_its_street() -> None:
    """Empty lines for more of a name do not make a street the name."""
    found = read(
        (40, 60, "Supplier"), (300, 60, "Customer"),
        (40, 76, "ELDERWOOD MILLS AG"), (300, 76, "LARKFIELD TEA AG"),
        (40, 112, "MILL STREET 3"), (300, 112, "BROOK ROAD 12"),
        (40, 124, "70771 ECHTERDINGEN"), (300, 124, "40235 DUESSELDORF"),
    )  # fmt: skip
    assert names(found) == ("ELDERWOOD MILLS AG", "LARKFIELD TEA AG")


def test_a_widely_spaced_address_is_one_block() -> None:
    """Lines of a window that start at one edge belong together over a gap."""
    found = read(
        (40, 90, "Elderwood Mills AG · Mill Street 3 · 70771 Echterdingen"),
        (60, 120, "Ottilie Brandt"), (60, 148, "Bachstr. 4"), (60, 182, "88802 Spielkreis"),
        (60, 300, "Rechnung Nr. 17"),
    )  # fmt: skip
    assert names(found) == ("Elderwood Mills AG", "Ottilie Brandt")


def test_the_date_of_the_title_goes_before_other_dates() -> None:
    """A version, a notice and many days of work are not the date of the document whose title is dated."""
    days = [(40.0, 200 + 14 * n, f"Work on {n + 1:02}.04.2026 as agreed") for n in range(9)]
    found = read((40, 40, "Form of 24.03.2020"), (40, 70, "Invoice no. R-18 of 03.05.2026"), *days)
    assert found["date"] == "2026-05-03"


SHOP: JsonObject = {
    "type": "object",
    "properties": {
        "shop": {"type": "string", "description": "Name of the shop at the top of the receipt."},
        "address": {"type": "string", "description": "Full postal address of the shop, on one line."},
    },
}


@pytest.mark.parametrize(
    ("above", "between"),
    [("", ()), ("anna berg", ()), ("", ("(001963477-M)", "(GST ID No 001285423104)"))],
)
def test_a_shop_is_told_from_what_stands_around_its_name(above: str, between: tuple[str, ...]) -> None:
    """Neither a note over it nor its numbers are its name, and the region under the postal code is in the address."""
    lines = (
        above,
        "FERNWOOD TRADING",
        *between,
        "107, JALAN MELATI 2,",
        "48000 RAWANG",
        "SELANGOR",
        "Tel: 03 6093 6886",
    )
    shown = [(200 - 2.5 * len(text), 40 + 14 * at, text) for at, text in enumerate(lines) if text]
    found = EmbeddedModel().extract(parse_schema(SHOP), [page([*shown, (60, 200, "Total"), (300, 200, "9.00")])]).values
    assert found == {"shop": "FERNWOOD TRADING", "address": "107, JALAN MELATI 2, 48000 RAWANG, SELANGOR"}


def test_the_fine_line_of_the_sender_is_not_the_recipient() -> None:
    """In a window the sender stands small over who is written to."""
    letter = page([(60, 120, "Ottilie Brandt"), (60, 136, "Bachstr. 4"), (60, 152, "88802Spielkreis")])
    small = page([(60, 104, "Elderwood Mills"), (180, 104, "Mill Street 3"), (300, 104, "70771 Echterdingen")]).words
    fine = [replace(w, size=5.0, box=replace(w.box, y1=w.box.y0 + 5 / HEIGHT)) for w in small]
    found = EmbeddedModel().extract(parse_schema(LETTER), [replace(letter, words=(*fine, *letter.words))]).values
    assert found["buyer_name"] == "Ottilie Brandt"


def test_the_bank_of_a_statement_is_who_issues_it() -> None:
    """Two fields that ask for one name, printed once, are both given it."""
    asked: JsonObject = {
        "bank_name": {"type": "string", "description": "Name of the bank that keeps the account"},
        "issuer": {"type": "string", "description": "Company that issues the statement"},
    }
    pieces = [(50.0, 40.0, "Wolkenufer Bank eG"), (50.0, 54.0, "Kai 3"), (50.0, 68.0, "24103 Seestadt")]
    found = EmbeddedModel().extract(
        parse_schema({"type": "object", "properties": asked}), [page([*pieces, (50, 140, "Statement of account")])]
    )
    assert found.values == dict.fromkeys(asked, "Wolkenufer Bank eG")


VAT_IDS: JsonObject = {
    "seller_vat_id": {"type": "string", "description": "VAT number of the seller"},
    "buyer_vat_id": {"type": "string", "description": "VAT number of the buyer"},
}


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        (88, "", None),
        (226, "VAT no. GB 111 1111 11", "GB111111111"),
        (300, "Customer VAT no. GB 111 1111 11", "GB111111111"),
    ],
)
def test_the_vat_number_of_the_sender_is_not_the_customers(line: float, text: str, expected: str | None) -> None:
    """One under the address of the customer is, and one whose label says so."""
    pieces: list[tuple[float, float, str]] = [
        (60, 60, "Quillfox Paperworks Ltd"), (60, 74, "7 Inkwell Yard, Nowherebridge NW0 0ZZ"),
        (60, 88, "VAT no. GB 000 0000 00"), (60, 140, "Invoice QF-2026-0417"),
        (60, 170, "Bill to"), (60, 184, "Lantern & Loom Reading Rooms"), (60, 198, "19 Cobweb Stairs"),
        (60, 212, "Nowherebridge NW0 1ZZ"), (60, line, text),
    ]  # fmt: skip
    found = EmbeddedModel().extract(parse_schema({"type": "object", "properties": VAT_IDS}), [page(pieces)])
    assert found.values == {"seller_vat_id": "GB000000000", "buyer_vat_id": expected}


@pytest.mark.parametrize(
    ("line", "postal"),
    [
        ("110 00 Nová Lhota", True),
        ("00-950 Jasnowo", True),
        ("4450-123 Ponte Nova", True),
        ("150 00 EUR", False),
        ("1 150 00 Kč", False),
    ],
)
def test_the_codes_of_places_are_told_from_amounts(line: str, postal: bool) -> None:
    """Czech and Swedish, Polish, Portuguese ones; an amount in groups has its currency behind it."""
    assert looks_postal(line) is postal
