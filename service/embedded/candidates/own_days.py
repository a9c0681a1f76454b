"""The day and the place of a paper itself, for fields that call them by what the paper is or by its signing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from service.domain.schema import FieldType
from service.embedded.anchors.places import Evidence, places
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.page.layout import Segment
from service.embedded.page.overlap import shared_width
from service.embedded.page.spans import Kind, Span
from service.embedded.words.kinds import flat
from service.embedded.words.labels import canonical, split_name
from service.embedded.words.lists import cues, word_list
from service.embedded.words.normalise import fold

_ISSUED = word_list("issued")
"""What a field calls the day that heads a paper."""
_SIGNED = word_list("signed")
"""The same of the day under it."""
_PLACE = word_list("place")
_ANY_PLACE = word_list("any_place")
_BARE = frozenset({"date"})
_DATED_WORDS = frozenset({"date", "issue"})
_FILLER = frozenset({"of", "on", "the"})
_SCORE, _NEXT = 0.6, 0.03
_SAID_ALONE = re.compile(rf"\W*(?:(?:{cues('day_article')}|d\.)(?:\W+|$)){{0,2}}$")
_AT = re.compile(
    rf"^\W*(?:{cues('at_place')}\s+)?(?P<place>[^\W\d_][\w'’.-]*(?:\s[^\W\d_][\w'’.-]*){{0,4}}?)\s*,\W*"
    rf"(?:(?:{cues('day_article')}|ai)(?:\W+|$)){{0,2}}$",
    re.IGNORECASE,
)
_DATED = re.compile(rf"^\W*{cues('dated')}\b[^\d:]{{0,60}}$")
_MOST_LEAD = 12
"""Words that may stand before the day where a place or such a verb does."""


@dataclass(frozen=True, slots=True)
class _OwnDay:
    """A day that stands alone or behind a place."""

    span: Span
    place: tuple[int, int] | None
    """First letter of the place and one past its last, in the segment's text."""


def own_day_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """Days that the paper is dated with, the likeliest first; none for a field that asks for another day."""
    own = _words(ask)
    if ask.kind != "date" or not (own <= _ISSUED | _SIGNED or own <= _ISSUED | _headline(evidence)):
        return []
    if not own and not ask.is_concept("invoice_date"):
        return []
    spans = [day.span for day in _own_days(evidence)]
    spans += [span for span in (_captioned(evidence) if own else ()) if all(span.ids != known.ids for known in spans)]
    spans.sort(key=lambda span: (span.page, span.y0), reverse=bool(own & _SIGNED))
    return [Choice(span, span.value, _SCORE - _NEXT * rank, "own day") for rank, span in enumerate(spans[:4])]


def _headline(evidence: Evidence) -> frozenset[str]:
    """The words that head the document."""
    lines = (flat(line.text).split() for line in evidence.layout.lines[:_HEAD])
    return frozenset(word for words in lines if len(words) <= _HEADING for word in words)


_HEAD, _HEADING = 12, 4


def own_place_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """The place beside the day that a paper is dated with, for a field that asks where it was signed or issued."""
    own = _words(ask)
    meant = own & (_ISSUED | _SIGNED) or own <= _ANY_PLACE
    if ask.field.type is not FieldType.STRING or ask.field.format or not own & _PLACE or not meant:
        return []
    found = [day for day in _own_days(evidence) if day.place is not None]
    return [_place(day) for day in (reversed(found) if own & _SIGNED else found)]


def _words(ask: Ask) -> frozenset[str]:
    """The words of a field's name as they are written, without those for a date: `firma` is a company elsewhere."""
    words = fold(split_name(ask.field.name)).split()
    return frozenset(word for word in words if word not in _FILLER and not canonical(word) <= _DATED_WORDS)


def _place(day: _OwnDay) -> Choice:
    segment, (start, end) = day.span.segment, day.place or (0, 0)
    first = max(i for i, at in enumerate(segment.starts) if at <= start)
    last = max(i for i, at in enumerate(segment.starts) if at < end)
    text = segment.text[start:end]
    return Choice(Span(Kind.TEXT, segment.tokens[first : last + 1], text, text, segment, first, last + 1), text,
                  _SCORE, "own day")  # fmt: skip


def _own_days(evidence: Evidence) -> Iterator[_OwnDay]:
    for span in evidence.spans.of(Kind.DATE):
        segment = span.segment
        behind = any(c.isalnum() for t in segment.tokens[span.end :] for c in t.text)
        lead = " ".join(t.text for t in segment.tokens[: span.start])
        if span.start > _MOST_LEAD or (behind and not _DATED.search(fold(lead))):
            continue
        at = _AT.match(lead)
        if at is not None and lead[at.start("place")].isupper():
            yield _OwnDay(span, at.span("place"))
        elif (_SAID_ALONE.match(fold(lead)) and _is_alone(evidence, segment)) or _DATED.search(fold(lead)):
            yield _OwnDay(span, None)


def _is_alone(evidence: Evidence, segment: Segment) -> bool:
    """Whether neither a label nor a row of a table stands beside a segment or right over it."""
    line = evidence.layout.lines[segment.line].segments
    if len(line) > 2 or any(evidence.labels.label_like(s, strength=0.6) for s in line if s is not segment):
        return False
    over = evidence.layout.lines[segment.line - 1].segments if segment.line else ()
    return not any(
        s.page == segment.page and shared_width(s, segment) > 0
        and segment.y0 - s.y1 < segment.height and evidence.labels.label_like(s, strength=0.6)
        for s in over
    )  # fmt: skip


_SIGNATURE = re.compile(rf"\W*{cues('signature')}\b\W*(?::|/s/|_)")


def dates_a_signature(evidence: Evidence, span: Span) -> bool:
    """Whether a day stands in the lines in which somebody signs, with a name and a title."""
    line = span.segment.line
    near = evidence.layout.lines[max(0, line - _SIGNING_LINES) : line + 2]
    said = [s for one in near for s in one.segments if one.page == span.page and _SIGNATURE.match(fold(s.text))]
    return len(said) >= _SIGNED_BY


_SIGNING_LINES, _SIGNED_BY = 4, 2


def _captioned(evidence: Evidence) -> Iterator[Span]:
    """Days at a label that says nothing but that it is a date."""
    for hit in evidence.labels.of_concept("invoice_date"):
        if canonical(" ".join(t.text for t in hit.tokens)) != _BARE:
            continue
        for place in places(evidence, hit):
            days = [s for s in evidence.spans.inside(place.segment, Kind.DATE) if s.start >= place.start]
            if days:
                yield days[0]
                break
