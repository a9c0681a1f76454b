"""Arrays of plain values: the parties of a contract, several values under one label, lists after a colon."""

from __future__ import annotations

from service.embedded.contracts import parties_of
from service.embedded.fields import Ask
from service.embedded.places import Evidence, places
from service.embedded.proposals import TYPED, Choice
from service.embedded.prose import Prose

LIST_REACH = 3.0
"""How far under a label the next value may stand, in text heights."""


def read_list(evidence: Evidence, ask: Ask, prose: Prose) -> list[Choice]:
    """The values of a list, in reading order."""
    if ask.is_concept("party"):
        found = parties_of(evidence.layout, prose)
        if found or prose.is_prose:
            return found
    hits = evidence.labels.of(ask)
    if not hits or hits[0].strength < 0.6:
        return []
    hit = hits[0]
    values: list[Choice] = []
    bottom = hit.segment.y1
    for place in places(evidence, hit):
        if place.below and place.segment.y0 - bottom > LIST_REACH * hit.segment.height:
            break
        if place.segment is not hit.segment and evidence.labels.label_like(place.segment):
            break
        bottom = max(bottom, place.segment.y1)
        if ask.kind in TYPED:
            spans = [s for s in evidence.spans.inside(place.segment, TYPED[ask.kind]) if s.start >= place.start]
            values.extend(Choice(s, s.value, hit.strength * place.natural, "list", hit) for s in spans)
            continue
        span = evidence.spans.cut(place.segment, place.start, len(place.segment.tokens))
        if any(c.isalnum() for c in span.raw):
            values.append(Choice(span, span.raw, hit.strength * place.natural, "list", hit))
    return values
