"""Values that are printed as parts of one: `5 – 40 °C`, `80 x 120 x 45 cm`, `Vessel / Voyage: MV Lark / 12W`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from service.domain.records import Scalar
from service.embedded.anchors.hits import Hit, is_prose
from service.embedded.anchors.places import Evidence, foreign_label, places
from service.embedded.asked.fields import NUMERIC, Ask
from service.embedded.candidates.proposals import NAMES, TYPED, Choice
from service.embedded.page.layout import Segment
from service.embedded.page.spans import Kind, Span, token_range
from service.embedded.words.labels import Phrase, canonical, read_text, similarity, split_name
from service.embedded.words.lists import word_list
from service.embedded.words.normalise import DASHES, fold, parse_number

PART = "part"
"""Why such a value was taken."""
LEAST = frozenset({"minimum", "start"})
MOST = frozenset({"maximum", "end"})
"""Canonical words that ask for one end of a range."""
SIDES = ("width", "height", "depth", "length")
_OF_A_SIZE = frozenset({"dimension", *SIDES})
"""Canonical words of which one stands before a size that is printed without a unit: `6x33` may be a pack as well."""
_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_RANGE = re.compile(
    rf"(?<![\w.,/-])({_NUMBER})\s?[^\W\d_°%]{{0,3}}[°%]?[cf]?\s?(?:-|/|\.{{2,3}}|…|÷|~|{'|'.join(sorted(word_list('range')))})\s?"
    rf"({_NUMBER})(?![\w.,/:-]*\d)"
)
"""Two numbers, the first of which may have its unit."""
_SIZES = re.compile(
    rf"(?<![\w.,])({_NUMBER})(?:\s?[cm]?m)?(?:\s?[x×*]\s?({_NUMBER})(?:\s?[cm]?m)?){{1,2}}(?![\w.,]*\d)", re.I
)
_LETTERS = re.compile(r"(?<!\w)[a-zø](?:\s?[x×*/]\s?[a-zø]){1,2}(?!\w)")
_LETTERED = {
    "width": "wbsšla", "height": "hvayx", "depth": "dtpgf", "length": "ld",
}  # fmt: skip
"""Side → the letters it is written with, of several languages."""
_AND = re.compile(rf"\s*(?:/|,|&|\+|\b(?:{'|'.join(sorted(word_list('both')))})\b)\s*")
_MARKS = re.compile(r"\s*(?:/|,|;|\||–|\s-\s)\s*")
_TOLD = 0.7
"""How well one of the names of a label must say a field, and no other."""
_PLAIN = 0.8
_MOST_PARTS = 3
_DAY_AND_MORE = 2
"""Parts of a value of which the first is a day, that need no mark between them: `12.03.1980 Neuenburg`."""


def parted_choices(evidence: Evidence, asks: Sequence[Ask]) -> Iterator[tuple[str, Choice]]:
    """Path and candidate of all fields whose value is printed as a part of one."""
    for ask, other in pairwise(asks):
        if ask.kind == other.kind and ask.kind in TYPED:
            yield from _ends(evidence, ask, other)
    yield from _sides(evidence, asks)
    for ask in asks:
        if ask.kind not in ("boolean", "enum"):
            yield from ((ask.path, choice) for choice in _named_together(evidence, ask))


def _ends(evidence: Evidence, least: Ask, most: Ask) -> Iterator[tuple[str, Choice]]:
    """The ends of a range for two fields that stand for them, by their names or, under one label, by their order."""
    bounds = [_said(ask) & (LEAST | MOST) for ask in (least, most)]
    told = bool(bounds[0] & LEAST and bounds[1] & MOST)
    if not told and (any(bounds) or least.kind != "date"):
        return
    labelled = {id(hit.segment): hit for hit in evidence.labels.of(most)[:12]}
    for hit in evidence.labels.of(least)[:12]:
        if id(hit.segment) not in labelled or is_prose(hit.segment):
            continue
        for place in places(evidence, hit):
            ends = _range_at(evidence, place.segment, place.start, least.kind)
            if ends is not None:
                score = max(_PLAIN, hit.strength) * place.natural
                for ask, span in zip((least, most), ends, strict=True):
                    yield ask.path, Choice(span, span.value, score, PART, hit)
                return
            if foreign_label(evidence, place.segment):
                break


def _said(ask: Ask) -> Phrase:
    """What a field is called."""
    return canonical(split_name(ask.field.title or ask.field.name))


def _range_at(evidence: Evidence, segment: Segment, start: int, kind: str) -> tuple[Span, Span] | None:
    """The two ends of the only range in a segment from word `start` on."""
    if kind not in NUMERIC:
        found = [s for s in evidence.spans.inside(segment, TYPED[kind]) if s.start >= start]
        return (found[0], found[1]) if len(found) == 2 and found[1].start - found[0].end <= 1 else None
    at = segment.starts[start] if start < len(segment.tokens) else len(segment.text)
    text = fold(segment.text.translate(DASHES))
    found = list(_RANGE.finditer(text, at)) if len(text) == len(segment.text) else []
    if len(found) != 1 or re.search(r"\d", text[at : found[0].start()]):
        return None
    ends = [_number(evidence, segment, found[0].span(group)) for group in (1, 2)]
    if ends[0] is None or ends[1] is None or not float(str(ends[0].value)) < float(str(ends[1].value)):
        return None
    return ends[0], ends[1]


def _number(evidence: Evidence, segment: Segment, place: tuple[int, int]) -> Span | None:
    """The number that some letters of a segment print."""
    raw = segment.text[slice(*place)]
    value = parse_number(raw, evidence.spans.decimal)
    if value is None:
        return None
    start, end = token_range(segment, *place)
    plain: Scalar = int(value) if value == value.to_integral_value() else float(value)
    return Span(Kind.NUMBER, segment.tokens[start:end], raw, plain, segment, start, end)


def _sides(evidence: Evidence, asks: Sequence[Ask]) -> Iterator[tuple[str, Choice]]:
    """Width, height, depth and length where a document prints them once as `80 x 120 x 45 cm`."""
    wanted = {side: ask for ask in asks if ask.kind == "number" for side in SIDES if side in _said(ask)}
    if len(wanted) < 2:
        return
    found = [(s, m) for s in evidence.layout.segments if (m := _SIZES.search(s.text))]
    if len({m.group() for _, m in found}) != 1:
        return
    segment, match = found[0]
    numbers = list(re.finditer(_NUMBER, match.group()))
    order = _order(evidence, segment, match, tuple(wanted), len(numbers))
    for side, number in zip(order, numbers, strict=False):
        place = match.start() + number.start(), match.start() + number.end()
        span = _number(evidence, segment, place)
        if span is not None and side in wanted:
            yield wanted[side].path, Choice(span, span.value, _PLAIN, PART)


def _order(
    evidence: Evidence, segment: Segment, size: re.Match[str], wanted: tuple[str, ...], count: int
) -> tuple[str, ...]:
    """The sides that the numbers of a size stand for: by the letters before or above it, or as the schema has them."""
    above = [s.text for s in evidence.layout.segments[max(0, segment.index - 4) : segment.index]]
    text = fold(" ".join((*above, segment.text[: size.start()])))
    letters = _LETTERS.findall(text)
    if not letters:
        told = "m" in size.group().lower() or not _OF_A_SIZE.isdisjoint(canonical(text))
        return wanted if told and len(wanted) == count else ()
    order: list[str] = []
    for letter in re.findall(r"[a-zø]", re.sub(r"\s?[x×*/]\s?", " ", letters[-1])):
        free = [side for side in wanted if side not in order and letter in _LETTERED[side]]
        order.append(next(iter(free), ""))
    return tuple(order) if len(order) == count else ()


def _named_together(evidence: Evidence, ask: Ask) -> Iterator[Choice]:
    """The part of a value whose label names several things, of which this field is one."""
    for hit in evidence.labels.of(ask)[:6]:
        label, end = _whole_label(hit)
        names = [n for n in _AND.split(fold(label)) if n.strip(" :.()")]
        told = [_says(ask, name) for name in names]
        if not 2 <= len(names) <= _MOST_PARTS or max(told) < _TOLD or sum(t > max(told) - 0.2 for t in told) > 1:
            continue
        if _says(ask, label) >= max(told):  # it asks for both
            continue
        around = places(evidence, Hit(hit.segment, 0, end, hit.strength))
        place = next((p for p in around if not foreign_label(evidence, p.segment)), None)
        if place is None:
            continue
        span = _part(evidence, ask, place.segment, place.start, (told.index(max(told)), len(names)))
        if span is not None:
            yield Choice(span, span.value, max(_PLAIN, max(told)) * place.natural, PART, hit)


def _says(ask: Ask, text: str) -> float:
    """How well a text says a field, 0-1."""
    return max((similarity(phrase, read_text(text)) * w for phrase, w in ask.phrases), default=0.0)


def _whole_label(hit: Hit) -> tuple[str, int]:
    """The label that a hit is a part of, up to its colon or the end of its line, and its length in words."""
    tokens = hit.segment.tokens
    end = next((i + 1 for i, t in enumerate(tokens) if t.text.endswith((":", "："))), len(tokens))
    return " ".join(t.text for t in tokens[:end]), max(end, hit.end)


def _part(evidence: Evidence, ask: Ask, segment: Segment, start: int, which: tuple[int, int]) -> Span | None:
    """Part `which[0]` (0-based) of the `which[1]` that a segment prints from word `start` on."""
    at = segment.starts[start] if start < len(segment.tokens) else len(segment.text)
    text = segment.text[at:]
    cuts = [(0, 0), *(m.span() for m in _MARKS.finditer(text)), (len(text), len(text))]
    day = next(iter(evidence.spans.inside(segment, Kind.DATE)), None)
    if (
        len(cuts) == which[1] == _DAY_AND_MORE
        and day is not None
        and start == day.start < day.end < len(segment.tokens)
    ):
        behind = segment.starts[day.end] - at
        cuts = [(0, 0), (behind, behind), cuts[-1]]
    if len(cuts) != which[1] + 1:
        return None
    begin, end = at + cuts[which[0]][1], at + cuts[which[0] + 1][0]
    raw = segment.text[begin:end].strip(" :;|")
    if not raw:
        return None
    first, last = token_range(segment, begin, end)
    if ask.kind in TYPED:
        inside = [s for s in evidence.spans.inside(segment, TYPED[ask.kind]) if first <= s.start < last]
        return inside[0] if len(inside) == 1 else None
    if ask.kind in NAMES and any(map(str.isdigit, raw)) and ask.kind != "address":
        return None
    kind = Kind.CODE if ask.kind == "code" else Kind.TEXT
    return Span(kind, segment.tokens[first:last], raw, raw, segment, first, last)
