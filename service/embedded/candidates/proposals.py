"""A value that a field may have, and the spans of a kind near its labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from service.domain.pages import CheckMark
from service.domain.records import Scalar
from service.embedded.anchors.hits import Hit, labelness
from service.embedded.anchors.places import Evidence, Place, places
from service.embedded.asked.fields import Ask
from service.embedded.page.overlap import shared_width
from service.embedded.page.spans import Kind, Span
from service.embedded.words.labels import read_word
from service.embedded.words.normalise import (
    fold,
    iban_valid,
)

TYPED = {"money": Kind.NUMBER, "number": Kind.NUMBER, "percent": Kind.NUMBER, "date": Kind.DATE, "time": Kind.TIME,
         "email": Kind.EMAIL, "url": Kind.URL, "phone": Kind.PHONE, "iban": Kind.IBAN, "bic": Kind.BIC,
         "taxid": Kind.TAX_ID}  # fmt: skip
LONE_COLUMN = "lone column"
"""Why a cell of a table of which a single column was found: one word as a header proves little."""
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
                if s.end > place.start and not box_number(evidence, s)
            ]
            for rank, span in enumerate(found):
                fit = _fit(ask, span, rank, found) * between_labels(evidence, ask, hit, place, span)
                if (place.below and not _under(hit, span)) or _is_in_question(span):
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


def _is_in_question(span: Span) -> bool:
    """Whether a value only stands in the question that another one answers: `On a scale of 0 to 10, …? 4`."""
    return any(t.text.endswith("?") for t in span.segment.tokens[span.end : -1])


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


def box_number(evidence: Evidence, span: Span) -> bool:
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
    return shared_width(hit, span) > -1.5 * height


def between_labels(evidence: Evidence, ask: Ask, hit: Hit, place: Place, span: Span) -> float:
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


def over_a_box(ask: Ask, hit: Hit, place: Place) -> bool:
    """Whether something stands above the label of a numbered box, whose value is under it or beside it."""
    return bool(ask.printed_number) and place.below and place.segment.y0 < hit.segment.y0


def has_digits(text: str) -> bool:
    """Whether a text has a digit."""
    return any(c.isdigit() for c in text)
