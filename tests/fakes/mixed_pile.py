"""Documents of several kinds for one pile, drawn on the spot: an invoice, a till receipt, a letter."""

from __future__ import annotations

import io
from collections.abc import Sequence

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

INVOICE, RECEIPT, LETTER = "invoice", "receipt", "letter"
_SLIP = (226, 480)
_PAGES: dict[str, Sequence[str]] = {
    INVOICE: (
        "INVOICE",
        "Marsh & Alder Joinery",
        "12 Ferry Row, Tidebury",
        "Invoice number: MA-2041",
        "Invoice date: 2026-10-05",
        "Due date: 2026-11-04",
        "Bill to: Heron Quay Library",
        "VAT number: GB 412 7781 09",
        "Description          Quantity     Unit price     Amount",
        "Oak shelf, 2 m              4          80.00     320.00",
        "Fitting, hours              3          45.00     135.00",
        "Subtotal: 455.00",
        "VAT 20%: 91.00",
        "Amount due: 546.00",
        "Payment terms: 30 days net",
    ),
    RECEIPT: (
        "THE COPPER KETTLE",
        "3 Mill Lane",
        "Tel: 01632 960 114",
        "RECEIPT",
        "Date: 12/10/2026   13:42",
        "Table 7   Guests: 2   Server: Ines",
        "1 Soup            5.50",
        "2 Mushroom pie   26.00",
        "2 Coffee          6.40",
        "Subtotal         37.90",
        "Tip               4.00",
        "TOTAL            41.90",
        "CASH             50.00",
        "CHANGE            8.10",
        "Thank you",
    ),
    LETTER: (
        "Dear neighbours,",
        "the roof of the back house will be mended in the first half of May.",
        "There will be scaffolding in the yard, so please move your bicycles.",
        "It may be noisy between eight and four, and we are sorry for that.",
        "On the last day we bring cake.",
        "Kind regards from the second floor",
    ),
}


def pile(*kinds: str) -> bytes:
    """A PDF of one page for each kind, in this order."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for kind in kinds:
        width, height = _SLIP if kind == RECEIPT else A4
        canvas.setPageSize((width, height))
        size = 9 if kind == RECEIPT else 11
        for number, line in enumerate(_PAGES[kind]):
            is_heading = number == 0 and kind != LETTER
            canvas.setFont("Helvetica-Bold" if is_heading else "Helvetica", size + 6 * is_heading)
            canvas.drawString(14 if kind == RECEIPT else 64, height - 40 - number * (size + 9), line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()
