"""Values whose labels say nothing that is asked for: by their kind and their order, which is mostly the schema's.

All fields are aligned with all labelled values of the page, those that are known where they are; a field without a
value takes the one without which all would fit much worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from service.domain.records import Scalar
from service.domain.schema import FieldType
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import NUMERIC, Ask
from service.embedded.candidates.members import closest_member
from service.embedded.candidates.proposals import NAMES, TYPED, Choice
from service.embedded.page.layout import Layout, Line, Segment
from service.embedded.page.spans import Kind, Span
from service.embedded.words.normalise import parse_boolean

Array = NDArray[np.float64]
ORDERED = 0.52
"""The score of such a value: it is taken where nothing else is."""
_IN_ORDER = 0.8
"""Share of the values found by their labels that must stand in the schema's order, for the order to tell anything."""
_LEAST_KNOWN = 2
_MOST_VALUES = 200
_KNOWN, _TYPED, _WORDED = 2.0, 1.2, 0.6
"""What it is worth that a value belongs to a field: by its label, by its kind, as a text."""
_SKIP = 0.35
"""What a field without a value costs, and a value without a field."""
_MARGIN = 0.9
"""How much worse all is without a pair that is sure."""
_LABEL_WORDS = 7
_VALUE_WORDS = 8
_EDGE = 0.7
_FINER = 0.9
"""Share of its value's height that a label has at most which is written finer."""
_NEARER = 0.75
"""How much nearer a value stands under its label than the next label under the value."""


def ordered_choices(
    evidence: Evidence, asks: Sequence[Ask], chosen: Mapping[str, Sequence[Choice]]
) -> dict[str, Choice]:
    """Path → what a field without a value may take, for the fields of which the order tells it."""
    known = [row for row, ask in enumerate(asks) if chosen[ask.path]]
    if not _LEAST_KNOWN <= len(known) < len(asks) or any(s.entry is not None for s in evidence.layout.segments):
        return {}  # fields of a form tell themselves what is filled in
    spans = _labelled(evidence)
    values = _values(evidence, {row: ask for row, ask in enumerate(asks) if not chosen[ask.path]}, spans)
    sure = dict(_sure(_worth(asks, chosen, spans, values)))
    behind = range(known[-1] + 1, len(asks))
    if len(behind) >= len(known) or not all(row in sure for row in behind):  # nothing tells that the document has them
        sure = {row: at for row, at in sure.items() if row not in behind}
    return {
        asks[row].path: Choice(spans[at], values[row, at], ORDERED, "order")
        for row, at in sure.items() if (row, at) in values
    }  # fmt: skip


def _labelled(evidence: Evidence) -> list[Span]:
    """The labelled values in their order, without what is itself a label."""
    found = [
        evidence.spans.cut(segment, start, len(segment.tokens))
        for segment, start in _pairs(evidence.layout) if start or not evidence.labels.label_like(segment)
    ]  # fmt: skip
    return sorted(found, key=lambda s: (s.segment.index, s.start))[:_MOST_VALUES]


def _values(evidence: Evidence, asks: Mapping[int, Ask], spans: Sequence[Span]) -> dict[tuple[int, int], Scalar]:
    """What each field (row) would take of each labelled value (column); fields of one kind take the same."""
    found: dict[tuple[int, int], Scalar] = {}
    taken: dict[tuple[FieldType, str, int], list[Scalar]] = {}
    for row, ask in asks.items():
        kind = ask.field.type, ask.kind, row if ask.field.enum else -1
        if kind not in taken:
            taken[kind] = [_value(evidence, ask, span) for span in spans]
        found |= {(row, at): value for at, value in enumerate(taken[kind]) if value is not None}
    return found


def _worth(
    asks: Sequence[Ask],
    chosen: Mapping[str, Sequence[Choice]],
    spans: Sequence[Span],
    values: Mapping[tuple[int, int], Scalar],
) -> Array:
    """What it is worth that a field (row) has a value (column); where it cannot, minus infinity."""
    owners = {word: path for path, choices in chosen.items() if choices for word in choices[0].span.ids}
    owned = [next((owners[word] for word in map(id, span.tokens) if word in owners), "") for span in spans]
    worth = np.full((len(asks), len(spans)), -np.inf)
    for row, at in values:
        if not owned[at]:
            worth[row, at] = _TYPED if asks[row].kind in TYPED else _WORDED
    rows = {ask.path: row for row, ask in enumerate(asks)}
    for at, path in enumerate(owned):
        if path:
            worth[rows[path], at] = _KNOWN
    return worth


def _sure(worth: Array) -> Iterator[tuple[int, int]]:
    """The pairs of row and column that the best alignment has, and that any other would be much worse without."""
    ahead = _best_before(worth)
    behind = _best_before(worth[::-1, ::-1])[::-1, ::-1]
    through = ahead[:-1, :-1] + worth + behind[1:, 1:]
    if worth.shape[1] == 0 or _kept(worth, through) < _IN_ORDER:
        return
    for row, scores in enumerate(through):
        at = int(scores.argmax())
        rest = np.delete(scores, at).max(initial=-np.inf)
        skipped = (ahead[row] + behind[row + 1]).max() - _SKIP
        if scores[at] - max(rest, skipped) >= _MARGIN:
            yield row, at


def _kept(worth: Array, through: Array) -> float:
    """The share of known pairs that the best alignment has."""
    known = worth == _KNOWN
    if known.sum() < _LEAST_KNOWN:
        return 0.0
    return float((through[known] >= through.max() - 1e-9).mean())


def _best_before(worth: Array) -> Array:
    """The best sums of alignments of the first rows with the first columns; what is left out costs."""
    rows, columns = worth.shape
    left_out = _SKIP * np.arange(columns + 1)
    best = np.zeros((rows + 1, columns + 1))
    best[0] = -left_out
    for row in range(rows):
        met = np.maximum(best[row] - _SKIP, np.concatenate(([-np.inf], best[row, :-1] + worth[row])))
        best[row + 1] = np.maximum.accumulate(met + left_out) - left_out
    return best


def _value(evidence: Evidence, ask: Ask, span: Span) -> Scalar:
    """What a field would take of a labelled value, None where that is not of its kind."""
    raw = span.raw.strip(" :;|")
    if ask.field.type is FieldType.BOOLEAN:
        return parse_boolean(raw)
    if ask.field.enum:
        return closest_member(ask, raw)
    if ask.kind in TYPED:
        found = [s for s in evidence.spans.inside(span.segment, TYPED[ask.kind]) if s.start >= span.start]
        fits = len(found) == 1 and found[0].start == span.start
        short = fits and found[0].end >= span.end - (2 if ask.kind in NUMERIC else 0)
        return found[0].value if short else None
    if any(evidence.spans.inside(span.segment, kind) for kind in (Kind.DATE, Kind.EMAIL, Kind.IBAN)):
        return None
    lettered = sum(map(str.isalpha, raw)) > 1 and not any(map(str.isdigit, raw))
    if (ask.kind in NAMES and ask.kind != "address" and not lettered) or not any(map(str.isalnum, raw)):
        return None
    return raw if len(span.tokens) <= _VALUE_WORDS else None


def _pairs(layout: Layout) -> Iterator[tuple[Segment, int]]:
    """The labelled values of a document by its layout alone: a segment, and the position of its first word."""
    under: set[int] = set()
    for line in layout.lines:
        if line.index in under:
            continue
        following = layout.lines[line.index + 1] if line.index + 1 < len(layout.lines) else None
        if following is not None and _is_over(layout, line, following):
            under.add(following.index)
            yield from ((value, 0) for value in following.segments)
            continue
        yield from _beside(line)


def _beside(line: Line) -> Iterator[tuple[Segment, int]]:
    for segment, right in zip(line.segments, (*line.segments[1:], None), strict=True):
        colon = next((i + 1 for i, t in enumerate(segment.tokens[:_LABEL_WORDS]) if t.text.endswith((":", "："))), 0)
        if 0 < colon < len(segment.tokens):
            yield segment, colon
        elif right is not None and (colon or len(line.segments) == 2) and _is_label(segment):
            yield right, 0


def _is_label(segment: Segment) -> bool:
    return len(segment.tokens) <= _LABEL_WORDS and segment.text[0].isalpha() and sum(map(str.isalpha, segment.text)) > 1


def _is_over(layout: Layout, line: Line, following: Line) -> bool:
    """Whether labels stand over a line of their values: at the same edges, nearer than what is under them."""
    if following.page != line.page or len(line.segments) != len(following.segments):
        return False
    height = line.segments[0].height
    aligned = all(abs(a.x0 - b.x0) < _EDGE * height for a, b in zip(line.segments, following.segments, strict=True))
    labels = all(_is_label(s) and not any(map(str.isdigit, s.text)) for s in line.segments)
    if not aligned or not labels or ":" in line.text:
        return False
    gap = following.segments[0].y0 - line.segments[0].y0
    finer = all(a.height < _FINER * b.height for a, b in zip(line.segments, following.segments, strict=True))
    after = layout.lines[following.index + 1] if following.index + 1 < len(layout.lines) else None
    rest = after.segments[0].y0 - following.segments[0].y0 if after is not None and after.page == line.page else 99.0
    return gap < 2.5 * height and (gap < _NEARER * rest or (finer and gap < rest))
