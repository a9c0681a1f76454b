"""Identifiers beside or under the labels of a field."""

from __future__ import annotations

import re
from dataclasses import replace

from service.embedded.anchors.hits import Hit
from service.embedded.anchors.places import Evidence, Place, places
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice, between_labels, box_number, has_digits, over_a_box
from service.embedded.page.spans import Kind, Span
from service.embedded.page.word_gaps import end_of_boxes, in_boxes
from service.embedded.words.normalise import (
    date_pattern,
    fold,
    parse_date,
)

SHORT_CODE = 3
"""Letters and digits from which an identifier is one without doubt."""


def _counts(span: Span) -> bool:
    """Whether a short number counts what is named after it: `4 kg`."""
    return len(span.raw) < SHORT_CODE and any(t.text.isalpha() for t in span.segment.tokens[span.end : span.end + 1])


def code_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """Identifiers near the field's labels."""
    found: list[Choice] = []
    for hit in evidence.labels.of(ask)[:30]:
        for place in places(evidence, hit):
            span = _code_at(evidence, ask, place, hit)
            if span is not None and not over_a_box(ask, hit, place):
                between = between_labels(evidence, ask, hit, place, span) * (0.7 if _counts(span) else 1.0)
                value = "".join(span.raw.split()) if in_boxes(span.tokens) else span.raw
                found.append(Choice(span, value, hit.strength * place.natural * between, "label", hit))
                break
    return found


_MONEY = re.compile(r"^\D{0,3}\d{1,3}(?:[.,]?\d{3})*[.,]\d{2}\D{0,3}$")


_CODE_PART = re.compile(r"[A-Z0-9][A-Z0-9\-/.]*")


_CODE_WORDS = 6
"""Parts of a number that is printed with blanks, as `QQ 12 34 56 C`."""


_CODE_TOKEN = re.compile(r"^[\w#][\w\-/.#&+:]*$")


def _code_at(evidence: Evidence, ask: Ask, place: Place, hit: Hit) -> Span | None:
    tokens = place.segment.tokens
    start = place.start
    for index in range(start, min(len(tokens), start + 5)):
        text = tokens[index].text.strip(".,;:()[]#|")
        if box_number(evidence, evidence.spans.cut(place.segment, index, index + 1)):
            return None
        if not has_digits(text) or not _CODE_TOKEN.match(text) or _MONEY.match(text) or tokens[index].text[0] in "([":
            continue
        joined = " ".join(t.text for t in tokens[index : index + 3])
        if parse_date(text, day_first=True) or date_pattern().match(fold(joined)):
            continue
        first = index
        if index > start and tokens[index - 1].text.isupper() and tokens[index - 1].text.isalpha():
            before_is_label = any(h.start <= index - 1 < h.end for _, h in evidence.labels.in_segment(place.segment))
            if len(tokens[index - 1].text) <= 4 and not before_is_label:
                first = index - 1
        end = index + 1
        while end < len(tokens) and end - first < 5 and tokens[end].text.isdigit() and len(tokens[end].text) <= 5:
            end += 1
        end = end_of_boxes(tokens, first, end)
        if start == 0 and len(tokens) <= _CODE_WORDS and all(_CODE_PART.fullmatch(t.text) for t in tokens):
            first, end = 0, len(tokens)
        span = evidence.spans.cut(place.segment, first, end)
        return replace(span, raw=span.raw.strip(" .,;:()[]|"), kind=Kind.CODE)
    return None
