"""Kinds of evidence: how firm it is by rule, and the families of values whose chances are told apart."""

from __future__ import annotations

from service.embedded.candidates.proposals import Choice
from service.embedded.evidence.findings import Findings, Leaf
from service.embedded.evidence.proofs import TOTALS, cents
from service.embedded.page.spans import Kind

FAMILIES = (
    "amount", "day", "typed", "text", "proven cell", "list cell", "typed cell", "text cell", "listed", "told",
    "read once",
)  # fmt: skip
"""How a name is read and cut differs from document to document, how an amount or a date beside its label is read does
not: a score means one thing for the one and another for the other. What a sentence tells is of no other family,
nor an amount that was read optically and that nothing else on its pages bears out: it may be misread with certainty."""
STRONG_LABEL = 0.95
CLEAR_LEAD = 0.2
WIDE_LEAD = 0.35
"""The lead that an amount on a scanned page needs, where rivals are often the same amount misread."""
LONG_RUN = 3
"""Amounts under each other that come to a printed sum not by chance."""
WORDED = frozenset({"text", "org", "person", "address", "place"})
_AMOUNT, _TYPED, _PROVEN, _LISTED, _TOLD, _READ_ONCE = 0, 2, 4, 8, 9, 10
_SINGLE = {"money": _AMOUNT, "date": 1, **dict.fromkeys(WORDED, 3)}
_FIRM = 3.0


def family(findings: Findings, leaf: Leaf) -> int:
    """Which of `FAMILIES` a leaf belongs to, 0-based."""
    if not leaf.table:
        return _family_of_single(findings, leaf) if leaf.single else _LISTED
    if firmness(leaf, scanned=findings.evidence.layout.scanned) == _FIRM or _is_summed(findings, leaf):
        return _PROVEN
    return 7 if leaf.ask.kind in WORDED else 5 if leaf.choices[0].why == "list" else 6


def _family_of_single(findings: Findings, leaf: Leaf) -> int:
    found = _TOLD if leaf.choices[0].why == "sentence" else _SINGLE.get(leaf.ask.kind, _TYPED)
    once = found == _AMOUNT and findings.evidence.layout.scanned and not _is_borne_out(findings, leaf)
    return _READ_ONCE if once else found


def _is_borne_out(findings: Findings, leaf: Leaf) -> bool:
    """Whether an amount is printed again, is what others above it come to, or has its place in a sum."""
    choice, proofs = leaf.choices[0], findings.proofs
    if choice.span.kind is not Kind.NUMBER:
        return False
    again = proofs.elsewhere(choice.span, choice.value) > 0 or proofs.summed(choice.span) >= LONG_RUN
    again |= leaf.ask.is_concept(*TOTALS) and proofs.is_tendered(cents(choice.span))
    return again or proofs.fits(choice.span, total=leaf.ask.is_concept(*TOTALS))


def _is_summed(findings: Findings, leaf: Leaf) -> bool:
    """Whether it is one of the amounts of rows that come to a printed sum, or of a column that comes to a total."""
    if leaf.ask.kind != "money":
        return False
    amount = leaf.choices[0].why == "list" or leaf.ask.is_concept("amount")
    run = amount and findings.proofs.adds_to(leaf.choices[0].span) >= LONG_RUN
    return run or leaf.ask.path in findings.summed_columns


def firmness(leaf: Leaf, *, scanned: bool) -> float:
    """How firm the evidence is by rule: 3 for what is proven or plainly labelled, 0 for a guess."""
    best, rivals = leaf.choices[0], leaf.choices[1:]
    lead = best.score - next((c.score for c in rivals if str(c.value) != str(best.value)), 0.0)
    if best.why.endswith("+product"):
        return 3.0
    if best.why == "column":
        return 1.0 if scanned else 2.0
    if best.why in ("mark", "ticked", "currency vote"):
        return 3.0 if lead >= CLEAR_LEAD else 1.0
    if best.label is None or best.label.strength < STRONG_LABEL:
        return 2.0 if best.why == "lone date" and lead >= CLEAR_LEAD else 0.0
    if lead < CLEAR_LEAD or not _beside(best):
        return 1.0
    if scanned and leaf.ask.kind == "money":
        return 3.0 if best.why.endswith(("+sum", "+seen")) and lead >= WIDE_LEAD else 2.0
    return 3.0


def _beside(choice: Choice) -> bool:
    """Whether a value stands on its label's line or right under it."""
    assert choice.label is not None
    segment, other = choice.label.segment, choice.span.segment
    return segment.page == other.page and (
        segment.line == other.line or 0 < other.y0 - segment.y1 < 1.2 * segment.height
    )
