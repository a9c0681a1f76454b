"""The comparison with what a user would pick instead: its pure parts."""

from __future__ import annotations

from datetime import datetime

from benchmarks.others import Row, sample, table, with_section
from benchmarks.others_rules import extract_by_rules
from benchmarks.others_templates import record_of
from service.domain.records import JsonObject
from service.domain.schema import parse_schema

ROWS: JsonObject = {"type": "array", "items": {"type": "object", "properties": {
    "description": {"type": "string"}, "quantity": {"type": "number"}, "unit_price": {"type": "number"},
    "amount": {"type": "number"},
}}}  # fmt: skip
SCHEMA = parse_schema({"type": "object", "properties": {
    "invoice_number": {"type": "string"}, "date": {"type": "string", "format": "date"},
    "issuer": {"type": "string"}, "currency": {"type": "string"}, "amount_untaxed": {"type": "number"},
    "amount_tax": {"type": "number"}, "amount": {"type": "number"}, "weather": {"type": "string"}, "lines": ROWS,
}}).root  # fmt: skip
PAGE = """
  Quillfox Paperworks Ltd                     Invoice No. QF-17/204
  12 Mill Lane                                Date: 03.04.2026

  Pos  Description             Quantity    Price     Amount
  1    Ruled paper A4                20     1,50      30,00
  2    Envelopes                      5     4,00      20,00

       Subtotal                                       50,00
       VAT 19%                                         9,50
       Total EUR                                      59,50
"""


def test_the_rules_read_a_plain_invoice() -> None:
    """Labels give the fields it knows; rows stand between their head and the first total; the rest stays empty."""
    lines = [
        {"description": "Ruled paper A4", "quantity": 20.0, "unit_price": 1.5, "amount": 30.0},
        {"description": "Envelopes", "quantity": 5.0, "unit_price": 4.0, "amount": 20.0},
    ]
    assert extract_by_rules(SCHEMA, PAGE) == {
        "invoice_number": "QF-17/204", "date": "2026-04-03", "issuer": "Quillfox Paperworks Ltd", "currency": "EUR",
        "amount_untaxed": 50.0, "amount_tax": 9.5, "amount": 59.5, "lines": lines,
    }  # fmt: skip


def test_an_answer_of_a_template_gets_the_names_and_types_of_the_schema() -> None:
    """What the schema does not ask for is left out, and what the template did not give too."""
    rows = [{"name": "Ruled paper\nA4, 80 g", "qty": "20", "price": 1.5}]
    found = {"issuer": "Quillfox", "date": datetime(2026, 4, 3), "amount": "59.50", "desc": "Invoice", "lines": rows}
    assert record_of(SCHEMA, found) == {
        "issuer": "Quillfox", "date": "2026-04-03", "amount": 59.5,
        "lines": [{"description": "Ruled paper", "quantity": 20.0, "unit_price": 1.5}],
    }  # fmt: skip


def test_the_sample_is_the_same_in_any_order() -> None:
    """Nobody picks the documents."""
    rows = [{"file": f"docs/{n}.pdf"} for n in range(30)]
    assert sample(rows, 5) == sample(rows[::-1], 5)
    assert len(sample(rows, 5)) == 5


def test_the_table_names_files_once_and_the_best_first() -> None:
    """Documents without an answer are told."""

    def row(who: str, f1: float | None, failed: int = 0) -> Row:
        return Row(files="a set", documents=3, who=who, precision=None, recall=f1, f1=f1, seconds=1.234, failed=failed)

    lines = table([row("worst", None, failed=3), row("good", 0.5), row("best", 0.75)]).splitlines()
    assert lines[2] == "| a set | 3 | best | – | 0.750 | 0.750 | 1.23 |"
    assert lines[3].startswith("|  |  | good |")
    assert lines[4].startswith("|  |  | worst (3 without an answer) | – | – | – |")


def test_a_section_is_put_in_once_and_replaced_after() -> None:
    """What stands around it stays as it was."""
    page = "# Page\n\n## One\n\nfirst\n\n## Two\n\nsecond\n"
    once = with_section(page, "## New", "said", "## Two")
    assert once == "# Page\n\n## One\n\nfirst\n\n## New\n\nsaid\n\n## Two\n\nsecond\n"
    assert with_section(once, "## New", "said again", "## Two") == once.replace("said", "said again")
    assert with_section(once, "## Two", "third", "## None").endswith("## New\n\nsaid\n\n## Two\n\nthird\n")
