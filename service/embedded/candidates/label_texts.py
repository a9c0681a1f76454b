"""Text beside or under the labels of a field."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.embedded.anchors.captions import of_the_form
from service.embedded.anchors.continued import with_address_lines, with_hanging_lines, with_wrapped_lines
from service.embedded.anchors.hits import Hit, first_word, is_prose, labelness
from service.embedded.anchors.places import Evidence, Place, foreign_label, in_pairs, places
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import NAMES, Choice, has_digits, over_a_box
from service.embedded.page.layout import Segment
from service.embedded.page.spans import Span
from service.embedded.words.labels import read_text
from service.embedded.words.names import name_alone
from service.embedded.words.normalise import (
    date_pattern,
    fold,
    parse_currency,
    parse_number,
    parse_period,
    pay_term,
)

LONG_VALUE = 12
"""Words from which a value without a colon before it is a sentence rather than an answer."""


_SHORT_WORD = 2


SHORT_NAME = 3
"""Letters up to which what follows a label without a colon is still a part of it: `Cust A/c`."""


_BOX = re.compile(r"\[[ xX]?\]|[☐☑☒□■]")
"""A check box: words beside it are answers to choose from, and no text that was written."""


def text_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """What stands beside or under the field's labels, as text."""
    found: list[Choice] = []
    for hit in evidence.labels.of(ask)[:24]:
        if is_prose(hit.segment) and not hit.colon and hit.strength < 1.0:
            continue
        taken = 0
        for place in places(evidence, hit):
            if taken >= 2:
                break
            span = _value_text(evidence, ask, hit, place)
            if span is None or _no_answer(ask, hit, place, span):
                continue
            value = _text_value(ask, span)
            if value is None or (not hit.colon and hit.strength < 1.0 and len(span.tokens) > LONG_VALUE):
                continue
            factor = 1.0 if taken == 0 else 0.85
            paired = _is_beside(hit, place.segment) and in_pairs(evidence, hit.segment, place.segment)
            plain = paired or place.segment.text[0] in ":：" or has_digits(span.raw)
            known = 0.0 if plain else labelness(span.tokens)
            if known > 0.99 and (ask.kind in NAMES or (place.segment is hit.segment and not hit.colon)):
                continue
            if place.segment is not hit.segment:
                factor *= 1.0 - 0.4 * known
            elif not hit.colon:
                factor *= 0.6 if ask.kind in NAMES else 0.85
            factor *= 0.98 ** (span.page - evidence.layout.pages[0].page)
            found.append(Choice(span, value, hit.strength * place.natural * factor, "label", hit))
            taken += 1
        found.extend(_under_heading(evidence, ask, hit))
    return found


def _under_heading(evidence: Evidence, ask: Ask, hit: Hit) -> Iterator[Choice]:
    """The `Name:` or `Address:` line of a section that the label heads."""
    wanted = {"org": "name", "person": "name", "address": "address"}.get(ask.kind)
    if wanted is None or hit.end - hit.start < len(hit.segment.tokens):
        return
    for segment in evidence.layout.below(hit.segment, reach=9.0):
        parts = read_text(segment.text)
        if len(parts) != 1 or wanted not in parts[0]:
            continue
        line = evidence.layout.lines[segment.line]
        right = next((s for s in line.segments if s.index > segment.index), None)
        if right is not None:
            span = evidence.spans.cut(right, 0, len(right.tokens))
            yield Choice(span, span.value, hit.strength * 0.98, "section", hit)
        return


def _value_text(evidence: Evidence, ask: Ask, hit: Hit, place: Place) -> Span | None:
    """The words from a place up to the next label; None if there are none, or they are a label themselves."""
    tokens = place.segment.tokens
    start = place.start
    while start < len(tokens) and not any(c.isalnum() for c in tokens[start].text):
        start += 1
    if start < len(tokens) and tokens[start].text[0] in "([" and place.start and not has_digits(tokens[start].text):
        closing = next((i for i in range(start, len(tokens)) if tokens[i].text.rstrip(".,;:")[-1:] in ")]"), None)
        start = len(tokens) if closing is None else closing + 1
    end = _end_of_value(evidence, ask, place.segment, start)
    if end <= start:
        return None
    whole = start == 0 and end == len(tokens)
    if whole and place.segment.text.rstrip().endswith((":", "：")):
        return None
    named = " ".join(t.text for t in tokens[first_word(place.segment) :])
    if start == 0 and not has_digits(named) and _labels_other(evidence, ask, hit, place.segment):
        return None
    goes_on = place.start and not tokens[place.start - 1].text.endswith((":", "："))
    if goes_on and (tokens[start].text[0].islower() or tokens[place.start].text[0] in "/&"):  # `Vessel / Voyage`
        return None
    span = evidence.spans.cut(place.segment, start, end)
    if evidence.under_lines and place.below:
        return span
    if ask.kind == "address":
        return with_address_lines(evidence, span)
    if ask.kind != "text":
        return span
    wrapped = with_wrapped_lines(evidence, hit, span)
    beside = ask.quotes and wrapped is span and _is_beside(hit, place.segment)
    return with_hanging_lines(evidence, hit, span) if beside else wrapped


def _end_of_value(evidence: Evidence, ask: Ask, segment: Segment, start: int) -> int:
    """Where the next label begins behind a value that starts at word `start`, or one past the last word."""
    tokens = segment.tokens
    ends = [len(tokens)]
    for owner, hit in evidence.labels.in_segment(segment):
        if owner == ask.path or hit.start < start or hit.strength < 0.8:
            continue
        following = tokens[hit.end].text if hit.end < len(tokens) else ""
        said = any(len(t.text.strip(":.")) > _SHORT_WORD for t in hit.tokens)
        next_pair = said and has_digits(following) and any(has_digits(t.text) for t in tokens[start : hit.start])
        at_the_end = not following and hit.strength >= 0.95 and hit.end - hit.start > 1
        listed = tokens[hit.start - 1].text.endswith((",", ";")) and has_digits(following)
        if hit.colon or (hit.start > start and (next_pair or at_the_end or listed)):
            ends.append(hit.start)
    if 0 < start < len(tokens) and has_digits(tokens[start].text) and tokens[-1].text.endswith((":", "：")):
        ends.append(next((i for i in range(start, len(tokens)) if not has_digits(tokens[i].text)), len(tokens)))
    return min(ends)


def _labels_other(evidence: Evidence, ask: Ask, hit: Hit, segment: Segment) -> bool:
    """Whether a segment is the label of something, or starts with that of another field of the schema."""
    asked = any(
        owner.startswith("/") and owner != ask.path and other.start <= first_word(segment) and other.strength >= 0.6
        for owner, other in evidence.labels.in_segment(segment)
    )
    paired = _is_beside(hit, segment) and in_pairs(evidence, hit.segment, segment)
    return asked or (foreign_label(evidence, segment) and not paired)


def _is_beside(hit: Hit, segment: Segment) -> bool:
    """Whether a segment is the next one on its label's line."""
    return segment.line == hit.segment.line and segment.index == hit.segment.index + 1


def _no_answer(ask: Ask, hit: Hit, place: Place, span: Span) -> bool:
    """Whether words at a label's place are the form's, another box's, or the rest of the label."""
    rest = place.segment is hit.segment and not hit.colon and len(span.raw) <= SHORT_NAME
    return (rest and ask.kind in NAMES) or over_a_box(ask, hit, place) or of_the_form(span.raw)


def _text_value(ask: Ask, span: Span) -> str | None:
    text = span.raw.strip(" :;|_").strip()
    letters = sum(c.isalpha() for c in text)
    if not any(c.isalnum() for c in text) or (ask.kind in NAMES and letters < 2) or _BOX.search(text):
        return None
    if ask.kind in ("org", "person", "place") and letters < 0.55 * sum(c.isalnum() for c in text):
        return None
    text = re.sub(r"\s*<[^<>\s]+@[^<>\s]+>$", "", text)
    if ask.kind != "address":
        text = re.sub(r"\s*\(\d{4,}\)$", "", text)
    if ask.kind in ("org", "person", "place") and not _proper(text):
        return None
    if ask.kind in ("org", "person") and (date_pattern().search(fold(text)) or parse_number(text) is not None):
        return None
    if ask.kind == "period":
        return parse_period(text) or pay_term(text)
    if ask.kind == "currency":
        return parse_currency(text) or next((c for w in text.split() if (c := parse_currency(w)) is not None), None)
    return name_alone(text, ask.kind, ask.field.name)


def _proper(text: str) -> bool:
    """Whether a text may be a name: half its longer words are capitalised, or it is written without any capitals."""
    words = [w.strip("(\"'“") for w in text.split() if len(w) > 3 and w[0].isalpha()]
    capital = sum(w[:1].isupper() for w in words)
    return not words or 2 * capital >= len(words) or (capital == 0 and len(words) <= 4)
