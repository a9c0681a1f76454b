"""Kinds of evidence: how firm it is by rule, and the families of values whose chances are told apart."""

from __future__ import annotations

from service.embedded.findings import Findings, Leaf
from service.embedded.proposals import Choice

FAMILIES = ("firm", "typed", "text", "proven cell", "list cell", "typed cell", "text cell")
"""How a name is read and cut differs from document to document, how an amount or a date beside its label is read does
not: a score means one thing for the one and another for the other."""
STRONG_LABEL = 0.95
CLEAR_LEAD = 0.2
WIDE_LEAD = 0.35
"""The lead that an amount on a scanned page needs, where rivals are often the same amount misread."""
_FIRM = 3.0
_WORDED = frozenset({"text", "org", "person", "address", "place"})


def family(findings: Findings, leaf: Leaf) -> int:
    """Which of `FAMILIES` a leaf belongs to, 0-based."""
    firm = firmness(leaf, scanned=findings.evidence.layout.scanned) == _FIRM
    worded = leaf.ask.kind in _WORDED
    if not leaf.table:
        return 2 if worded else 0 if firm else 1
    if firm:
        return 3
    return 6 if worded else 4 if leaf.choices[0].why == "list" else 5


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
