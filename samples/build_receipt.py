"""A till receipt, photographed on a table."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from camera import Shot, move_marks, photograph
from paper import PHOTOGRAPHED, Letters, Page, Sample, Values, record, render_image

LEFT, RIGHT, MIDDLE = 16.0, 264.0, 140.0
CENT = Decimal("0.01")
ITEMS = (
    ("Flat white", 2, "3.40"), ("Rye toast, plum jam", 1, "4.85"), ("Mushroom pasty", 2, "5.20"),
    ("Pear juice 0.3 l", 1, "3.10"),
    ("Oat biscuit", 3, "1.75"), ("Bean soup of the day", 1, "6.90"),
)  # fmt: skip
SHOT = Shot(
    size=(1120, 1600), corners=((138, 84), (968, 52), (1032, 1516), (92, 1548)),
    blur=0.9, noise=5.0, shadow=0.42, table=(92, 70, 54), seed=88, quality=58,
)  # fmt: skip


def build_receipt() -> Sample:
    """A receipt as a camera sees it: slanted, noisy, unevenly lit."""
    page = Page(size=(280, 470), fonts=PHOTOGRAPHED)
    _head(page)
    items, y = _items(page, 168)
    gross = sum((Decimal(str(item["amount"])) for item in items), Decimal(0))
    net = (gross / Decimal("1.10")).quantize(CENT, ROUND_HALF_UP)
    paid = Decimal(50)
    _foot(page, y, net, gross, paid)
    values: Values = {
        "merchant": "Tinderleaf Corner Café",
        "address": "31 Lamplighter Lane, Nowherebridge",
        "phone": "01632 960147",
        "receipt_number": "004518",
        "date": "2026-10-17",
        "time": "13:42",
        "items": items,
        "net": float(net),
        "tax": float(gross - net),
        "total": float(gross),
        "cash_given": float(paid),
        "change": float(paid - gross),
    }
    moved = move_marks(page, SHOT)
    content = photograph(render_image(page, dpi=230), SHOT)
    return Sample(
        "receipt", "document.jpg", content, _schema(), [record(values, [moved])],
        "A till receipt as a phone photograph: perspective, blur, grain, a shadow over the lower right. No text layer.",
    )  # fmt: skip


def _head(page: Page) -> None:
    page.text(MIDDLE, 34, "Tinderleaf Corner Café", Letters(15, "sans-bold", align="centre"), field="/merchant")
    page.text(MIDDLE, 52, "31 Lamplighter Lane", Letters(10, align="centre"), field="/address")
    page.text(MIDDLE, 65, "Nowherebridge", Letters(10, align="centre"), field="/address")
    tel = "Tel. "
    start = MIDDLE - page.width_of(tel + "01632 960147", 10) / 2
    page.text(start, 78, tel, Letters(10))
    page.text(start + page.width_of(tel, 10), 78, "01632 960147", Letters(10), field="/phone")
    _dashes(page, 90)
    page.text(LEFT, 106, "Receipt no. ", Letters(10))
    page.text(LEFT + page.width_of("Receipt no. ", 10), 106, "004518", Letters(10), field="/receipt_number")
    page.text(RIGHT, 106, "Till 2", Letters(10, align="right"))
    page.text(LEFT, 120, "Date 17/10/2026", Letters(10))
    lead = page.width_of("Date ", 10)
    page.mark("/date", (LEFT + lead, 112.6, LEFT + page.width_of("Date 17/10/2026", 10), 122.1))
    page.text(RIGHT, 120, "13:42", Letters(10, align="right"), field="/time")
    _dashes(page, 130)
    page.text(LEFT, 146, "Qty", Letters(9.5, "sans-bold"))
    page.text(52, 146, "Item", Letters(9.5, "sans-bold"))
    page.text(RIGHT, 146, "GBP", Letters(9.5, "sans-bold", align="right"))


def _dashes(page: Page, y: float) -> None:
    x = LEFT
    while x < RIGHT:
        page.line(x, y, x + 4, y, width=0.7)
        x += 7


def _items(page: Page, y: float) -> tuple[list[dict[str, str | int | float | bool | None]], float]:
    items: list[dict[str, str | int | float | bool | None]] = []
    for index, (name, quantity, price) in enumerate(ITEMS):
        amount = Decimal(price) * quantity
        page.text(LEFT, y, str(quantity), Letters(10), field=f"/items/{index}/quantity")
        page.text(52, y, name, Letters(10), field=f"/items/{index}/description")
        page.text(RIGHT, y, f"{amount:.2f}", Letters(10, align="right"), field=f"/items/{index}/amount")
        items.append({"description": name, "quantity": quantity, "amount": float(amount)})
        y += 17
    return items, y


def _foot(page: Page, y: float, net: Decimal, gross: Decimal, paid: Decimal) -> None:
    _dashes(page, y - 4)
    rows = (
        ("Net", net, "/net", 10.0), ("VAT 10%", gross - net, "/tax", 10.0), ("TOTAL", gross, "/total", 14.0),
        ("Cash", paid, "/cash_given", 10.0), ("Change", paid - gross, "/change", 10.0),
    )  # fmt: skip
    y += 14
    for label, amount, field, size in rows:
        face = "sans-bold" if label == "TOTAL" else "sans"
        page.text(LEFT, y, label, Letters(size, face))
        page.text(RIGHT, y, f"{amount:.2f}", Letters(size, face, align="right"), field=field)
        y += 20
    page.text(MIDDLE, y + 16, "Thank you, mind the step!", Letters(10, "sans-italic", align="centre"))
    page.text(MIDDLE, y + 34, "Sample: this café is invented", Letters(8, align="centre"))


def _schema() -> dict[str, object]:
    item = {
        "description": {"type": "string", "description": "What was bought"},
        "quantity": {"type": "number", "description": "How many pieces"},
        "amount": {"type": "number", "description": "Price of this line, all pieces together"},
    }
    return {
        "type": "object",
        "x-checks": ["sum(items.amount) == total", "net + tax == total", "cash_given - total == change"],
        "properties": {
            "merchant": {"type": "string", "description": "Name of the shop or café"},
            "address": {"type": "string", "description": "Street and town of the shop"},
            "phone": {"type": "string", "description": "Telephone number of the shop"},
            "receipt_number": {"type": "string", "description": "Number of the receipt, with leading zeros"},
            "date": {"type": "string", "format": "date", "description": "Day of the purchase"},
            "time": {"type": "string", "description": "Time of the purchase, hours and minutes"},
            "items": {
                "type": "array",
                "description": "Each thing bought, in printed order",
                "items": {"type": "object", "properties": item},
            },
            "net": {"type": "number", "description": "Total without tax"},
            "tax": {"type": "number", "description": "Tax contained in the total"},
            "total": {"type": "number", "description": "Total of the receipt, tax included"},
            "cash_given": {"type": "number", "description": "Cash that the customer handed over"},
            "change": {"type": "number", "description": "Cash handed back"},
        },
    }
