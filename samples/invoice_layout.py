"""How three firms lay out an invoice, each in the words and figures of its country."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from paper import GREY, Colour, Face, Letters, Page, Values, day, money

CENT = Decimal("0.01")
LEFT, RIGHT, FOOT = 56.0, 540.0, 770.0
ROW = 15.5

WORDS = {
    "en": {
        "title": "INVOICE", "number": "Invoice number", "date": "Invoice date", "due": "Due date",
        "order": "Your order", "to": "Bill to", "pos": "No.", "text": "Description", "qty": "Qty",
        "price": "Unit price", "amount": "Amount", "subtotal": "Subtotal", "tax": "VAT", "total": "Total due",
        "page": "Page", "of": "of", "vat": "VAT ID",
        "note": "Sample document: this firm, its customer and all figures are invented.",
    },
    "de": {
        "title": "Rechnung", "number": "Rechnungsnummer", "date": "Rechnungsdatum", "due": "Zahlbar bis",
        "order": "Ihre Bestellung", "to": "Rechnung an", "pos": "Pos.", "text": "Bezeichnung", "qty": "Menge",
        "price": "Einzelpreis", "amount": "Betrag", "subtotal": "Nettobetrag", "tax": "USt.", "total": "Gesamtbetrag",
        "page": "Seite", "of": "von", "vat": "USt-IdNr.",
        "note": "Musterdokument: Firma, Kundin und alle Zahlen sind erfunden.",
    },
    "fr": {
        "title": "FACTURE", "number": "Facture n°", "date": "Date de facture", "due": "Date d'échéance",
        "order": "Votre commande", "to": "Facturé à", "pos": "N°", "text": "Désignation", "qty": "Quantité",
        "price": "Prix unitaire", "amount": "Montant", "subtotal": "Total HT", "tax": "TVA", "total": "Total TTC",
        "page": "Page", "of": "sur", "vat": "N° TVA",
        "note": "Document d'exemple : société, cliente et chiffres sont inventés.",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Issuer:
    """Who writes invoices, and how they look."""

    name: str
    address: tuple[str, ...]
    vat_id: str
    country: str
    currency: str
    tax_rate: Decimal
    look: str
    """`band`: name on a coloured band; `letter`: details at the right; `centred`: serif, all in the middle."""
    colour: Colour
    goods: tuple[tuple[str, str], ...]
    """What they sell, with the price."""


@dataclass(frozen=True)
class Order:
    """What one invoice is about."""

    number: str
    when: date
    days: int
    buyer: tuple[str, ...]
    order: str
    rows: int
    seed: int


@dataclass
class Layout:
    """The pages of one invoice while they are written, and what is true of it."""

    issuer: Issuer
    order: Order
    first_page: int

    def __post_init__(self) -> None:
        self.words = WORDS[self.issuer.country]
        serif = self.issuer.look == "centred"
        self.plain: Face = "serif" if serif else "sans"
        self.bold: Face = "serif-bold" if serif else "sans-bold"
        self.pages: list[Page] = []

    def new_page(self) -> Page:
        """Start a page."""
        page = Page(number=self.first_page + len(self.pages))
        page.text(LEFT, 812, self.words["note"], Letters(7, self.plain, colour=GREY))
        self.pages.append(page)
        return page

    def money(self, amount: Decimal) -> str:
        """In the issuer's own writing."""
        return money(amount, self.issuer.country)

    def day(self, when: date) -> str:
        """In the issuer's own writing."""
        return day(when, self.issuer.country)


def draw_invoice(issuer: Issuer, order: Order, first_page: int = 1) -> tuple[Values, list[Page]]:
    """Draw one invoice and give its truth and its pages."""
    layout = Layout(issuer, order, first_page)
    page = layout.new_page()
    top = {"band": _head_band, "letter": _head_letter, "centred": _head_centred}[issuer.look](layout, page)
    lines, page, y = _table(layout, page, top)
    subtotal = sum((Decimal(str(line["amount"])) for line in lines), Decimal(0))
    tax = (subtotal * issuer.tax_rate / 100).quantize(CENT, ROUND_HALF_UP)
    _totals(layout, page, y, {"subtotal": subtotal, "tax": tax, "total": subtotal + tax})
    for number, each in enumerate(layout.pages, start=1):
        numbering = f"{layout.words['page']} {number} {layout.words['of']} {len(layout.pages)}"
        each.text(RIGHT, 812, numbering, Letters(8, layout.plain, align="right", colour=GREY))
    values: Values = {
        "invoice_number": order.number,
        "invoice_date": order.when.isoformat(),
        "due_date": (order.when + timedelta(days=order.days)).isoformat(),
        "order_number": order.order,
        "seller_name": issuer.name,
        "seller_vat_id": issuer.vat_id,
        "buyer_name": order.buyer[0],
        "buyer_address": ", ".join(order.buyer[1:]),
        "currency": issuer.currency,
        "lines": lines,
        "subtotal": float(subtotal),
        "tax_rate": float(issuer.tax_rate),
        "tax": float(tax),
        "total": float(subtotal + tax),
    }
    return values, layout.pages


def _details(layout: Layout) -> list[tuple[str, str, str]]:
    """Label, printed text and field of what stands beside the address."""
    words, order = layout.words, layout.order
    return [
        (words["number"], order.number, "/invoice_number"),
        (words["date"], layout.day(order.when), "/invoice_date"),
        (words["due"], layout.day(order.when + timedelta(days=order.days)), "/due_date"),
        (words["order"], order.order, "/order_number"),
    ]


def _buyer(layout: Layout, page: Page, x: float, y: float) -> None:
    for index, text in enumerate(layout.order.buyer):
        field = "/buyer_address" if index else "/buyer_name"
        page.text(x, y + 13 * index, text, Letters(10, layout.plain if index else layout.bold), field=field)


def _head_band(layout: Layout, page: Page) -> float:
    issuer, white = layout.issuer, (1.0, 1.0, 1.0)
    page.block((0, 0, page.size[0], 84), colour=issuer.colour)
    page.text(LEFT, 44, issuer.name, Letters(19, layout.bold, colour=white), field="/seller_name")
    page.text(LEFT, 62, " · ".join(issuer.address), Letters(9, colour=white))
    page.text(RIGHT, 50, layout.words["title"], Letters(24, layout.bold, align="right", colour=white))
    page.text(LEFT, 118, layout.words["to"], Letters(8, colour=GREY))
    _buyer(layout, page, LEFT, 132)
    for index, (label, text, field) in enumerate(_details(layout)):
        page.text(350, 120 + 16 * index, label, Letters(9, colour=GREY))
        page.text(RIGHT, 120 + 16 * index, text, Letters(9.5, layout.bold, align="right"), field=field)
    page.text(350, 184, layout.words["vat"], Letters(9, colour=GREY))
    page.text(RIGHT, 184, issuer.vat_id, Letters(9.5, layout.plain, align="right"), field="/seller_vat_id")
    return 226


def _head_letter(layout: Layout, page: Page) -> float:
    issuer = layout.issuer
    page.text(
        RIGHT, 60, issuer.name, Letters(15, layout.bold, align="right", colour=issuer.colour), field="/seller_name"
    )
    for index, text in enumerate(issuer.address):
        page.text(RIGHT, 76 + 12 * index, text, Letters(9, align="right"))
    page.text(LEFT, 134, f"{issuer.name} · {' · '.join(issuer.address)}", Letters(6.5, colour=GREY))
    page.line(LEFT, 138, 260, 138, colour=GREY, width=0.3)
    _buyer(layout, page, LEFT, 156)
    for index, (label, text, field) in enumerate(
        [*_details(layout), (layout.words["vat"], issuer.vat_id, "/seller_vat_id")]
    ):
        page.text(350, 156 + 14 * index, f"{label}:", Letters(9))
        page.text(446, 156 + 14 * index, text, Letters(9), field=field)
    page.text(LEFT, 262, f"{layout.words['title']} {layout.order.number}", Letters(15, layout.bold))
    return 296


def _head_centred(layout: Layout, page: Page) -> float:
    issuer, middle = layout.issuer, page.size[0] / 2
    page.text(
        middle, 62, issuer.name, Letters(20, layout.bold, align="centre", colour=issuer.colour), field="/seller_name"
    )
    page.text(middle, 78, " — ".join(issuer.address), Letters(10, layout.plain, align="centre"))
    vat = f"{layout.words['vat']} "
    start = middle - page.width_of(vat + issuer.vat_id, 9, layout.plain) / 2
    page.text(start, 92, vat, Letters(9, layout.plain, colour=GREY))
    page.text(
        start + page.width_of(vat, 9, layout.plain), 92, issuer.vat_id, Letters(9, layout.plain), field="/seller_vat_id"
    )
    page.line(LEFT, 104, RIGHT, 104, colour=issuer.colour, width=1.2)
    page.text(middle, 134, layout.words["title"], Letters(17, layout.bold, align="centre"))
    for index, (label, text, field) in enumerate(_details(layout)):
        lead = f"{label} : "
        page.text(LEFT, 162 + 15 * index, lead, Letters(10, layout.plain, colour=GREY))
        page.text(
            LEFT + page.width_of(lead, 10, layout.plain), 162 + 15 * index, text, Letters(10, layout.plain), field=field
        )
    page.text(350, 162, layout.words["to"], Letters(9, "serif-italic", colour=GREY))
    _buyer(layout, page, 350, 177)
    return 250


def _columns(layout: Layout, page: Page, y: float) -> float:
    words, colour = layout.words, layout.issuer.colour
    if layout.issuer.look == "band":
        page.block((LEFT - 4, y - 12, RIGHT + 4, y + 6), colour=(0.88, 0.92, 0.94))
    page.text(LEFT, y, words["pos"], Letters(8.5, layout.bold, colour=colour))
    page.text(88, y, words["text"], Letters(8.5, layout.bold, colour=colour))
    for x, word in ((376, "qty"), (458, "price"), (RIGHT, "amount")):
        label = words[word] if word == "qty" else f"{words[word]} {layout.issuer.currency}"
        page.text(x, y, label, Letters(8.5, layout.bold, align="right", colour=colour))
        if word == "amount" and not page.number - layout.first_page:
            width = page.width_of(layout.issuer.currency, 8.5, layout.bold)
            page.mark("/currency", (RIGHT - width, y - 6.3, RIGHT, y + 1.8))
    page.line(LEFT, y + 6, RIGHT, y + 6, colour=colour, width=0.8)
    return y + 6 + ROW


def _table(
    layout: Layout, page: Page, top: float
) -> tuple[list[dict[str, str | int | float | bool | None]], Page, float]:
    rng = random.Random(layout.order.seed)
    lines: list[dict[str, str | int | float | bool | None]] = []
    y = _columns(layout, page, top)
    for index in range(layout.order.rows):
        if y > FOOT - 20:
            page = layout.new_page()
            page.text(
                LEFT, 48, f"{layout.words['number']} {layout.order.number}", Letters(9, layout.plain, colour=GREY)
            )
            y = _columns(layout, page, 82)
        description, price_text = layout.issuer.goods[index % len(layout.issuer.goods)]
        price, quantity = Decimal(price_text), rng.randint(1, 24)
        amount = price * quantity
        cells = (
            ("position", LEFT, str(index + 1), "left"), ("description", 88.0, description, "left"),
            ("quantity", 376.0, str(quantity), "right"), ("unit_price", 458.0, layout.money(price), "right"),
            ("amount", RIGHT, layout.money(amount), "right"),
        )  # fmt: skip
        for name, x, text, side in cells:
            page.text(
                x,
                y,
                text,
                Letters(9, layout.plain, align="right" if side == "right" else "left"),
                field=f"/lines/{index}/{name}",
            )
        if layout.issuer.look != "centred":
            page.line(LEFT, y + 4.5, RIGHT, y + 4.5, colour=(0.8, 0.8, 0.8), width=0.3)
        lines.append(
            {
                "position": index + 1,
                "description": description,
                "quantity": quantity,
                "unit_price": float(price),
                "amount": float(amount),
            }
        )
        y += ROW
    return lines, page, y


def _totals(layout: Layout, page: Page, y: float, sums: dict[str, Decimal]) -> None:
    page.line(330, y, RIGHT, y, colour=layout.issuer.colour)
    words, rate = layout.words, f"{layout.issuer.tax_rate} %"
    for index, (name, amount) in enumerate(sums.items()):
        face = layout.bold if name == "total" else layout.plain
        size, line = (11.0, y + 18 + 18 * index) if name == "total" else (9.5, y + 16 + 16 * index)
        page.text(336, line, words[name], Letters(size, face))
        if name == "tax":
            after = 336 + page.width_of(f"{words[name]} ", size, face)
            page.text(after, line, rate, Letters(size, face), field="/tax_rate")
        page.text(RIGHT, line, layout.money(amount), Letters(size, face, align="right"), field=f"/{name}")
