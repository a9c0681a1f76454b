"""What was found out about a document, and where the value of a label may stand: beside it, under it, above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.domain.geometry import Box
from service.embedded.anchors.captions import under_lines, written_above
from service.embedded.anchors.hits import Hit, first_word
from service.embedded.anchors.matching import Labels
from service.embedded.anchors.parties import Party, find_parties
from service.embedded.asked.fields import Ask
from service.embedded.page.layout import Layout, Segment
from service.embedded.page.overlap import shared_width
from service.embedded.page.spans import Kind, Spans

ABOVE = 0.56
"""How natural a value right above its label is."""
UNDER_A_SIGNATURE = 0.72
"""The same where the label is written finer and stands clearly nearer to it than to anything below."""
_FINER = 0.82
"""Share of the letters' height that such a label has at most."""
_SIGNED = re.compile(
    r"(?:[A-ZÀ-Þ][\w.'’-]*|de|del|van|von|den|der|di|da)(?:\s(?:[A-ZÀ-Þ][\w.'’-]*|de|del|van|von|den|der|di|da)){1,4}"
)
OVER_CAPTION = 0.93
"""The same on a form whose labels stand under the lines."""
BEHIND_COLON = 0.95
"""The same behind the colon of a longer label."""
_LONGER = 8
"""Words that such a label goes on for at most."""
BELOW = (0.9, 0.74, 0.6, 0.5)
"""How natural a value under its label is, row by row."""


@dataclass(frozen=True)
class Evidence:
    """What was found out about a document before any field is chosen."""

    layout: Layout
    spans: Spans
    labels: Labels
    parties: tuple[Party, ...]
    under_lines: bool = False
    """Whether labels stand under their values, as on forms with a line to write on."""


def gather(layout: Layout, spans: Spans, labels: Labels, asks: Sequence[Ask]) -> Evidence:
    """Everything the proposers look at."""
    under = under_lines(layout, spans, labels, asks)
    return Evidence(layout, spans, labels, tuple(find_parties(layout, labels)), under)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a label's value may stand: a segment from word `start` on, and how natural that is (0–1)."""

    segment: Segment
    start: int
    natural: float
    below: bool = False


def places(evidence: Evidence, hit: Hit) -> Iterator[Place]:
    """To the right in the same segment, then further right on the line, then below; above where labels stand so."""
    segment = hit.segment
    if evidence.under_lines and not hit.colon and hit.end - hit.start >= len(segment.tokens) / 2:
        above = written_above(evidence.layout, evidence.labels, segment)
        return iter(() if above is None else (Place(above, 0, OVER_CAPTION, below=True),))
    return _beside_and_below(evidence, hit)


def _beside_and_below(evidence: Evidence, hit: Hit) -> Iterator[Place]:
    segment = hit.segment
    above = _right_above(evidence, hit) if hit.end - hit.start == len(segment.tokens) else None
    if above is not None and _is_caption(evidence, segment, above):
        yield Place(above, 0, UNDER_A_SIGNATURE, below=True)
        return
    yield from _behind(hit)
    yield from _to_the_right(evidence, hit)
    cell = evidence.layout.cell(segment)
    heads = cell is not None and _in_header(evidence, hit) and not _filled_below(evidence, segment, cell)
    row, last_y = -1, -1.0
    for other in evidence.layout.below(segment, reach=4.5):
        if cell is not None and not (heads and row < 0) and evidence.layout.cell(other) != cell:
            continue
        shared = shared_width(hit, other)
        if shared <= 0:
            continue
        if other.y0 > last_y:
            row, last_y = row + 1, other.y0 + 0.5 * other.height
        if row >= len(BELOW):
            break
        yield Place(other, 0, BELOW[row] * (0.93 if hit.colon else 1.0), below=True)
        if foreign_label(evidence, other):
            break
    above = _right_above(evidence, hit)
    if above is not None:
        yield Place(above, 0, ABOVE, below=True)


def _behind(hit: Hit) -> Iterator[Place]:
    """In the label's own segment."""
    behind = _behind_colon(hit)
    if behind:
        yield Place(hit.segment, behind, BEHIND_COLON)
    elif hit.end < len(hit.segment.tokens):
        yield Place(hit.segment, hit.end, 1.0)


def _behind_colon(hit: Hit) -> int:
    """Position of the first word behind the colon of a longer label that a hit opens, 0 if there is none."""
    tokens = hit.segment.tokens
    for at in range(hit.end, min(len(tokens) - 1, hit.end + _LONGER) if not hit.colon and not hit.start else hit.end):
        if any(map(str.isdigit, tokens[at].text)):
            break
        if tokens[at].text.endswith((":", "：")):
            return at + 1
    return 0


def _to_the_right(evidence: Evidence, hit: Hit) -> Iterator[Place]:
    segment = hit.segment
    line = evidence.layout.lines[segment.line]
    over = _stands_over(evidence, hit)
    header = _in_header(evidence, hit)
    cell = evidence.layout.cell(segment)
    natural, blocked = 0.55 if header else 0.97, False
    for other in line.segments:
        if other.index <= segment.index:
            continue
        if first_word(segment) and first_word(other):  # the next box of the form
            return
        if cell is not None and evidence.layout.cell(other) != cell and _filled_below(evidence, segment, cell):
            natural = min(natural, 0.6)
        if over and other.x0 - segment.x1 > 8 * segment.height and not in_pairs(evidence, segment, other):
            natural = min(natural, 0.7)
        yield Place(other, 0, natural * (0.55 if blocked else 1.0))
        blocked = blocked or foreign_label(evidence, other)
        natural -= 0.03


def _in_header(evidence: Evidence, hit: Hit) -> bool:
    """Whether a label stands in a row of several, none with a value of its own."""
    segments = evidence.layout.lines[hit.segment.line].segments
    bare = not any(any(c.isdigit() for c in s.text) or ":" in s.text for s in segments)
    return len(segments) > 2 and not hit.colon and bare


def _filled_below(evidence: Evidence, segment: Segment, cell: Box) -> bool:
    """Whether a ruled cell holds something under its label."""
    return any(evidence.layout.cell(s) == cell for s in evidence.layout.below(segment, reach=4.5))


def _right_above(evidence: Evidence, hit: Hit) -> Segment | None:
    """The line right above a label that stands alone under it, as under a signature."""
    segment = hit.segment
    if hit.colon or hit.start or not segment.line:
        return None
    for line in reversed(evidence.layout.lines[max(0, segment.line - 2) : segment.line]):
        for other in line.segments:
            shared = shared_width(segment, other)
            near = 0.9 * max(segment.height, other.height)
            if line.page == segment.page and shared > 0 and 0 <= segment.y0 - other.y1 < near:
                return None if foreign_label(evidence, other) or _has_label_above(evidence, other) else other
    return None


def _is_caption(evidence: Evidence, label: Segment, above: Segment) -> bool:
    """Whether a label is written finer than what stands over it, with nothing as near below."""
    below = next(iter(evidence.layout.below(label, reach=2.0)), None)
    apart = below is None or below.y0 - label.y1 > 1.5 * max(0.1, label.y0 - above.y1)
    signed = _SIGNED.fullmatch(above.text) is not None or bool(evidence.spans.inside(above, Kind.DATE))
    return label.height < _FINER * above.height and apart and signed


def _has_label_above(evidence: Evidence, segment: Segment) -> bool:
    """Whether a value already stands right under a label of its own."""
    for line in reversed(evidence.layout.lines[max(0, segment.line - 2) : segment.line]):
        for other in line.segments:
            shared = shared_width(segment, other)
            near = line.page == segment.page and shared > 0 and 0 <= segment.y0 - other.y1 < 0.9 * segment.height
            if near and any(hit.strength >= 0.6 for _, hit in evidence.labels.in_segment(other)):
                return True
    return False


def in_pairs(evidence: Evidence, label: Segment, value: Segment) -> bool:
    """Whether the line over or under a label and what is right of it has another label and value at the same edges."""
    lines, reach = evidence.layout.lines, 0.6 * label.height
    for index in (label.line - 1, label.line + 1):
        line = lines[index].segments if 0 <= index < len(lines) and lines[index].page == label.page else ()
        at_label = next((s for s in line if abs(s.x0 - label.x0) < reach), None)
        at_value = next((s for s in line if abs(s.x0 - value.x0) < reach), None)
        if at_label is None or at_value is None or at_value.index != at_label.index + 1:
            continue
        if at_label.text.endswith((":", "：")) or evidence.labels.label_like(at_label, strength=0.6):
            return True
    return False


def _stands_over(evidence: Evidence, hit: Hit) -> bool:
    """Whether a label is a heading: alone in its segment, with a line right under it that starts at the same edge."""
    segment = hit.segment
    if hit.colon or hit.end - hit.start < len(segment.tokens):
        return False
    below = next(iter(evidence.layout.below(segment, reach=1.0)), None)
    return (
        below is not None and abs(below.x0 - segment.x0) < 0.7 * segment.height and not foreign_label(evidence, below)
    )


def foreign_label(evidence: Evidence, segment: Segment) -> bool:
    """Whether a segment is the label of something."""
    return evidence.labels.label_like(segment, strength=0.8)
