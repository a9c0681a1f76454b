"""Arrays of plain values: the parties of a contract, several values under one label, lists after a colon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from service.embedded.anchors.hits import Hit
from service.embedded.anchors.places import Evidence, Place, places
from service.embedded.asked.fields import Ask
from service.embedded.candidates.contracts import parties_of
from service.embedded.candidates.proposals import TYPED, Choice
from service.embedded.candidates.prose import Prose
from service.embedded.page.layout import Segment

LIST_REACH = 3.0
"""How far under a label the next value may stand, in text heights."""


def read_list(evidence: Evidence, ask: Ask, prose: Prose) -> list[Choice]:
    """The values of a list, in reading order."""
    under = _bulleted(evidence, ask)
    if under:
        return under
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
    for place in _up_to_a_label(evidence, hit):
        if place.below and place.segment.y0 - bottom > LIST_REACH * hit.segment.height:
            break
        typeset = not evidence.layout.scanned
        if values and typeset and _heads_next(hit.segment, values[0].span.segment, place.segment):
            break
        bottom = max(bottom, place.segment.y1)
        if ask.kind in TYPED:
            spans = [s for s in evidence.spans.inside(place.segment, TYPED[ask.kind]) if s.start >= place.start]
            values.extend(Choice(s, s.value, hit.strength * place.natural, "list", hit) for s in spans)
            continue
        span = evidence.spans.cut(place.segment, place.start, len(place.segment.tokens))
        if any(c.isalnum() for c in span.raw):
            values.append(Choice(span, span.raw, hit.strength * place.natural, "list", hit))
    return _parted(evidence, ask, values) if ask.kind in _WORDED else values


def _heads_next(heading: Segment, value: Segment, segment: Segment) -> bool:
    """Whether a segment is written as the heading over a value is, which itself is written otherwise."""
    return _written_alike(segment, heading) and not _written_alike(value, heading)


def _written_alike(one: Segment, other: Segment) -> bool:
    return one.bold == other.bold and abs(one.tokens[0].size - other.tokens[0].size) < _ALIKE * other.tokens[0].size


_ALIKE = 0.08
"""Share by which the heights of one kind of letters differ."""


def _up_to_a_label(evidence: Evidence, hit: Hit) -> Iterator[Place]:
    """The places of values down to the next label; one beside the label has what is under it for itself."""
    for place in places(evidence, hit):
        if place.segment is hit.segment or not evidence.labels.label_like(place.segment):
            yield place
        elif place.below:
            return


def _bulleted(evidence: Evidence, ask: Ask) -> list[Choice]:
    """The lines of an indented list under a heading that the field names."""
    hit = next((h for h in evidence.labels.of(ask) if h.strength >= 0.9 and not h.start), None)
    if hit is None or hit.end < len(hit.segment.tokens) or ask.kind in TYPED:
        return []
    last, items = hit.segment, list[Segment]()
    for line in evidence.layout.lines[hit.segment.line + 1 :]:
        segment = line.segments[0]
        edge = items[0].x0 if items else segment.x0
        indented = 0.5 * last.height < segment.x0 - hit.segment.x0 < _INDENT * last.height
        near = segment.page == last.page and segment.y0 - last.y1 < 2 * last.height
        if not (near and indented and len(line.segments) == 1 and abs(segment.x0 - edge) < 2):
            break
        items.append(segment)
        last = segment
    found = [evidence.spans.cut(s, int(not any(map(str.isalnum, s.tokens[0].text))), len(s.tokens)) for s in items]
    return [Choice(span, span.raw, hit.strength * 0.9, "list", hit) for span in found if span.raw]


_INDENT = 6.0
"""How far a list may be indented, in text heights."""
_WORDED = frozenset({"text", "person", "org"})
_SEPARATOR = re.compile(
    r"\s*[;,](?!\s*(?:Inc|LLC|Ltd|Jr|Sr|Corp|GmbH)\b)\s+(?:and |und |et |y |e |en )?"
    r"|(?P<joined>\s+(?:and|und|et|y|en|&)\s+(?=[A-ZÀ-Þ]))"
)
_MOST_WORDS = 5
"""Words of one value on average, up to which signs between them part values rather than sentences."""


def _parted(evidence: Evidence, ask: Ask, values: list[Choice]) -> list[Choice]:
    """Values that stand on one line with commas between, each for itself."""
    if len(values) != 1 or ask.is_concept("party"):
        return values
    whole = values[0]
    cuts = _cuts(whole.span.raw, of_persons=ask.kind == "person")
    if not cuts or len(whole.span.raw.split()) > _MOST_WORDS * (len(cuts) + 1):
        return values
    starts, ends = [0, *(b for _, b in cuts)], [*(a for a, _ in cuts), len(whole.span.raw)]
    found: list[Choice] = []
    for start, end in zip(starts, ends, strict=True):
        first = whole.span.start + whole.span.raw[:start].count(" ")
        last = whole.span.start + whole.span.raw[:end].count(" ") + 1
        text = re.sub(r"\s*\([^)]*\)$", "", whole.span.raw[start:end]).strip(" .")
        if text:
            found.append(replace(whole, span=evidence.spans.cut(whole.span.segment, first, last), value=text))
    return found


def _cuts(text: str, *, of_persons: bool) -> list[tuple[int, int]]:
    """Where values are parted: at commas, and at the `and` of such a list; one name may be joined of two."""
    found = list(_SEPARATOR.finditer(text))
    listed = any(m["joined"] is None for m in found)
    return [m.span() for m in found if m["joined"] is None or of_persons or (listed and "&" not in m["joined"])]
