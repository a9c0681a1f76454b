"""What a careful clerk looks at twice: other readings of a label, other amounts of a sum, letters that look alike."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter

from service.embedded.anchors.matching import FAMILIES as ONE_LABEL
from service.embedded.candidates.proposals import Choice
from service.embedded.evidence.findings import CENT, Findings, Leaf, Values
from service.embedded.evidence.proofs import TOTALS, cents
from service.embedded.page.spans import Kind

_LIKE_DIGITS, _LIKE_LETTERS = frozenset("OolISsBZGQD|"), frozenset("0158269")
_STUCK = re.compile(r"[a-z][A-Z]|[A-Za-z][,;:][A-Za-z]|[A-Za-z]\.[A-Za-z]{2}")
_ODD = re.compile(r"[^\w\s.,&'’()/#+:@\"-]|_")
_STARTS, _ENDS = ("start_date", "effective_date"), ("end_date",)
BETWEEN = 12.0
"""Gap, in text heights, up to which two days on a line are the ends of one period."""


def cross_checks(findings: Findings, leaf: Leaf) -> Values:
    """What speaks against a single value although its label and its lead are good, or for it although they are not."""
    best = leaf.choices[0]
    found: Values = {"free lead": _free_lead(findings, leaf), **_label_checks(findings, leaf)}
    if best.span.kind is Kind.DATE:
        found |= {"period fits": _period_fits(findings, leaf), "terms fit": _terms_fit(findings, best)}
    if best.span.kind is Kind.NUMBER and leaf.ask.kind == "money":
        found |= _amount_checks(findings, leaf)
    return found


def _free_lead(findings: Findings, leaf: Leaf) -> float:
    """The lead over those rivals that no other field has taken: the last day of a period is no rival of its first."""
    best = leaf.choices[0]
    own = Counter(id(t) for t in best.span.tokens)
    free = (
        c.score
        for c in leaf.choices[1:]
        if str(c.value) != str(best.value) and any(findings.claims[id(t)] <= own[id(t)] for t in c.span.tokens)
    )
    return best.score - max(free, default=0.0)


def _label_checks(findings: Findings, leaf: Leaf) -> Values:
    """How well the words of the label say another concept."""
    hit, ask = leaf.choices[0].label, leaf.ask
    if hit is None:
        return {}
    own = {name for name, _ in ask.concepts}
    own |= {name for family in ONE_LABEL if ask.concept in family for name in family}
    others = [
        h.strength
        for o, h in findings.evidence.labels.in_segment(hit.segment)
        if o.startswith("concept:") and o.removeprefix("concept:") not in own and h.meets(hit)
    ]
    return {"label says other": max(others, default=0.0) - hit.strength}


def _period_fits(findings: Findings, leaf: Leaf) -> float:
    """1 for the first of two days side by side where a first one is asked for, or the second; -1 for the other way."""
    span, ask = leaf.choices[0].span, leaf.ask
    wants = -1 if ask.is_concept(*_STARTS) else 1 if ask.is_concept(*_ENDS) else 0
    if not wants:
        return 0.0
    reach = BETWEEN * span.segment.height
    near = [d for d in findings.dates_on(span.segment.line) if abs(d.x0 - span.x0) < reach + span.x1 - span.x0]
    before = any(d.x1 <= span.x0 and str(d.value) <= str(span.value) for d in near)
    after = any(d.x0 >= span.x1 and str(d.value) >= str(span.value) for d in near)
    return float(wants * (before - after))


def _terms_fit(findings: Findings, best: Choice) -> float:
    """Whether a day is another printed one and the printed days of payment."""
    try:
        day = dt.date.fromisoformat(str(best.value)[:10])
    except ValueError:
        return 0.0
    return float(any((day - dt.timedelta(days=n)).isoformat() in findings.days_printed for n in findings.proofs.terms))


def _amount_checks(findings: Findings, leaf: Leaf) -> Values:
    """Whether an amount has the place of another one in a sum, or in what is left after a payment."""
    span, ask, proofs = leaf.choices[0].span, leaf.ask, findings.proofs
    total = ask.is_concept(*TOTALS)
    amount = cents(span)
    others = proofs.amounts - proofs.paid
    left = any(amount - paid in others for paid in proofs.paid if paid < amount)
    came = amount not in proofs.paid and any(amount + paid in others for paid in proofs.paid)
    due = ask.is_concept("amount_due")
    return {
        "role broken": float(proofs.fits(span, total=not total) and not proofs.fits(span, total=total)),
        "after payment": float(came - left) if due else float(left - came) if total else 0.0,
        "tendered": float(total and proofs.is_tendered(amount)),
        "closes": _closes(findings, leaf),
    }


def _closes(findings: Findings, leaf: Leaf) -> float:
    """1 where the chosen net amount, tax and total come out even, -1 where they do not, 0 for other amounts."""
    chosen = findings.amounts
    whole = next((chosen[c] for c in TOTALS if c in chosen), None)
    if whole is None or leaf.ask.concept not in (*_SUMMANDS, *TOTALS) or not all(c in chosen for c in _SUMMANDS):
        return 0.0
    rest = whole - sum(chosen[c] for c in _SUMMANDS)
    more = [chosen[c] for c in _MORE if c in chosen]
    return 1.0 if any(abs(rest - part) < CENT for part in (0.0, sum(more), *more)) else -1.0


_SUMMANDS = ("total_net", "total_tax")
_MORE = ("tip", "rounding", "shipping_cost", "discount")


def spelling(leaf: Leaf) -> Values:
    """How a text may have been misread: signs that look alike in the wrong surroundings, words read as one."""
    raw = leaf.choices[0].span.raw
    words = raw.split()
    return {
        "look-alikes": float(sum(_looks_alike(word) for word in words)),
        "mixed words": float(sum(any(map(str.isdigit, w)) and any(map(str.isalpha, w)) for w in words)),
        "stuck": float(len(_STUCK.findall(raw))),
        "odd signs": float(len(_ODD.findall(raw))),
    }


def _looks_alike(word: str) -> int:
    """Digits between letters that look like one, and letters between digits."""
    return sum(
        (sign in _LIKE_LETTERS and before.isalpha() and (after.isalpha() or not after))
        or (sign in _LIKE_DIGITS and before.isdigit() and (after.isdigit() or not after))
        for before, sign, after in zip(word, word[1:], [*word[2:], ""], strict=False)
    )
