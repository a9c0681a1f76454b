"""An invoice of one page with twenty values, drawn on the spot: what every extraction client is shown."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from reportlab.pdfgen.canvas import Canvas

Json = Any
TRUTH: Mapping[str, Json] = {
    "invoice_number": "QF-2026-0417",
    "invoice_date": "2026-09-21",
    "due_date": "2026-10-21",
    "order_number": "LL-3381",
    "seller_name": "Quillfox Paperworks Ltd",
    "buyer_name": "Lantern & Loom Reading Rooms",
    "lines": [
        {"description": "Bone folder, large", "quantity": 2, "unit_price": 7.9, "amount": 15.8},
        {"description": "Iron gall ink, 60 ml", "quantity": 13, "unit_price": 11.5, "amount": 149.5},
        {"description": "Archive box, acid free", "quantity": 22, "unit_price": 8.6, "amount": 189.2},
    ],
    "subtotal": 354.5,
    "total": 425.4,
}
SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "invoice_number": {"type": "string", "description": "Number that the issuer gave to this invoice"},
        "invoice_date": {"type": "string", "format": "date", "description": "Day on which the invoice was issued"},
        "due_date": {"type": "string", "format": "date", "description": "Last day for payment"},
        "order_number": {"type": "string", "description": "The buyer's own order number"},
        "seller_name": {"type": "string", "description": "Name of the firm that issued the invoice"},
        "buyer_name": {"type": "string", "description": "Name of the person or body that must pay"},
        "lines": {
            "type": "array",
            "description": "The delivered items, one entry a line",
            "items": {
                "type": "object",
                "properties": {
                    "description": {"type": "string", "description": "What was delivered"},
                    "quantity": {"type": "number", "description": "How many units were delivered"},
                    "unit_price": {"type": "number", "description": "Price of one unit before tax"},
                    "amount": {"type": "number", "description": "Quantity times unit price, before tax"},
                },
            },
        },
        "subtotal": {"type": "number", "description": "Sum of all lines before tax"},
        "total": {"type": "number", "description": "Amount to pay, tax included"},
    },
}
_LABEL, _VALUE, _DESCRIPTION, _QUANTITY, _PRICE, _AMOUNT = 72, 200, 72, 290, 360, 450
_HEAD = (
    ("Invoice number:", "QF-2026-0417"),
    ("Invoice date:", "2026-09-21"),
    ("Due date:", "2026-10-21"),
    ("Order number:", "LL-3381"),
    ("Seller:", "Quillfox Paperworks Ltd"),
    ("Bill to:", "Lantern & Loom Reading Rooms"),
)
_ROWS = (
    ("Description", "Quantity", "Unit price", "Amount"),
    ("Bone folder, large", "2", "7.90", "15.80"),
    ("Iron gall ink, 60 ml", "13", "11.50", "149.50"),
    ("Archive box, acid free", "22", "8.60", "189.20"),
    ("", "", "Subtotal", "354.50"),
    ("", "", "VAT 20%", "70.90"),
    ("", "", "Total GBP", "425.40"),
)
_PRINTED = (
    (780, 16, ((_LABEL, "INVOICE"),)),
    *((740 - 16 * n, 11, ((_LABEL, label), (_VALUE, value))) for n, (label, value) in enumerate(_HEAD)),
    *(
        (620 - 16 * n, 11, tuple(zip((_DESCRIPTION, _QUANTITY, _PRICE, _AMOUNT), row, strict=True)))
        for n, row in enumerate(_ROWS)
    ),
)
"""Lines: the height of the baseline, the size of the print, and texts with where they begin, in points."""


def draw_invoice() -> bytes:
    """The page as a PDF."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for y, size, texts in _PRINTED:
        canvas.setFont("Helvetica", size)
        for x, text in texts:
            canvas.drawString(x, y, text)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()
