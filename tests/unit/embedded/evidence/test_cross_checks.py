"""What a careful clerk looks at twice: other readings of a label, periods, payments, letters that look alike."""

from __future__ import annotations

from collections.abc import Sequence

from service.domain.pages import PageText
from service.domain.records import Confidence, JsonObject
from service.domain.schema import parse_schema
from service.embedded.evidence.features import NAMES, describe
from service.embedded.reading import read_document
from tests.unit.embedded.asking import extract, values_of
from tests.unit.embedded.laid_out import page, rows

Lines = Sequence[tuple[float, float, str]]


def schema(**fields: JsonObject) -> JsonObject:
    """Single fields."""
    return {"type": "object", "properties": dict(fields)}


def features(asked: JsonObject, text: PageText, path: str) -> dict[str, float]:
    """Of one value."""
    findings = read_document(parse_schema(asked), [text]).findings
    place = next(n for n, leaf in enumerate(findings.leaves) if leaf.path == path)
    return dict(zip(NAMES, describe(findings)[place].tolist(), strict=True))


DAY: JsonObject = {"type": "string", "format": "date"}
AMOUNT: JsonObject = {"type": "number"}
HEAD: Lines = ((60.0, 40.0, "Larkspur Mills Ltd"), (60.0, 60.0, "Invoice 4711"))


def test_the_last_day_of_a_period_is_no_rival_of_its_first():
    """Each has the other beside it under one label, and both are sure of their place."""
    asked = schema(start_date=DAY, end_date=DAY)
    text = page([*HEAD, (60.0, 100.0, "Service period: 03.02.2025 - 17.02.2025")])
    assert values_of(asked, text) == {"start_date": "2025-02-03", "end_date": "2025-02-17"}
    for path in ("/start_date", "/end_date"):
        found = features(asked, text, path)
        assert found["period fits"] == 1.0
        assert found["free lead"] > found["lead"]


def test_a_day_that_the_terms_lead_to_is_borne_out():
    """The day of the invoice and thirty days."""
    asked = schema(invoice_date=DAY, due_date=DAY)
    lines = [("Invoice date:", "01.03.2025"), ("Terms:", "30 days"), ("Due date:", "31.03.2025")]
    assert features(asked, page([*HEAD, *rows((60.0, 200.0), 100.0, 16.0, lines)]), "/due_date")["terms fit"] == 1.0
    lines[1] = ("Terms:", "14 days")
    assert features(asked, page([*HEAD, *rows((60.0, 200.0), 100.0, 16.0, lines)]), "/due_date")["terms fit"] == 0.0


def test_the_day_of_printing_is_not_that_of_the_invoice():
    """Its label says so."""
    lines = [("Printed:", "09.04.2025"), ("Invoice date:", "02.04.2025")]
    text = page([*HEAD, *rows((60.0, 200.0), 100.0, 16.0, lines)])
    asked = schema(invoice_date=DAY, print_date=DAY)
    assert values_of(asked, text) == {"invoice_date": "2025-04-02", "print_date": "2025-04-09"}


def test_what_is_due_is_what_a_payment_leaves():
    """Beside labels, and under them."""
    asked = schema(remaining_amount=AMOUNT)
    beside = [("Total:", "900.00"), ("Paid:", "300.00"), ("Please pay:", "600.00")]
    assert values_of(asked, page([*HEAD, *rows((60.0, 300.0), 100.0, 16.0, beside)])) == {"remaining_amount": 600.0}
    under = [("Net", "VAT", "Total incl. VAT", "Prepaid", "Amount due"),
             ("750.00", "150.00", "900.00", "300.00", "600.00")]  # fmt: skip
    text = page([*HEAD, *rows((60.0, 150.0, 240.0, 360.0, 450.0), 100.0, 16.0, under)])
    assert values_of(asked, text) == {"remaining_amount": 600.0}
    assert features(asked, text, "/remaining_amount")["after payment"] == 1.0


def test_a_whole_taken_for_its_part_is_told():
    """A total before tax to which its own tax and another labelled amount come up."""
    asked = schema(net_amount=AMOUNT)
    lines = [("Subtotal:", "100.00"), ("VAT:", "20.00"), ("Net amount:", "120.00")]
    whole = features(asked, page([*HEAD, *rows((60.0, 300.0), 100.0, 16.0, lines)]), "/net_amount")
    assert (whole["sum of two"], whole["role broken"]) == (1.0, 1.0)
    lines = [("Net amount:", "100.00"), ("VAT:", "20.00"), ("Total:", "120.00")]
    part = features(asked, page([*HEAD, *rows((60.0, 300.0), 100.0, 16.0, lines)]), "/net_amount")
    assert (part["part of sum"], part["role broken"]) == (1.0, 0.0)


def test_what_was_given_less_the_change_bears_a_total_out():
    """Cash and change are labelled; another amount is not their difference."""
    asked = schema(total=AMOUNT)
    lines = [("Total", "41.60"), ("Cash", "50.00"), ("Change", "8.40")]
    assert features(asked, page([*HEAD, *rows((60.0, 300.0), 100.0, 16.0, lines)]), "/total")["tendered"] == 1.0
    lines[2] = ("Change", "8.90")
    assert features(asked, page([*HEAD, *rows((60.0, 300.0), 100.0, 16.0, lines)]), "/total")["tendered"] == 0.0


def test_chosen_amounts_come_out_even_or_not():
    """Net and tax and, where there is one, the rounding."""
    asked = schema(net_amount=AMOUNT, vat_amount=AMOUNT, total_amount=AMOUNT)
    lines = [("Net amount:", "100.00"), ("VAT:", "20.00"), ("Total:", "120.00")]
    assert features(asked, page([*HEAD, *rows((60.0, 300.0), 100.0, 16.0, lines)]), "/total_amount")["closes"] == 1.0
    lines[2] = ("Total:", "130.00")
    assert features(asked, page([*HEAD, *rows((60.0, 300.0), 100.0, 16.0, lines)]), "/total_amount")["closes"] == -1.0


def test_an_account_with_wrong_check_digits_is_never_sure():
    """A digit read wrong shows there."""
    asked = schema(iban={"type": "string"})
    for number, sure in (("DE89 3704 0044 0532 0130 00", True), ("DE89 3704 0044 0532 0130 01", False)):
        found = extract(asked, page([*HEAD, (60.0, 100.0, f"IBAN: {number}")]))
        assert (found.fields["/iban"].confidence is Confidence.HIGH) is sure


def test_letters_that_look_alike_are_counted():
    """A digit inside a word, words read as one; a name that is spelled well has none."""
    asked = schema(contact={"type": "string"})
    clean = features(asked, page([*HEAD, (60.0, 100.0, "Contact: Ann Fennel")]), "/contact")
    assert (clean["look-alikes"], clean["stuck"], clean["mixed words"]) == (0.0, 0.0, 0.0)
    poor = features(asked, page([*HEAD, (60.0, 100.0, "Contact: AnnFenne1 Rye0ats")]), "/contact")
    assert poor["look-alikes"] >= 2.0
    assert poor["stuck"] == 1.0
    assert poor["mixed words"] == 2.0
