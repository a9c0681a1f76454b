"""Single fields that stay empty although the document speaks of them: what is there and was not found is no absence."""

from __future__ import annotations

from collections.abc import Collection

from service.embedded.asked.fields import Ask
from service.embedded.evidence.findings import CENT, Findings
from service.embedded.reading import Reading

PLAIN_LABEL = 0.75
"""Strength from which a label says that its field is there, if something stands at it."""
_PARTS = ("total_tax", "tip", "rounding", "shipping_cost")
"""What may lie between the net amount and the whole."""


def left_open(reading: Reading, filled: Collection[str]) -> frozenset[str]:
    """Paths of such fields.

    Args:
        reading: of the document.
        filled: paths of the leaves that have a value.
    """
    empty = [ask for ask in reading.plan.singles if ask.path not in filled]
    rest = _rest(reading.findings)
    return frozenset(
        ask.path
        for ask in empty
        if (rest and ask.kind == "money" and ask.is_concept("total_tax"))
        or _is_on_every(reading.findings, ask)
        or _is_told(reading, ask)
    )


def _is_on_every(findings: Findings, ask: Ask) -> bool:
    """Whether it is the day or the whole of a paper that was read optically or prints such values: few have none."""
    if not ask.plain or findings.prose.is_prose or not findings.proofs.amounts:
        return False
    if ask.kind == "date" and ask.is_concept("invoice_date"):
        return findings.evidence.layout.scanned or bool(findings.days_printed)
    return ask.kind == "money" and ask.is_concept("total_gross")


def _rest(findings: Findings) -> bool:
    """Whether more lies between the net amount that was chosen and the whole than the chosen parts come to."""
    chosen = findings.amounts
    whole, net = chosen.get("total_gross", chosen.get("amount_due")), chosen.get("total_net")
    if whole is None or net is None:
        return False
    return whole - net - sum(chosen.get(part, 0.0) for part in _PARTS) > CENT


def _is_told(reading: Reading, ask: Ask) -> bool:
    """Whether something stands at a label of the field, both of which no other field has."""
    findings = reading.findings
    labels = {id(t) for leaf in findings.leaves if (hit := leaf.choices[0].label) for t in hit.tokens}
    return any(
        hit.strength >= PLAIN_LABEL
        and labels.isdisjoint(map(id, hit.tokens))
        and not any(findings.claims[id(t)] for t in choice.span.tokens)
        for choice in reading.options[ask.path]
        if (hit := choice.label) is not None
    )
