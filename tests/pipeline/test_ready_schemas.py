"""Each schema that comes with the product, on a document of its kind."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from reportlab.pdfgen.canvas import Canvas

from samples.compare import count_right
from service.domain.schema import parse_schema
from service.extraction.schema.effective import effective_schema
from service.jobs.intake.schemas import ready_schemas
from tests.fakes.local_service import SAMPLES
from tests.fakes.pipeline import Pipeline

ENOUGH = 0.6
"""Share of the values that a document and its schema have in common."""
OF_SAMPLES = {"invoice": "invoice", "receipt": "receipt", "bank_statement": "bank_statement"}


def of_sample(folder: str) -> tuple[bytes, Any]:
    """A sample's document and its truth."""
    document = next((SAMPLES / folder).glob("document.*")).read_bytes()
    truth = json.loads((SAMPLES / folder / "expected.json").read_text(encoding="utf-8"))
    return document, truth["records"][0]["values"]


def contract() -> tuple[bytes, Any]:
    """An agreement of our own wording."""
    lines = [
        "SERVICE AGREEMENT",
        "Contract number: SA-2041",
        "Effective date: 1 March 2026",
        "End date: 28 February 2027",
        "Term: twelve months",
        "Notice period: three months",
        "Governing law: State of Nowhere",
        "Amount: EUR 14,400.00",
        "Signed on: 17 February 2026",
    ]
    truth = {
        "contract_number": "SA-2041",
        "effective_date": "2026-03-01",
        "end_date": "2027-02-28",
        "term": "twelve months",
        "notice_period": "three months",
        "governing_law": "State of Nowhere",
        "amount": 14400,
        "currency": "EUR",
        "signed_on": "2026-02-17",
    }
    return printed(lines), truth


def tax_form() -> tuple[bytes, Any]:
    """A form of our own wording, filled in."""
    lines = [
        "ANNUAL WAGE CERTIFICATE",
        "Tax year: 2025",
        "Name of taxpayer: Wilhelmina Thistlewood",
        "Tax identification number: 00-7731-42",
        "Street: 14 Heron's Elbow",
        "Country: Nowhere",
        "Payer's name: Quillfox Paperworks Ltd",
        "Income: 41,250.00",
        "Tax withheld: 6,180.50",
        "Date of birth: 9 March 1984",
        "Signed on: 31 January 2026",
    ]
    truth = {
        "tax_year": 2025,
        "taxpayer_name": "Wilhelmina Thistlewood",
        "tax_id": "00-7731-42",
        "street": "14 Heron's Elbow",
        "country": "Nowhere",
        "payer_name": "Quillfox Paperworks Ltd",
        "income": 41250,
        "tax_withheld": 6180.5,
        "date_of_birth": "1984-03-09",
        "signed_on": "2026-01-31",
    }
    return printed(lines), truth


def purchase_order() -> tuple[bytes, Any]:
    """An order of our own wording, with lines."""
    rows = [("A-14", "Oak shelf", 4, 32.5), ("B-02", "Brass hinge", 24, 1.75), ("C-77", "Wood oil, 1 l", 3, 18.0)]
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    heads = ["PURCHASE ORDER", "Order number: PO-5512", "Order date: 2026-04-07", "Delivery date: 2026-04-21"]
    heads += ["Supplier: Larchwood Joinery", "Payment terms: 30 days net"]
    for number, line in enumerate(heads):
        canvas.drawString(60, 780 - 18 * number, line)
    columns = (60, 130, 330, 400, 480)
    table = [("Item", "Description", "Quantity", "Unit price", "Amount")]
    table += [(item, what, str(count), f"{price:.2f}", f"{count * price:.2f}") for item, what, count, price in rows]
    for number, row in enumerate(table):
        for x, text in zip(columns, row, strict=True):
            canvas.drawString(x, 640 - 18 * number, text)
    subtotal = sum(count * price for _, _, count, price in rows)
    sums = (("Subtotal", subtotal), ("Tax", 45.2), ("Shipping", 12.0), ("Total", subtotal + 57.2))
    for number, (label, amount) in enumerate(sums):
        canvas.drawString(400, 540 - 18 * number, label)
        canvas.drawString(480, 540 - 18 * number, f"{amount:.2f}")
    canvas.save()
    truth = {
        "order_number": "PO-5512",
        "order_date": "2026-04-07",
        "delivery_date": "2026-04-21",
        "supplier_name": "Larchwood Joinery",
        "payment_terms": "30 days net",
        "lines": [
            {"item_number": item, "description": what, "quantity": count, "unit_price": price, "amount": count * price}
            for item, what, count, price in rows
        ],
        "subtotal": subtotal,
        "tax": 45.2,
        "shipping": 12.0,
        "total": subtotal + 57.2,
    }
    return out.getvalue(), truth


def printed(lines: list[str]) -> bytes:
    """A page with a heading and lines."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for number, line in enumerate(lines):
        canvas.setFont("Helvetica-Bold" if number == 0 else "Helvetica", 16 if number == 0 else 11)
        canvas.drawString(72, 760 - 26 * number, line)
    canvas.save()
    return out.getvalue()


DOCUMENTS: dict[str, Callable[[], tuple[bytes, Any]]] = {
    **{name: lambda folder=folder: of_sample(folder) for name, folder in OF_SAMPLES.items()},
    "contract": contract,
    "tax_form": tax_form,
    "purchase_order": purchase_order,
}


def test_every_ready_schema_has_a_document_here() -> None:
    """None is offered that nobody tried."""
    assert set(ready_schemas()) == set(DOCUMENTS)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_a_ready_schema_extracts_its_kind(service: Pipeline, name: str) -> None:
    """At least the agreed share of what both know; values satisfy the effective schema."""
    document, truth = DOCUMENTS[name]()
    source = ready_schemas()[name].source
    job = service.run(document, schema=source, name=f"{name}.pdf", model="embedded")
    record = service.result(job)["records"][0]
    jsonschema.validate(record["values"], effective_schema(parse_schema(source)), jsonschema.Draft202012Validator)
    right, total = count_right(comparable(truth, source), record["values"])
    wrong = {
        k: (v, record["values"].get(k)) for k, v in truth.items() if count_right(v, record["values"].get(k))[0] == 0
    }
    assert right >= ENOUGH * total, (right, total, wrong)


def comparable(truth: Any, schema: Any) -> Any:
    """What of a truth the schema asks for."""
    if isinstance(truth, dict):
        return {
            key: comparable(value, schema["properties"][key])
            for key, value in truth.items()
            if key in schema["properties"]
        }
    return [comparable(row, schema["items"]) for row in truth] if isinstance(truth, list) else truth
