"""Candidates for one field: spans near its labels, and what speaks for itself without any label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from service.domain.pages import CheckMark
from service.domain.records import Scalar
from service.embedded.anchors.captions import of_the_form
from service.embedded.anchors.continued import with_address_lines, with_hanging_lines, with_wrapped_lines
from service.embedded.anchors.matching import Hit, first_word, is_prose, labelness
from service.embedded.anchors.places import Evidence, Place, foreign_label, in_pairs, places
from service.embedded.asked.fields import Ask
from service.embedded.page.layout import Segment
from service.embedded.page.spans import Kind, Span
from service.embedded.page.word_gaps import end_of_boxes, in_boxes
from service.embedded.words.labels import read_text, read_word
from service.embedded.words.names import name_alone
from service.embedded.words.normalise import (
    date_pattern,
    fold,
    iban_valid,
    parse_currency,
    parse_date,
    parse_number,
    parse_period,
    pay_term,
)

TYPED = {"money": Kind.NUMBER, "number": Kind.NUMBER, "percent": Kind.NUMBER, "date": Kind.DATE, "time": Kind.TIME,
         "email": Kind.EMAIL, "url": Kind.URL, "phone": Kind.PHONE, "iban": Kind.IBAN, "bic": Kind.BIC,
         "taxid": Kind.TAX_ID}  # fmt: skip
LONG_VALUE = 12
"""Words from which a value without a colon before it is a sentence rather than an answer."""
LONE_COLUMN = "lone column"
"""Why a cell of a table of which a single column was found: one word as a header proves little."""
_SHORT_WORD = 2
SHORT_NAME = 3
"""Letters up to which what follows a label without a colon is still a part of it: `Cust A/c`."""
SHORT_CODE = 3
"""Letters and digits from which an identifier is one without doubt."""
LISTED = 3
"""Dates under one label from which they are those of a table's rows."""
NAMES = frozenset({"org", "person", "place", "address"})


@dataclass(frozen=True)
class Choice:
    """A span for a field, how well it fits (about 0–1), and why."""

    span: Span
    value: Scalar
    score: float
    why: str
    label: Hit | None = None
    mark: CheckMark | None = None
    """The check box that says it, if one does."""

    def scaled(self, factor: float) -> Choice:
        """The same with another score."""
        return replace(self, score=self.score * factor)


def typed_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """Spans of the asked kind near the field's labels, the best score of each."""
    kind = TYPED[ask.kind]
    best: dict[tuple[int, int, int], Choice] = {}
    hits = evidence.labels.of(ask)
    repeated = 0.85 if sum(h.strength > hits[0].strength - 0.02 for h in hits) > 3 else 1.0
    for hit in evidence.labels.of(ask)[:40]:
        around = list(places(evidence, hit))
        listed = ask.kind == "date" and _dates_under(evidence, hit, around) >= LISTED
        for place in around:
            found = [
                s
                for s in evidence.spans.inside(place.segment, kind)
                if s.end > place.start and not _box_number(evidence, s)
            ]
            for rank, span in enumerate(found):
                fit = _fit(ask, span, rank, found) * _between(evidence, ask, hit, place, span)
                if place.below and not _under(hit, span):
                    fit *= 0.5
                if ask.is_concept("start_date", "end_date"):
                    fit *= 1.08 if in_range(found) else repeated
                if place.below and ask.kind == "money" and _in_header_row(evidence, hit):
                    fit *= 0.75
                if place.below and listed:
                    fit *= 0.5
                choice = Choice(span, span.value, hit.strength * place.natural * fit, "label", hit)
                key = (span.segment.index, span.start, hash(span.raw))
                if key not in best or best[key].score < choice.score:
                    best[key] = choice
    if ask.kind == "percent":
        return [*best.values(), *_percent_before(evidence, ask)]
    return list(best.values())


def _dates_under(evidence: Evidence, hit: Hit, around: list[Place]) -> int:
    """How many of the places under a label are a date and nothing else."""
    under = (p.segment for p in around if p.below and p.segment.y0 > hit.segment.y0)
    return sum(any(d.end - d.start == len(s.tokens) for d in evidence.spans.inside(s, Kind.DATE)) for s in under)


def _percent_before(evidence: Evidence, ask: Ask) -> Iterator[Choice]:
    """A percentage right before the words that name it: `3 % rate of interest`."""
    for hit in evidence.labels.of(ask)[:20]:
        for span in evidence.spans.inside(hit.segment, Kind.NUMBER):
            if span.percent and span.end == hit.start:
                yield Choice(span, span.value, hit.strength * 0.8, "label", hit)


def _box_number(evidence: Evidence, span: Span) -> bool:
    """Whether a small number only numbers the field of a form that is labelled after it."""
    if not re.fullmatch(r"\d{1,2}[a-z]?\.?", span.raw.strip()) or span.start:
        return False
    rest = span.segment.tokens[span.end :]
    if rest:
        worded = len(rest) > 1 and all(t.text[0].isalpha() for t in rest[:2])
        return worded or labelness(rest[:3]) >= 0.4
    following = [s for s in evidence.layout.lines[span.segment.line].segments if s.index == span.segment.index + 1]
    return (
        bool(following)
        and following[0].x0 - span.x1 < 3 * span.segment.height
        and labelness(following[0].tokens[:3]) >= 0.4
    )


def _in_header_row(evidence: Evidence, hit: Hit) -> bool:
    """Whether other labels stand on the label's line, as in the header of a table of items."""
    line = evidence.layout.lines[hit.segment.line]
    items = ("quantity", "unit_price", "description", "article")
    words = {c for s in line.segments for t in s.tokens for part in read_word(t.text) for c in part}
    return len(line.segments) > 1 and bool(words & {*items, "price"})


def in_range(found: list[Span]) -> bool:
    """Whether dates stand as `from – to` in one segment."""
    if len(found) != 2 or found[0].segment is not found[1].segment:
        return False
    between = " ".join(t.text for t in found[0].segment.tokens[found[0].end : found[1].start])
    return fold(between).strip() in ("-", "–", "—", "to", "bis", "au", "al", "a", "until", "through", "t/m", "")


def _under(hit: Hit, span: Span) -> bool:
    height = hit.segment.height
    return min(hit.x1, span.x1) - max(hit.tokens[0].x0, span.x0) > -1.5 * height


def _between(evidence: Evidence, ask: Ask, hit: Hit, place: Place, span: Span) -> float:
    """Less, where another label stands between the label and the span."""
    if place.segment is not hit.segment:
        stronger = [
            h for owner, h in evidence.labels.in_segment(place.segment)
            if h.end <= span.start and h.strength > 0.6 and owner != ask.path
        ]  # fmt: skip
        own = any(owner == ask.path for owner, h in evidence.labels.in_segment(place.segment) if h.end <= span.start)
        return 0.6 if stronger and not own else 1.0
    between = [
        h for owner, h in evidence.labels.in_segment(hit.segment)
        if hit.end <= h.start and h.end <= span.start and h.strength > 0.6 and owner != ask.path
    ]  # fmt: skip
    distance = max(0, span.start - hit.end)
    return (0.6 if between else 1.0) * max(0.7, 1.0 - 0.03 * distance)


def _fit(ask: Ask, span: Span, rank: int, found: list[Span]) -> float:
    """How well a span's shape suits the asked kind."""
    if ask.kind == "iban":
        return 1.0 if iban_valid(str(span.value)) else 0.85
    if ask.kind == "taxid":
        prefixed = any(re.match(r"[A-Z]{2}", str(s.value)) for s in found) and re.match(r"[A-Z]{2}", str(span.value))
        return (1.0 if prefixed else 0.8) - 0.04 * rank
    if ask.kind == "money":
        money = [s for s in found if s.money and not s.percent]
        fit = 1.0 if span.money else 0.3 if span.percent else 0.72 if len(str(span.value)) > 2 else 0.5
        if money and span is not money[-1]:
            fit *= 0.85 if span.money else 0.6
        return fit
    if ask.kind == "percent":
        return (1.0 if span.percent else 0.6 if span.money else 0.8) - 0.02 * rank
    if ask.kind == "date" and len(found) > 1 and "end_date" in dict(ask.concepts):
        return 1.0 if rank == 1 else 0.8
    return 1.0 - 0.06 * rank


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
            plain = paired or place.segment.text[0] in ":：" or _digits(span.raw)
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
    if start < len(tokens) and tokens[start].text[0] in "([" and place.start and not _digits(tokens[start].text):
        closing = next((i for i in range(start, len(tokens)) if tokens[i].text.rstrip(".,;:")[-1:] in ")]"), None)
        start = len(tokens) if closing is None else closing + 1
    end = _end_of_value(evidence, ask, place.segment, start)
    if end <= start:
        return None
    whole = start == 0 and end == len(tokens)
    if whole and place.segment.text.rstrip().endswith((":", "：")):
        return None
    named = " ".join(t.text for t in tokens[first_word(place.segment) :])
    if start == 0 and not _digits(named) and _labels_other(evidence, ask, hit, place.segment):
        return None
    if place.start and not tokens[place.start - 1].text.endswith((":", "：")) and tokens[start].text[0].islower():
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
        next_pair = said and _digits(following) and any(_digits(t.text) for t in tokens[start : hit.start])
        at_the_end = not following and hit.strength >= 0.95 and hit.end - hit.start > 1
        listed = tokens[hit.start - 1].text.endswith((",", ";")) and _digits(following)
        if hit.colon or (hit.start > start and (next_pair or at_the_end or listed)):
            ends.append(hit.start)
    if 0 < start < len(tokens) and _digits(tokens[start].text) and tokens[-1].text.endswith((":", "：")):
        ends.append(next((i for i in range(start, len(tokens)) if not _digits(tokens[i].text)), len(tokens)))
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
    return (rest and ask.kind in NAMES) or _over_a_box(ask, hit, place) or of_the_form(span.raw)


def _over_a_box(ask: Ask, hit: Hit, place: Place) -> bool:
    """Whether something stands above the label of a numbered box, whose value is under it or beside it."""
    return bool(ask.printed_number) and place.below and place.segment.y0 < hit.segment.y0


def _digits(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _text_value(ask: Ask, span: Span) -> str | None:
    text = span.raw.strip(" :;|_").strip()
    letters = sum(c.isalpha() for c in text)
    if not any(c.isalnum() for c in text) or (ask.kind in NAMES and letters < 2):
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


def _counts(span: Span) -> bool:
    """Whether a short number counts what is named after it: `4 kg`."""
    return len(span.raw) < SHORT_CODE and any(t.text.isalpha() for t in span.segment.tokens[span.end : span.end + 1])


def code_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """Identifiers near the field's labels."""
    found: list[Choice] = []
    for hit in evidence.labels.of(ask)[:30]:
        for place in places(evidence, hit):
            span = _code_at(evidence, ask, place, hit)
            if span is not None and not _over_a_box(ask, hit, place):
                between = _between(evidence, ask, hit, place, span) * (0.7 if _counts(span) else 1.0)
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
        if _box_number(evidence, evidence.spans.cut(place.segment, index, index + 1)):
            return None
        if not _digits(text) or not _CODE_TOKEN.match(text) or _MONEY.match(text) or tokens[index].text[0] in "([":
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
