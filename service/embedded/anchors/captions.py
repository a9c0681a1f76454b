"""Forms that print labels under the lines that are written on: whether a document is one, all its labels vote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from service.embedded.anchors.matching import Labels
from service.embedded.asked.fields import Ask
from service.embedded.page.layout import Layout, Segment
from service.embedded.page.overlap import shared_width
from service.embedded.page.spans import Kind, Spans
from service.embedded.words.normalise import fold

_NEAR = 1.6
"""How far from a label its value may stand, in heights of the label."""
_CLEARLY = 0.6
"""Share of the farther gap that the nearer one may have, to be clearly the nearer."""
_LEAST = 5
"""Labels that must stand under their line, for each one that does not as many."""
_SHAPES = {"date": Kind.DATE, "email": Kind.EMAIL, "phone": Kind.PHONE, "money": Kind.NUMBER, "number": Kind.NUMBER}


@dataclass(frozen=True, slots=True)
class _Neighbours:
    above: Segment | None
    below: Segment | None


def under_lines(layout: Layout, spans: Spans, labels: Labels, asks: Sequence[Ask]) -> bool:
    """Whether most labels of a document stand under their values."""
    kinds = {ask.path: _SHAPES[ask.kind] for ask in asks if ask.kind in _SHAPES}
    under = over = 0
    for segment in layout.segments:
        right = next((s for s in layout.lines[segment.line].segments if s.index == segment.index + 1), None)
        if segment.text.endswith((":", "：")) or not labels.label_like(segment):
            continue
        if right is not None and not labels.label_like(right):  # its value stands beside it
            over += 1
            continue
        both = _Neighbours(written_above(layout, labels, segment), _below(layout, labels, segment))
        side = _shaped(
            spans, both, [kinds[o] for o, h in labels.in_segment(segment) if o in kinds and h.strength > 0.9]
        )
        side = side or _nearer(segment, both)
        under += side < 0
        over += side > 0
    return under >= _LEAST * max(1, over)


def _shaped(spans: Spans, both: _Neighbours, kinds: Sequence[Kind]) -> int:
    """-2 where only what stands above has the shape that is asked for, 2 where only what stands below, else 0."""
    for kind in kinds:
        above = both.above is not None and bool(spans.inside(both.above, kind))
        below = both.below is not None and bool(spans.inside(both.below, kind))
        if above != below:
            return -2 if above else 2
    return 0


def _nearer(label: Segment, both: _Neighbours) -> int:
    """-1 where what stands above is clearly nearer or alone, 1 where what stands below is, else 0."""
    if both.above is None or both.below is None:
        return int(both.above is None and both.below is not None) - int(both.below is None and both.above is not None)
    up, down = max(0.1, label.y0 - both.above.y1), max(0.1, both.below.y0 - label.y1)
    return -1 if up < _CLEARLY * down else 1 if down < _CLEARLY * up else 0


def written_above(layout: Layout, labels: Labels, segment: Segment) -> Segment | None:
    """What stands right over a label, unless it is a label too."""
    for line in reversed(layout.lines[max(0, segment.line - 2) : segment.line]):
        for other in line.segments:
            near = line.page == segment.page and -0.5 * segment.height < segment.y0 - other.y1 < _NEAR * segment.height
            if near and shared_width(segment, other) > 0:
                return None if labels.label_like(other) else other
    return None


def _below(layout: Layout, labels: Labels, segment: Segment) -> Segment | None:
    other = next(iter(layout.below(segment, reach=_NEAR)), None)
    return None if other is None or labels.label_like(other) else other


_FORM_TEXT = re.compile(
    r"^(?:cat(?:alog)?\.? no\b|form\b.*\(rev\b|omb no\b)|\b(?:see instructions|if required|if applicable)\b|\([^)]*$"
)


def of_the_form(text: str) -> bool:
    """Whether a text is printed on the form itself: its edition, or words that tell how to fill it in."""
    return bool(_FORM_TEXT.search(fold(text)))
