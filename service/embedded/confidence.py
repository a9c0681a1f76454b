"""How sure a choice is: a probability by the kind of evidence it rests on, and the line from which it is `high`.

The figures are shares of right values by kind of evidence, taken on the development halves of the evaluation sets
and rounded down; what has no class of its own gets an estimate from its score and its lead that never reaches `high`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from service.embedded.fields import GUESSED, Ask
from service.embedded.proposals import LONE_COLUMN, Choice

HIGH = 0.98
"""Probability from which a value is called `high`."""
STRONG_LABEL = 0.95
CLEAR_LEAD = 0.2
WIDE_LEAD = 0.35
"""The lead that an amount on a scanned page needs, where rivals are often the same amount misread."""
CONFIRMED_SCAN = 0.965
"""A scanned amount that others confirm: over receipts of both halves four in a hundred of these were wrong."""
CLEAR_SCAN = 0.985
"""The recogniser's certainty of every word, from which a scanned value counts as cleanly read."""
MOST_OTHERWISE = 0.93
_LABELLED = {"date": 0.988, "taxid": 0.988, "iban": 0.99, "currency": 0.985, "email": 0.985, "money": 0.984,
             "bic": 0.985, "percent": 0.95, "time": 0.96, "code": 0.955, "phone": 0.95, "number": 0.93}  # fmt: skip
_COLUMN = {"date": 0.985, "number": 0.983, "money": 0.97, "percent": 0.97, "code": 0.95}
_UNPROVEN = 0.85
"""For cells of a table of which one column was found, and of columns whose role was left over."""
_UNREAD = 0.9
"""What an unclear scan leaves of a probability."""


def probability(ask: Ask, chosen: Sequence[Choice], *, scanned: bool) -> float:
    """The chance that the first choice is right, 0–1."""
    best = chosen[0]
    rival = next((c.score for c in chosen[1:] if str(c.value) != str(best.value)), 0.0)
    certainty = min((t.certainty for t in best.span.tokens), default=1.0)
    sure = _by_class(ask, best, best.score - rival, scanned=scanned)
    if sure is None:
        sure = _by_score(best.score, best.score - rival)
    if scanned and certainty < CLEAR_SCAN:
        sure *= _UNREAD * certainty
    return round(sure, 4)


def _by_class(ask: Ask, best: Choice, lead: float, *, scanned: bool) -> float | None:
    """The share of right values among those with this evidence; None where there is no class for it."""
    if best.why.endswith("+product"):
        return 0.993
    if best.why == LONE_COLUMN or (best.why == "column" and ask.concepts and ask.concepts[0][1] <= GUESSED):
        return _UNPROVEN
    if best.why == "column":
        return 0.85 if scanned else _COLUMN.get(ask.kind, 0.92)
    if best.why in ("mark", "ticked", "currency vote"):
        return 0.983 if lead >= CLEAR_LEAD else 0.9
    if best.why == "lone date":
        return (0.981 if scanned else 0.96) if lead >= CLEAR_LEAD else 0.8
    strong = best.label is not None and best.label.strength >= STRONG_LABEL and lead >= CLEAR_LEAD
    if not strong or not _beside(best):
        return None
    if scanned and ask.kind == "money":
        confirmed = best.why.endswith(("+sum", "+seen")) and lead >= WIDE_LEAD
        return CONFIRMED_SCAN if confirmed else 0.93
    if best.why.endswith("+sum"):
        return 0.988 if best.label is not None and best.label.segment.line == best.span.segment.line else 0.95
    return _LABELLED.get(ask.kind)


def _beside(best: Choice) -> bool:
    """Whether the value stands on its label's line or right under it."""
    if best.label is None:
        return False
    segment, other = best.label.segment, best.span.segment
    return segment.page == other.page and (
        segment.line == other.line or 0 < other.y0 - segment.y1 < 1.2 * segment.height
    )


def _by_score(score: float, lead: float) -> float:
    z = -1.2 + 3.0 * (score - 0.5) + 2.5 * min(0.4, max(0.0, lead))
    return min(MOST_OTHERWISE, 1.0 / (1.0 + math.exp(-z)))
