"""How sure a choice is: a calibrated probability from its score, its lead and its checks, and the line for `high`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from service.embedded.fields import Ask
from service.embedded.proposals import Choice

HIGH = 0.985
"""Probability from which a value is called `high`."""


def probability(ask: Ask, chosen: Sequence[Choice], *, scanned: bool) -> float:
    """The chance that the first choice is right, 0–1."""
    best = chosen[0]
    rival = next((c.score for c in chosen[1:] if str(c.value) != str(best.value)), 0.0)
    lead = best.score - rival
    z = -1.2 + 3.0 * (best.score - 0.5) + 2.5 * min(0.4, lead)
    z += 1.0 * best.why.endswith("+sum") + 2.0 * best.why.endswith("+product")
    z += 0.5 * (best.label is not None and best.label.strength >= 0.95)
    z += {"date": 0.5, "iban": 1.5, "email": 0.5, "currency": 0.3, "money": 0.2}.get(ask.kind, 0.0)
    certainty = min((t.certainty for t in best.span.tokens), default=1.0)
    z -= (0.8 + 4.0 * (1.0 - certainty)) * scanned
    return round(1.0 / (1.0 + math.exp(-z)), 4)
