"""Where a name or an address begins and ends: what stands right above and below it, and what it is made of."""

from __future__ import annotations

from service.embedded.anchors.parties import (
    CONTACT,
    company_score,
    is_registration,
    looks_company,
    looks_postal,
    looks_street,
)
from service.embedded.evidence.findings import Findings, Leaf, Values
from service.embedded.page.layout import Segment
from service.embedded.page.overlap import shared_width
from service.embedded.words.normalise import date_pattern, fold, squash

NEAR = 1.3
"""Gap, in letter heights, up to which two lines are of one block."""
_LEAST_WORD = 4
"""Letters of a word that may name a firm's address in the net."""


def edge_features(findings: Findings, leaf: Leaf) -> Values:
    """How clearly a text is cut at its first and last line."""
    span, value = leaf.choices[0].span, str(leaf.value)
    first, last = span.segment, max(span.tokens, key=lambda t: t.y1)
    layout = findings.evidence.layout
    size = max(1.0, first.height)
    lines = [s for line in layout.lines[max(0, first.line - 2) : first.line] for s in line.segments]
    over = [s for s in lines if s.page == first.page and shared_width(s, first) > 0]
    above = over[-1] if over and first.y0 - over[-1].y1 < NEAR * size else None
    under = [s for s in layout.below(first, reach=12.0) if s.y0 > last.y1 - 0.4 * size]
    below = under[0] if under and under[0].y0 - last.y1 < NEAR * size else None
    words = [w for w in map(squash, value.split()) if len(w) >= _LEAST_WORD]
    return {
        **_neighbour(findings, "above", above, first),
        **_neighbour(findings, "below", below, first),
        "legal form": float(looks_company(value)),
        "postal": float(looks_postal(value)),
        "street": float(looks_street(value)),
        "brackets": float("(" in span.raw or ")" in span.raw),
        "commas": float(value.count(",")),
        "in the net": float(any(word in findings.proofs.domains for word in words)),
    }


def _neighbour(findings: Findings, side: str, segment: Segment | None, own: Segment) -> Values:
    """What the line right above or below is, as far as it may belong to the same name or address."""
    if segment is None:
        return {f"{side} near": 0.0}
    text = segment.text
    folded = fold(text)
    letters = sum(map(str.isalpha, text))
    return {
        f"{side} near": 1.0,
        f"{side} company": company_score(findings.evidence.layout, segment, findings.evidence.labels),
        f"{side} form": float(looks_company(text)),
        f"{side} address": float(looks_postal(text) or looks_street(text)),
        f"{side} other": float(
            bool(CONTACT.search(folded) or date_pattern().search(folded)) or is_registration(text) or text.endswith(":")
        ),
        f"{side} letters": letters / max(1, len(text)),
        f"{side} size": segment.height / max(1.0, own.height),
        f"{side} shift": (segment.x0 - own.x0) / max(1.0, own.height),
        f"{side} middle": (segment.x0 + segment.x1 - own.x0 - own.x1) / max(1.0, own.height),
        f"{side} capitals": float(text.isupper() == own.text.isupper()),
        f"{side} claimed": float(any(findings.claims[id(t)] for t in segment.tokens)),
    }
