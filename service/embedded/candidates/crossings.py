"""Cells that two labels name together: that of the row, left of it, and that of the column, above it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import TYPED, Choice
from service.embedded.page.layout import Layout, Line, Segment
from service.embedded.page.overlap import shared_width
from service.embedded.page.spans import Kind
from service.embedded.words.labels import Part, Phrase, read_text, weight

_ROWS_UP = 14
"""Lines above a row among which the header of its columns is looked for."""
_COVERED = 0.75
"""Share of a field's words that row and column must say together."""
_SCORE = 0.9
_HEAD_WORDS = 5
"""Words of a header cell at most."""


def crossing_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """Numbers and dates where a row and a column meet whose labels say the field's words between them."""
    kind = TYPED.get(ask.kind)
    phrases = [(phrase, w) for phrase, w in ask.phrases if len(phrase) > 1 and w >= 0.8]
    if kind is None or kind not in (Kind.NUMBER, Kind.DATE) or not phrases:
        return []
    found: list[Choice] = []
    for line in evidence.layout.lines:
        found.extend(_in_row(evidence, line, kind, phrases))
    return found


def _in_row(evidence: Evidence, line: Line, kind: Kind, phrases: Sequence[tuple[Phrase, float]]) -> Iterator[Choice]:
    first = line.segments[0]
    label = read_text(first.text)
    if len(line.segments) < 2 or not label or not any(_meets(phrase, label) for phrase, _ in phrases):
        return
    for segment in line.segments[1:]:
        spans = evidence.spans.inside(segment, kind)
        if len(spans) != 1:
            continue
        head = _head_of(evidence.layout, line, segment)
        parts = read_text(head) if head else ()
        score = max((w * _both(phrase, label, parts) for phrase, w in phrases), default=0.0)
        if score:
            yield Choice(spans[0], spans[0].value, _SCORE * score, "crossing")


def _meets(phrase: Phrase, parts: Sequence[Part]) -> bool:
    return any(c in phrase for part in parts for c in part)


def _both(phrase: Phrase, row: Sequence[Part], column: Sequence[Part]) -> float:
    """How well row and column say a phrase, 0–1; 0 where one of them adds nothing to the other."""
    by_row = {c for part in row for c in part} & phrase
    by_column = {c for part in column for c in part} & phrase
    if not by_column - by_row or not by_row - by_column:
        return 0.0
    said = sum(map(weight, by_row | by_column)) / sum(map(weight, phrase))
    extra = sum(phrase.isdisjoint(part) for part in row)
    return said * 0.94**extra if said >= _COVERED else 0.0


def _head_of(layout: Layout, line: Line, segment: Segment) -> str:
    """The words of the nearest header above a cell, over two lines where they stand so."""
    heads: list[str] = []
    bottom = segment.y0
    for above in reversed(layout.lines[max(0, line.index - _ROWS_UP) : line.index]):
        if above.page != line.page:
            break
        over = next((s for s in above.segments if shared_width(s, segment) > 0), None)
        if over is None or (any(map(str.isdigit, over.text)) and not _is_year(over.text)):
            if heads:
                break
            continue
        if len(above.segments) < 2 or len(over.tokens) > _HEAD_WORDS or (heads and bottom - over.y1 > over.height):
            break
        heads.insert(0, over.text)
        bottom = over.y0
    return " ".join(heads)


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.startswith(("19", "20")) and text.isdigit()
