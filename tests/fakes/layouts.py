"""Ten layouts of invoices that nobody labelled as one would expect, each with as many documents as are wanted."""

from __future__ import annotations

import datetime as dt
import io
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

Json = Any
LAYOUTS = 10
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "document_number": {"type": "string", "description": "Number of the invoice"},
        "issue_date": {"type": "string", "format": "date", "description": "Date of the invoice"},
        "due_date": {"type": "string", "format": "date", "description": "Date by which it is to be paid"},
        "customer_number": {"type": "string", "description": "Number of the customer"},
        "buyer_name": {"type": "string", "description": "Name of the buyer"},
        "net": {"type": "number", "description": "Amount without tax"},
        "total": {"type": "number", "description": "Amount to pay"},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "description": {"type": "string"},
                    "quantity": {"type": "number"},
                    "amount": {"type": "number"},
                },
            },
        },
    },
}
_SELLERS = (
    "Amberfold Mills",
    "Tidewright Supply",
    "Nettlebank Glass",
    "Corvane Tools",
    "Hollin Press",
    "Saltmere Foods",
    "Umberline Fabrics",
    "Wrenfield Optics",
    "Kestrand Timber",
    "Yarrowgate Paints",
)
_BUYERS = ("Plumbrook Stores", "Ferrowhite Clinic", "Dunmoor School", "Alderquay Hotel", "Brackton Garage")
_GOODS = ("oak board", "linen sheet", "steel hinge", "glass jar", "copper wire", "wool felt", "paper roll", "tin can")
_LABELS: Mapping[str, tuple[str, ...]] = {
    "document_number": ("Vorgang", "Our sign", "Folio mark", "Slip key", "Leaf"),
    "issue_date": ("Put up", "Drawn", "Stamped", "Written on", "Set down"),
    "due_date": ("Settle until", "Grace", "Last call", "Open till", "Ends"),
    "customer_number": ("Card", "Ledger leaf", "Your sign", "Friend key", "House"),
    "net": ("Plain worth", "Before duty", "Bare sum", "Goods in all", "Worth"),
    "total": ("To hand over", "Kindly send", "All told", "Asked of you", "Comes to"),
}
_HEADS = {
    "description": ("Piece", "Ware", "What"),
    "quantity": ("Times", "Heap", "Lot"),
    "amount": ("Worth", "Coin", "Said price"),
}


@dataclass(frozen=True)
class Specimen:
    """A document and what is right."""

    name: str
    data: bytes
    truth: Json


@dataclass(frozen=True)
class _Layout:
    number: int
    labels: Mapping[str, str]
    heads: Mapping[str, str]
    order: tuple[str, ...]
    columns: Mapping[str, float]
    left: float
    above: bool
    """Whether labels stand over their values."""
    day_format: str


def specimens(layout: int, count: int = 3, *, seed: int = 7) -> list[Specimen]:
    """Documents of one layout, with other values each; the same ones for a seed."""
    shape = _layout(layout, random.Random(f"{seed}/{layout}"))
    return [_specimen(shape, n, random.Random(f"{seed}/{layout}/{n}")) for n in range(count)]


def _layout(number: int, chance: random.Random) -> _Layout:
    order = ["document_number", "issue_date", "due_date", "customer_number"]
    chance.shuffle(order)
    names = ["description", "quantity", "amount"]
    places = chance.choice([(60, 330, 470), (60, 250, 400), (120, 300, 440)])
    return _Layout(
        number=number,
        labels={name: chance.choice(offered) for name, offered in _LABELS.items()},
        heads={name: chance.choice(offered) for name, offered in _HEADS.items()},
        order=tuple(order),
        columns=dict(zip(names, places, strict=True)),
        left=chance.choice([60, 300, 340]),
        above=chance.random() < 0.4,
        day_format=chance.choice(["%d.%m.%Y", "%d %B %Y", "%Y-%m-%d"]),
    )


def _specimen(shape: _Layout, n: int, chance: random.Random) -> Specimen:
    day = dt.date(2026, 1, 10) + dt.timedelta(days=chance.randrange(240))
    due = day + dt.timedelta(days=chance.choice([14, 30, 45]))
    lines: list[dict[str, Json]] = [
        {
            "description": f"{chance.choice(_GOODS)} {chance.choice('ABCDEF')}",
            "quantity": chance.randrange(2, 40),
            "amount": round(chance.uniform(8, 900), 2),
        }
        for _ in range(chance.randrange(2, 7))
    ]
    net = round(sum(line["amount"] for line in lines), 2)
    total = round(net * 1.19, 2)
    truth: Json = {
        "document_number": f"{chance.choice('ABCD')}{chance.randrange(1000, 9999)}/{chance.randrange(10, 99)}",
        "issue_date": day.isoformat(),
        "due_date": due.isoformat(),
        "customer_number": str(chance.randrange(100000, 999999)),
        "buyer_name": chance.choice(_BUYERS),
        "net": net,
        "total": total,
        "lines": lines,
    }
    printed = {**truth, "issue_date": day.strftime(shape.day_format), "due_date": due.strftime(shape.day_format)}
    return Specimen(f"layout-{shape.number}-{n}.pdf", _draw(shape, printed), truth)


def _draw(shape: _Layout, printed: Json) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(60, 780, _SELLERS[shape.number % len(_SELLERS)])
    canvas.setFont("Helvetica", 10)
    canvas.drawString(60, 764, f"{shape.number + 3} Lowmarsh Lane, Fennick")
    canvas.drawString(60, 700, printed["buyer_name"])
    canvas.drawString(60, 686, "Harbour Road, Fennick")
    y = 640.0
    for name in shape.order:
        if shape.above:
            canvas.drawString(shape.left, y, shape.labels[name])
            canvas.drawString(shape.left, y - 13, str(printed[name]))
            y -= 32
        else:
            canvas.drawString(shape.left, y, shape.labels[name])
            canvas.drawString(shape.left + 110, y, str(printed[name]))
            y -= 18
    y -= 24
    for name, x in shape.columns.items():
        canvas.drawString(x, y, shape.heads[name])
    for line in printed["lines"]:
        y -= 16
        canvas.drawString(shape.columns["description"], y, line["description"])
        canvas.drawString(shape.columns["quantity"], y, str(line["quantity"]))
        canvas.drawString(shape.columns["amount"], y, f"{line['amount']:.2f}")
    for name in ("net", "total"):
        y -= 24
        canvas.drawString(shape.columns["quantity"] - 40, y, shape.labels[name])
        canvas.drawString(shape.columns["amount"], y, f"{printed[name]:.2f}")
    canvas.drawString(60, 60, "Fennick Savings House, thank you for your trust")
    canvas.save()
    return out.getvalue()
