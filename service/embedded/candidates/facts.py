"""What sentences tell: a number or date beside the words that name it, and who is called by a role."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from service.embedded.anchors.parties import looks_company
from service.embedded.anchors.places import Evidence
from service.embedded.anchors.titles import is_kind_title
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import TYPED, Choice
from service.embedded.candidates.prose import Prose
from service.embedded.page.layout import Segment, Token
from service.embedded.page.spans import Kind, Span, token_range
from service.embedded.words.labels import Phrase, read_text, read_words, weight
from service.embedded.words.normalise import fold

_WORDS = 6
"""Words of a segment from which it is part of a sentence."""
_BEFORE, _AFTER = 14, 4
"""Words around a value among which those that name it are looked for."""
_CLOSE = 4
_ENOUGH, _FEW = 0.66, 0.45
"""Share of a field's words that a sentence must have; the lesser one where they stand close to the value."""
_MOST = 0.78
_OTHER_VALUE = 0.12
"""What each value of the same kind between a value and its words costs."""
_SAID_BY_KIND: dict[Kind, frozenset[str]] = {
    Kind.DATE: frozenset({"date"}),
    Kind.NUMBER: frozenset({"number", "amount", "total", "rate"}),
    Kind.TIME: frozenset({"time"}),
}
"""Words that the shape of a value says already."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Words of one sentence, with their segments."""

    words: tuple[tuple[Token, Segment], ...]


def fact_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """Values of the asked kind in sentences that have the field's own words."""
    kind = TYPED.get(ask.kind)
    if kind is None or kind not in _SAID_BY_KIND:
        return []
    phrases = [(bare, w) for p, w in ask.phrases if w >= 0.75 and (bare := p - _SAID_BY_KIND[kind])]
    return [choice for sentence in _sentences(evidence) for choice in _told(evidence, sentence, kind, phrases)]


def _sentences(evidence: Evidence) -> Iterator[_Sentence]:
    """Runs of words up to a full stop, over the lines of running text."""
    words: list[tuple[Token, Segment]] = []
    running = False
    for line in evidence.layout.lines:
        for segment in line.segments:
            long = len(segment.tokens) >= _WORDS
            if words and not (long or running):
                yield _Sentence(tuple(words))
                words = []
            if not (long or words):
                running = False
                continue
            running = long
            for token in segment.tokens:
                words.append((token, segment))
                if re.search(r"[^\W\d]{3,}[.;!?]$|\d{4}\.$|[€%)]\.$", token.text):
                    yield _Sentence(tuple(words))
                    words = []
    if words:
        yield _Sentence(tuple(words))


def _told(
    evidence: Evidence, sentence: _Sentence, kind: Kind, phrases: Sequence[tuple[Phrase, float]]
) -> Iterator[Choice]:
    words = sentence.words
    worded = [t.text for t, _ in words if t.text[0].isalpha()]
    if len(words) < _WORDS or sum(map(str.islower, worded)) < max(2, 0.35 * len(worded)):
        return
    parts = read_words([t.text for t, _ in words])
    said = {c for ps in parts for part in ps for c in part}
    close = [(phrase, w) for phrase, w in phrases if phrase & said]
    if not close:
        return
    found = _spans(evidence, words, kind)
    at = {id(token): index for index, (token, _) in enumerate(words)}
    places = [(at[id(s.tokens[0])], at.get(id(s.tokens[-1]), at[id(s.tokens[0])])) for s in found]
    meanings = [frozenset(c for part in ps for c in part) for ps in parts]
    priced = any(s.money for s in found)
    for span, place in zip(found, places, strict=True):
        score = max(w * _named(phrase, meanings, place, places) for phrase, w in close)
        if score > 0:
            yield Choice(span, span.value, score * (1.0 if span.money or not priced else 0.7), "fact")


def _spans(evidence: Evidence, words: Sequence[tuple[Token, Segment]], kind: Kind) -> list[Span]:
    segments = {segment.index: segment for _, segment in words}
    inside = {id(token) for token, _ in words}
    return [s for g in segments.values() for s in evidence.spans.inside(g, kind) if id(s.tokens[0]) in inside]


def _named(
    phrase: Phrase,
    meanings: Sequence[frozenset[str]],
    place: tuple[int, int],
    places: Sequence[tuple[int, int]],
) -> float:
    """How well the words around a value name it, 0–`_MOST`."""
    first, last = place
    matched: dict[str, int] = {}
    for index in (*range(last + 1, min(len(meanings), last + 1 + _AFTER)), *range(max(0, first - _BEFORE), first)):
        away = first - index if index < first else 2 * (index - last) - 1
        for word in meanings[index] & phrase:
            matched[word] = min(away, matched.get(word, away))
    if not matched:
        return 0.0
    share = sum(map(weight, matched)) / sum(map(weight, phrase))
    away = min(matched.values())
    if share < (_FEW if away <= _CLOSE else _ENOUGH):
        return 0.0
    between = sum(first - away < start < first for start, _ in places)
    return min(_MOST, 0.42 + 0.3 * share + 0.08 * (away <= _CLOSE) - 0.02 * max(0, away - 6)) - _OTHER_VALUE * between


_LONGEST_NAME = 14
"""Words of a name with what comes before its role."""
_ROLE = re.compile(
    r"\([^\w()\"“„”']{0,3}"
    r"(?:(?:hereinafter|hereafter|herein|the|called|referred to as|as|ci-apres)[^\w()\"“„”']{1,3}){0,5}"
    r"[\"“„”']{1,2}(?P<quoted>[^()\"“”']{3,30})[\"”“']{1,2}\W{0,3}\)"
    r"|\b(?:nachfolgend|im folgenden|en adelante|ci-apres(?: denomme)?|di seguito|hierna te noemen|hierna)\s+"
    r"(?:als |el |la |le |il |der |die )?[\"“„]?(?P<called>[^\W\d]{4,25})",
)
_OPENS = re.compile(r"(?:\b(?:between|by and|and|zwischen|und|entre|et|tra|tussen|en|genannt)\b|[;:])\W*")
_SALUTED = re.compile(r"^(?:(?:herrn?|frau|mr|mrs|ms|m|mme|dr|prof|judge|justice)\.?\s+)+")


_AFTER_DASH = re.compile(
    r"^(?P<name>[^\W\d_].{2,70}?)\s*(?:[-–—]\s|\(|,\s)\s*(?P<role>[^\W\d][^-–—(),.:;\d]{2,25}?)\s*[-–—),.]*$"
)
_LIKE = 5
"""Letters that two forms of one role share: `Beklagter`, `Beklagte`."""
_ENDING = 3
"""Letters by which they differ at most."""


def named_beside_role(evidence: Evidence, ask: Ask) -> Iterator[Choice]:
    """Names with their role behind them on the same line: `Ann Lee – Claimant –`, `Bo Lind (tenant)`."""
    own = [word for phrase, w in ask.phrases if w >= _SURE and len(phrase) == 1 for word in phrase]
    for segment in evidence.layout.segments if own else ():
        if (over := _under_its_name(evidence, segment, own)) is not None:
            titled = _SALUTED.match(fold(over.text))
            first = len(over.text[: titled.end()].split()) if titled else 0
            span = evidence.spans.cut(over, first, len(over.tokens))
            yield Choice(span, span.raw.strip(" ,."), _BESIDE_ROLE, "role")
        match = _AFTER_DASH.match(segment.text) if len(segment.tokens) <= _LONGEST_NAME else None
        if match is None or not match["name"][0].isupper():
            continue
        said = {c for part in read_text(match["role"]) for c in part}
        if len(said) <= 2 and any(_is_form_of(word, role) for word in own for role in said):
            start, end = token_range(segment, *match.span("name"))
            yield Choice(evidence.spans.cut(segment, start, end), match["name"], _BESIDE_ROLE, "role")


_SURE, _BESIDE_ROLE = 0.9, 0.8
_LONGEST_ROLE = 4
_SURNAMED = re.compile(
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Judge|Herr|Frau)\.?\s)*[A-ZÀ-Þ][\w.'’&-]*(?:\s(?:[A-ZÀ-Þ&][\w.'’&-]*|de|van|von|der)){1,6}"
)


def _under_its_name(evidence: Evidence, segment: Segment, own: Sequence[str]) -> Segment | None:
    """The name right over a line that says nothing but its role, alone on its line as the name is."""
    lines = evidence.layout.lines
    if (
        len(segment.tokens) > _LONGEST_ROLE
        or len(lines[segment.line].segments) > 1
        or not segment.line
        or segment.text[-1] == ":"
    ):
        return None
    if any(map(str.isdigit, segment.text)):
        return None
    said = {c for part in read_text(segment.text) for c in part}
    over = lines[segment.line - 1].segments
    near = len(over) == 1 and over[0].page == segment.page and segment.y0 - over[0].y1 < 1.2 * over[0].height
    named = (
        near and _SURNAMED.fullmatch(over[0].text.strip(" ,.")) and any(_is_form_of(w, r) for w in own for r in said)
    )
    return over[0] if named and (looks_company(over[0].text) or not is_kind_title(over[0].text)) else None


def _is_form_of(word: str, other: str) -> bool:
    """Whether two words are one but for their ending."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return word == other or (shared >= _LIKE and max(len(word), len(other)) - shared <= _ENDING)


def role_choices(prose: Prose, ask: Ask) -> list[Choice]:
    """Names that a contract gives a role, for a field that is named by the role."""
    found: list[Choice] = []
    for match in _ROLE.finditer(prose.folded):
        role = {c for part in read_text(match["quoted"] or match["called"]) for c in part}
        if not any(w >= 0.9 and phrase <= role for phrase, w in ask.phrases):
            continue
        opened = [m.end() for m in _OPENS.finditer(prose.folded, max(0, match.start() - 160), match.start())]
        for start in reversed(opened or [match.start()]):
            name = prose.text[start : match.start()].strip(' ,–-"“')
            if name[:1].isupper() and not name.startswith("The ") and len(name.split()) <= _LONGEST_NAME:
                found.append(_named_party(prose, start, name))
                break
    return found


def _named_party(prose: Prose, start: int, name: str) -> Choice:
    begin = prose.text.index(name, start)
    saluted = _SALUTED.match(prose.folded[begin : begin + len(name)])
    begin += saluted.end() if saluted else 0
    text = re.split(r",(?!\s*(?:Inc|LLC|Ltd|Corp|L\.)\b)", prose.text[begin : start + len(name) + 12][: len(name)])[
        0
    ].strip()
    return Choice(prose.span(begin, begin + len(text)), text, 0.66, "role")
