"""Labels of a form that the lexicon does not know: a few words and a colon, with a value beside or under them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from service.embedded.page.layout import Layout, Segment, Token
from service.embedded.page.spans import Kind, Spans
from service.embedded.words.normalise import fold, squash

LONGEST_LABEL = 7
_LONGEST_VALUE = 14
_MOST_LOWER = 3
"""Words in lower case of a label."""
_COLONS = (":", "：")
_KINDS = ((Kind.DATE, "date"), (Kind.EMAIL, "email"), (Kind.NUMBER, "money"))


@dataclass(frozen=True, slots=True)
class Pair:
    """A label and the first line of its value."""

    label: str
    """As printed, without the colon."""
    kind: str
    """`date`, `email`, `money` or `text`, by the value's shape."""
    value: tuple[Token, ...]


def labelled_values(layout: Layout, spans: Spans) -> Iterator[Pair]:
    """The pairs of a document in reading order; a label that stands several times is none."""
    pairs = [pair for segment in layout.segments if (pair := _pair(layout, spans, segment)) is not None]
    keys = [squash(pair.label) for pair in pairs]
    for pair, key in zip(pairs, keys, strict=True):
        if keys.count(key) == 1:
            yield pair


def _pair(layout: Layout, spans: Spans, segment: Segment) -> Pair | None:
    end = next((i for i, t in enumerate(segment.tokens[:LONGEST_LABEL], 1) if t.text.endswith(_COLONS)), None)
    if end is None:
        return None
    label = re.sub(r"\s*[:：]$", "", " ".join(t.text for t in segment.tokens[:end]))
    if not _may_label(label):
        return None
    place = _value_place(layout, segment, end)
    if place is None:
        return None
    where, start = place
    value = where.tokens[start:]
    if len(value) > _LONGEST_VALUE or value[-1].text.endswith(_COLONS):
        return None
    return Pair(label, _kind(spans, where, start), value)


def _may_label(text: str) -> bool:
    """Whether a text before a colon names a field rather than opens a sentence or a list."""
    if sum(c.isalpha() for c in text) < 3 or any(c.isdigit() or c in '",;' for c in fold(text)):
        return False
    return not text[0].islower() and sum(w.islower() for w in text.split()) <= _MOST_LOWER


def _value_place(layout: Layout, segment: Segment, end: int) -> tuple[Segment, int] | None:
    """The segment that holds the value, and its first word there: on the line, or right under a label that ends it."""
    if end < len(segment.tokens):
        return segment, end
    right = next((s for s in layout.lines[segment.line].segments if s.index == segment.index + 1), None)
    under = next(iter(layout.below(segment, reach=1.2)), None)
    found = right if right is not None else under
    if found is None or any(t.text.endswith(_COLONS) for t in found.tokens):
        return None
    return found, 0


def _kind(spans: Spans, segment: Segment, start: int) -> str:
    whole = len(segment.tokens) - start
    for kind, name in _KINDS:
        for span in spans.inside(segment, kind):
            fills = span.start == start and span.end - span.start == whole
            if fills and (kind is not Kind.NUMBER or (span.money and not span.percent)):
                return name
    return "text"
