"""Values over several lines: addresses, and running text that goes on under its first line."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from service.embedded.anchors.hits import Hit
from service.embedded.anchors.parties import ends_block
from service.embedded.anchors.places import Evidence, foreign_label
from service.embedded.page.layout import Segment, lines_under
from service.embedded.page.spans import Span

_SENTENCE = 5
"""Words of a line from which it may be the start of a running text."""
_TIGHT = 0.9
"""Gap between two lines of one text, in text heights."""
_ALIGNED = 0.9
"""Text heights by which lines of one text may start apart."""
_MOST_LINES = 40


def with_address_lines(evidence: Evidence, span: Span) -> Span:
    """An address with its further lines, up to a label, a date or a telephone number."""
    tokens, texts = span.tokens, [str(span.value).strip(" ,")]
    for segment in lines_under(evidence.layout, span.segment, span.x0):
        if ends_block(segment, evidence.labels) or foreign_label(evidence, segment):
            break
        tokens += segment.tokens
        texts.append(segment.text.strip(" ,"))
    text = ", ".join(texts)
    return replace(span, tokens=tokens, raw=text, value=text)


def with_wrapped_lines(evidence: Evidence, hit: Hit, span: Span) -> Span:
    """A running text with the lines it goes on in: those under it, as long as each line was full."""
    block = [span.segment, *_block(evidence, hit, span)]
    if len(block) == 1 or len(span.tokens) < _SENTENCE:
        return span
    edge = max(s.x1 for s in block)
    tokens = span.tokens
    for line, following in itertools.pairwise(block):
        first = following.tokens[0]
        if line.x1 + (first.x1 - first.x0) < edge - 0.5 * line.height:
            break
        tokens += following.tokens
    text = " ".join(t.text for t in tokens)
    return replace(span, tokens=tokens, raw=text, value=text.strip(" :;|"))


def with_hanging_lines(evidence: Evidence, hit: Hit, span: Span) -> Span:
    """What is written beside a label, with the lines right under it that have nothing under the label."""
    tokens, cell = span.tokens, evidence.layout.cell(span.segment)
    for segment in lines_under(evidence.layout, span.segment, span.x0):
        first = evidence.layout.lines[segment.line].segments[0]
        if first is not segment or foreign_label(evidence, segment) or evidence.layout.cell(segment) != cell:
            break
        if segment.text.endswith(":") or segment.tokens[0].text.endswith(":"):
            break
        tokens += segment.tokens
    text = " ".join(t.text for t in tokens)
    hanging = span.start == 0 and len(tokens) > len(span.tokens) and hit.segment.x1 <= span.x0
    return replace(span, tokens=tokens, raw=text, value=text.strip(" :;|")) if hanging else span


def _block(evidence: Evidence, hit: Hit, span: Span) -> Iterator[Segment]:
    """The lines under a text that start where it does, without a gap or a label between or beside them."""
    last, cell = span.segment, evidence.layout.cell(span.segment)
    for _ in range(_MOST_LINES):
        under = evidence.layout.below(last, reach=_TIGHT)
        aligned = (s for s in under if abs(s.x0 - span.x0) < _ALIGNED * s.height and s.height < 1.3 * last.height)
        following = next(aligned, None)
        if following is None or foreign_label(evidence, following) or evidence.layout.cell(following) != cell:
            return
        if following.tokens[0].text.endswith(":") or following.text.rstrip().endswith(":"):
            return
        beside = evidence.layout.lines[following.line].segments
        if any(s.x1 <= following.x0 and s.x1 > hit.tokens[0].x0 and s.x0 < hit.x1 for s in beside):
            return
        yield following
        last = following
