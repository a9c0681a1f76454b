"""Invoices: one of two pages, and three by different issuers bound in one file."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from invoice_layout import Issuer, Order, draw_invoice
from paper import Page, Sample, record, render_pdf

QUILLFOX = Issuer(
    name="Quillfox Paperworks Ltd",
    address=("7 Inkwell Yard", "Nowherebridge NW0 0ZZ"),
    vat_id="GB 000 0000 00",
    country="en",
    currency="GBP",
    tax_rate=Decimal(20),
    look="band",
    colour=(0.13, 0.33, 0.42),
    goods=(
        ("Laid writing paper A4, cream, 500 sheets", "14.80"),
        ("Envelope C5, tissue lined, box of 50", "9.35"),
        ("Bookbinder's linen thread, 50 m", "6.20"),
        ("Bone folder, large", "7.90"),
        ("Marbled endpaper, 50 x 70 cm", "4.15"),
        ("Iron gall ink, 60 ml", "11.50"),
        ("Index cards ruled, pack of 100", "3.25"),
        ("Archive box, acid free", "8.60"),
        ("Blotting paper, 10 sheets", "2.95"),
        ("Wax sealing sticks, set of 6", "12.40"),
        ("Ledger, 200 pages, red spine", "27.00"),
        ("Cotton book cloth, per metre", "16.75"),
        ("Dip pen holder, beech", "5.10"),
        ("Nib assortment, tin of 12", "13.30"),
        ("Drafting tape, 25 mm", "3.80"),
        ("Guest book, half linen", "34.50"),
    ),
)
NEBELKRUG = Issuer(
    name="Nebelkrug Leuchten GmbH",
    address=("Am Glühfaden 3", "00017 Erfundingen"),
    vat_id="DE000000000",
    country="de",
    currency="EUR",
    tax_rate=Decimal(19),
    look="letter",
    colour=(0.45, 0.3, 0.05),
    goods=(
        ("Tischleuchte Glimm, Messing", "1149.00"),
        ("Leuchtmittel E27, warmweiß", "6.90"),
        ("Textilkabel, 3 m, grau", "18.50"),
        ("Wandleuchte Dämmer, weiß", "212.00"),
        ("Baldachin, rund", "24.75"),
        ("Dimmer, Unterputz", "58.40"),
    ),
)
RENARD = Issuer(
    name="Atelier Fauxrenard SARL",
    address=("12 rue de l'Encrier", "00420 Saint-Fictif"),
    vat_id="FR00000000000",
    country="fr",
    currency="EUR",
    tax_rate=Decimal(20),
    look="centred",
    colour=(0.35, 0.1, 0.2),
    goods=(
        ("Chaise pliante en hêtre", "86.00"),
        ("Table d'appoint, plateau rond", "1240.50"),
        ("Coussin de lin, écru", "22.90"),
        ("Étagère murale, chêne", "148.00"),
        ("Lampe de lecture", "64.30"),
    ),
)


def _field(kind: str, description: str, **more: str) -> dict[str, object]:
    return {"type": kind, "description": description, **more}


def invoice_schema() -> dict[str, object]:
    """The schema of both samples."""
    line = {
        "position": _field("integer", "Running number of the line, as printed"),
        "description": _field("string", "What was delivered, without quantity or price"),
        "quantity": _field("number", "How many units were delivered"),
        "unit_price": _field("number", "Price of one unit before tax"),
        "amount": _field("number", "Quantity times unit price, before tax"),
    }
    return {
        "type": "object",
        "x-checks": ["sum(lines.amount) == subtotal", "subtotal + tax == total", "invoice_date <= due_date"],
        "properties": {
            "invoice_number": _field("string", "Number that the issuer gave to this invoice"),
            "invoice_date": _field("string", "Day on which the invoice was issued", format="date"),
            "due_date": _field("string", "Last day for payment", format="date"),
            "order_number": _field("string", "The buyer's own order number"),
            "seller_name": _field("string", "Name of the firm that issued the invoice"),
            "seller_vat_id": _field("string", "Tax identification number of the issuer"),
            "buyer_name": _field("string", "Name of the person or body that must pay"),
            "buyer_address": _field("string", "Postal address of the buyer, without the name"),
            "currency": _field("string", "Three-letter code of the currency of all amounts"),
            "lines": {
                "type": "array",
                "description": "The delivered items, one entry a line, in printed order",
                "items": {"type": "object", "properties": line},
            },
            "subtotal": _field("number", "Sum of all lines before tax"),
            "tax_rate": _field("number", "Tax rate in percent"),
            "tax": _field("number", "Amount of tax"),
            "total": _field("number", "Amount to pay, tax included"),
        },
    }


def build_invoice() -> Sample:
    """A digital invoice whose table runs over two pages."""
    buyer = ("Lantern & Loom Reading Rooms", "19 Cobweb Stairs", "Nowherebridge NW0 1ZZ")
    order = Order("QF-2026-0417", date(2026, 9, 21), 30, buyer, "LL-3381", 46, seed=417)
    values, pages = draw_invoice(QUILLFOX, order)
    return Sample(
        "invoice",
        "document.pdf",
        render_pdf(pages, "Invoice QF-2026-0417"),
        invoice_schema(),
        [record(values, pages)],
        "A digital invoice in English. Its table of 46 lines breaks across two pages and repeats its header.",
    )


_BOUND = (
    (
        NEBELKRUG,
        Order(
            "2026-1098",
            date(2026, 10, 2),
            14,
            ("Ida Wackelmoos", "Blaubeerweg 8", "00018 Erfundingen"),
            "B-774",
            6,
            1,
        ),
    ),
    (
        QUILLFOX,
        Order(
            "QF-2026-0455",
            date(2026, 10, 7),
            30,
            ("Tobin Fernwhistle", "2 Puddle Row", "Nowherebridge NW0 2ZZ"),
            "TF-09",
            42,
            2,
        ),
    ),
    (
        RENARD,
        Order(
            "F26-00318",
            date(2026, 10, 12),
            45,
            ("Librairie Poudrelune", "4 place du Brouillard", "00421 Saint-Fictif"),
            "PL-61",
            5,
            3,
        ),
    ),
)
"""Issuers and orders of the invoices in one file."""


def build_bound_invoices() -> Sample:
    """Three invoices by three issuers in one file."""
    records: list[dict[str, object]] = []
    pages: list[Page] = []
    for issuer, order in _BOUND:
        values, own = draw_invoice(issuer, order, first_page=len(pages) + 1)
        records.append(record(values, own))
        pages.extend(own)
    return Sample(
        "bound_invoices",
        "document.pdf",
        render_pdf(pages, "Bound invoices"),
        invoice_schema(),
        records,
        (
            "Three invoices by different issuers in German (page 1), English (pages 2 and 3) and French (page 4), "
            "bound in one file, for `split_documents`: three records, each amount and date as its country writes it."
        ),
    )
