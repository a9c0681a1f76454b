"""Labels mean the same in every language, glued together or apart."""

from __future__ import annotations

import pytest

from service.domain.schema import FieldType, SchemaField
from service.embedded.asked.fields import understand
from service.embedded.words.labels import canonical, concepts, read_text, similarity, split_name


@pytest.mark.parametrize(
    "label",
    ["Invoice No.", "Rechnungsnummer", "Rechnungs-Nr.:", "Numéro de facture", "Número de factura", "Factuurnummer",
     "Numero fattura", "INVOICENO"],
)  # fmt: skip
def test_an_invoice_number_is_one_in_every_language(label: str) -> None:
    """Compounds and abbreviations come apart into the same words."""
    assert similarity(frozenset({"invoice", "number"}), read_text(label)) == 1.0


def test_names_come_apart_at_case_and_underscore() -> None:
    """Both spellings of a property name say the same."""
    assert canonical(split_name("dueDate")) == canonical(split_name("due_date")) == {"due", "date"}


@pytest.mark.parametrize(
    ("description", "concept"),
    [
        ("Number of the invoice or credit note.", "invoice_number"),
        ("Date by which the invoice has to be paid.", "due_date"),
        ("Total without tax.", "total_net"),
        ("VAT identification number of the seller.", "tax_id"),
        ("Name of the customer to whom the invoice is addressed.", "buyer_name"),
        ("Last day of the flight, YYYY-MM-DD.", "end_date"),
    ],
)
def test_a_description_alone_tells_the_concept(description: str, concept: str) -> None:
    """An opaque name does not hide what is asked for."""
    numeric = concepts()[concept].kind == "money"
    dated = concepts()[concept].kind == "date"
    field = SchemaField(
        name="field_9",
        type=FieldType.NUMBER if numeric else FieldType.STRING,
        format="date" if dated else None,
        description=description,
    )
    assert understand(field, "/field_9").concept == concept
