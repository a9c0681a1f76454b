"""What a document proves of its own values, and what follows for how sure they are."""

from __future__ import annotations

from collections.abc import Sequence

from service.domain.pages import PageText, TextSource
from service.domain.records import JsonObject
from service.domain.schema import parse_schema
from service.embedded.evidence.features import NAMES, describe
from service.embedded.evidence.findings import Findings
from service.embedded.page.spans import Kind, Span
from service.embedded.reading import read_document
from tests.unit.embedded.laid_out import page, rows

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "company": {"type": "string", "description": "Name of the shop"},
        "date": {"type": "string", "format": "date", "description": "Date of the purchase"},
        "total": {"type": "number", "description": "Total to pay"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "price": {"type": "number", "description": "Line amount"}},
            },
        },
    },
}
HEAD = ((200.0, 40.0, "Larkspur Bakery Ltd"), (200.0, 60.0, "12 Mill Lane"), (60.0, 90.0, "Date 23/04/2025"))
ITEMS = (("Rye loaf", "4.20"), ("Plum cake", "3.35"), ("Oat rolls", "2.10"))


def receipt(lines: Sequence[tuple[str, str]], *, head: Sequence[tuple[float, float, str]] = HEAD) -> PageText:
    """A till roll of labels and amounts."""
    return page([*head, *rows((60.0, 460.0), 120.0, 16.0, lines)], source=TextSource.OCR)


def findings_of(text: PageText) -> Findings:
    """What is found in it."""
    return read_document(parse_schema(SCHEMA), [text]).findings


def amount(findings: Findings, raw: str, *, last: bool = False) -> Span:
    """A printed amount."""
    return [s for s in findings.evidence.spans.of(Kind.NUMBER) if s.raw == raw][-1 if last else 0]


def features(findings: Findings, path: str) -> dict[str, float]:
    """Of one value."""
    row = next(n for n, leaf in enumerate(findings.leaves) if leaf.path == path)
    return dict(zip(NAMES, describe(findings)[row].tolist(), strict=True))


def test_amounts_under_each_other_that_come_to_a_sum_prove_each_other():
    """With the tax between them and the total; not where one was misread."""
    found = findings_of(receipt([*ITEMS, ("Subtotal", "9.65"), ("Tax", "0.58"), ("Total", "10.23")]))
    assert found.proofs.summed(amount(found, "9.65")) == 3
    assert [found.proofs.adds_to(amount(found, raw)) for _, raw in ITEMS] == [3, 3, 3]
    assert found.proofs.wholes[1023] == 1
    assert (found.proofs.parts[965], found.proofs.parts[58]) == (1, 1)
    misread = findings_of(receipt([*ITEMS[:2], ("Oat rolls", "2.70"), ("Subtotal", "9.65"), ("Total", "9.65")]))
    assert misread.proofs.adds_to(amount(misread, "4.20")) == 0


def test_what_is_printed_again_in_another_line_is_counted():
    """Amounts, days and names; the value itself is no witness."""
    again = [*ITEMS, ("Total", "9.65"), ("VISA", "9.65"), ("Larkspur Bakery Ltd", ""), ("23/04/2025 10:20", "")]
    found = findings_of(receipt(again))
    for path in ("/total", "/date", "/company"):
        assert features(found, path)["elsewhere"] == 1, path
    assert features(findings_of(receipt([*ITEMS, ("Total", "9.65")])), "/total")["elsewhere"] == 0
    often = findings_of(receipt([*ITEMS, ("Total", "9.65"), *[("Larkspur Bakery Ltd", "9.65")] * 7]))
    assert features(often, "/company")["elsewhere"] == features(often, "/total")["elsewhere"] == 4  # more say no more


def test_a_share_that_is_printed_with_its_rate_is_one():
    """Tax of six per cent, and what it is taken of."""
    found = findings_of(receipt([("Rye loaf", "50.00"), ("Tax 6%", "3.00"), ("Total", "53.00")]))
    assert {300, 5000} <= found.proofs.shares
    assert 5300 not in found.proofs.shares


def test_the_order_of_day_and_month_is_told_by_a_day_beyond_twelve():
    """Otherwise it is a guess."""
    assert findings_of(receipt(ITEMS)).proofs.order_told
    unclear = (*HEAD[:2], (60.0, 90.0, "Date 03/04/2025"))
    assert not findings_of(receipt(ITEMS, head=unclear)).proofs.order_told


def test_the_edges_of_a_name_are_told_by_its_neighbours():
    """A street below belongs to something else; a further line of a firm's name may not."""
    told = features(findings_of(receipt([*ITEMS, ("www.larkspurbakery.com", "")])), "/company")
    assert (told["above near"], told["below near"], told["below address"], told["in the net"]) == (0, 1, 1, 1)
    longer = ((200.0, 28.0, "Sunny Corner"), *HEAD)
    assert features(findings_of(receipt(ITEMS, head=longer)), "/company")["above near"] == 1
