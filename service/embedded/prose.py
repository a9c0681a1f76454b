"""Running text of contracts and letters: effective dates, parties, governing law, how long something lasts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from service.embedded.fields import Ask
from service.embedded.labels import canonical, split_name
from service.embedded.layout import Layout, Segment, Token
from service.embedded.normalise import PERIOD, date_pattern, fold, parse_date, parse_period
from service.embedded.proposals import Choice
from service.embedded.spans import Kind, Span

_OPENING = 2500
"""Characters from the start in which an agreement gives its day."""
PROSE_LINE = 7
"""Words from which a line counts as running text."""


class Prose:
    """The document's words as one text, with the way back from a character to its word."""

    def __init__(self, layout: Layout) -> None:
        self._tokens: list[tuple[Token, Segment]] = [(t, s) for s in layout.segments for t in s.tokens]
        self._starts: list[int] = []
        position = 0
        pieces: list[str] = []
        for token, _ in self._tokens:
            self._starts.append(position)
            pieces.append(token.text)
            position += len(token.text) + 1
        self.text = " ".join(pieces)
        self.folded = _folded_in_place(self.text)
        long_lines = sum(sum(len(s.tokens) for s in line.segments) >= PROSE_LINE for line in layout.lines)
        self.is_prose = len(self._tokens) > 120 and long_lines > 0.45 * len(layout.lines)

    def dates_another(self, span: Span) -> bool:
        """Whether a date is that of another agreement which the text refers to."""
        index = next((i for i, (token, _) in enumerate(self._tokens) if token is span.tokens[0]), None)
        if index is None:
            return False
        start, end = self._starts[index], self._starts[min(index + len(span.tokens), len(self._starts) - 1)]
        return _of_another(self.folded[max(0, start - 120) : start], self.folded[end : end + 100])

    def span(self, start: int, end: int, kind: Kind = Kind.TEXT) -> Span:
        """The words that hold characters `start` to `end` (exclusive)."""
        first = bisect_right(self._starts, start) - 1
        last = max(first, bisect_right(self._starts, max(start, end - 1)) - 1)
        tokens = tuple(t for t, _ in self._tokens[first : last + 1])
        raw = self.text[start:end].strip(" ,;.:")
        return Span(kind, tokens, raw, raw, self._tokens[first][1], 0, len(tokens))


def _folded_in_place(text: str) -> str:
    """The text folded letter by letter, each in its place: letters that would become several stay (`ß`)."""
    alone = {ord(sign): fold(sign) for sign in set(text)}
    return text.translate({sign: plain for sign, plain in alone.items() if len(plain) == 1})


def prose_choices(prose: Prose, ask: Ask, *, day_first: bool) -> list[Choice]:
    """Candidates from sentence patterns for one field; nothing for documents without running text."""
    if not prose.is_prose:
        return []
    if ask.kind == "date" and ask.plain and ask.is_concept("effective_date", "start_date", "invoice_date"):
        return list(_dates(prose, day_first=day_first))
    if ask.is_concept("jurisdiction") and "law" in canonical(f"{split_name(ask.field.name)} {ask.field.description}"):
        return list(_jurisdictions(prose))
    if ask.is_concept("term") or ask.kind == "period":
        return list(_terms(prose))
    return []


_DATE_CUE = re.compile(
    r"(?:dated|made|entered into|effective|executed|signed|commencing|agreement|datum|vom|en date du|fecha|data)"
    r"(?:[^.;]{0,90}?)(?:as of|on|this|date of|dated|vom|am|le|del)?\s*$"
)


def _dates(prose: Prose, *, day_first: bool) -> Iterator[Choice]:
    text = prose.folded
    for rank, match in enumerate(date_pattern().finditer(text)):
        found = parse_date(match.group(0), day_first=day_first)
        if found is None or rank > 12:
            continue
        before = text[max(0, match.start() - 120) : match.start()]
        after = text[match.end() : match.end() + 100]
        score = 0.47 - 0.02 * rank
        if _DATE_CUE.search(before):
            score += 0.22
        if re.search(r"as of\s*(?:the\s*)?$|effective (?:as of|date)[^.]{0,20}$", before):
            score += 0.1
        if re.match(r"\W*(?:\(\W*(?:the|hereinafter)?\W*[\"“]?\W*effective|by and between|between|among)", after):
            score += 0.12
        if _of_another(before, after):
            continue
        if match.start() > 0.85 * len(text):
            score -= 0.06
        yield Choice(prose.span(*match.span(), Kind.DATE), found.isoformat(), score, "sentence")


_OPENING_CUE = re.compile(r"\bthis\b[^.;]{0,120}\b(?:dated|made|entered into|effective|executed)\b[^.;]{0,60}$")
_LEFT_OPEN = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\W*[_.]*\s*,\s*(?:19|20)\d\d"
    r"|_{2,}\W*(?:day of|,)|\bthis\s+day of\b"
)
_DAY_TOLD = re.compile(r"\d\s?(?:st|nd|rd|th)?\W*(?:day of\W*)?$")


def leaves_date_open(prose: Prose) -> bool:
    """Whether an agreement has a place for its own day in which nothing was filled in: `as of May   , 2001`."""
    opening = prose.folded[:_OPENING]
    before = (opening[max(0, m.start() - 200) : m.start()] for m in _LEFT_OPEN.finditer(opening))
    return any(_OPENING_CUE.search(text) and not _DAY_TOLD.search(text) for text in before)


_DEFINED = re.compile(r"\W{0,3}\([^()\"“]{0,40}[\"“](?P<term>[^\"”]{3,70})[\"”]")
_REFERRED = re.compile(
    r"\b(?:that certain|certain|such|the|an?)\s+(?:[\w&’'-]+\s+){1,5}(?:agreement|plan|lease)\b"
    r"\W*(?:\([^()]*\)\W*)?(?:dated|made|entered into)\b[^.;]{0,30}$"
)
_OTHER_CONTRACT = re.compile(r"agreement|plan\b|lease|contract|note\b|amendment|\bact\b")


def _of_another(before: str, after: str) -> bool:
    """Whether a date is that of another agreement which the text refers to."""
    if _REFERRED.search(before) and not re.search(r"\bthis\b[^.;]{0,90}$", before):
        return True
    defined = _DEFINED.match(after)
    if defined is None or "effective" in defined["term"]:
        return False
    own = re.search(r"\bthis\b[^.;]{0,90}$", before) or defined["term"].strip(" ,") in ("agreement", "this agreement")
    return not own and bool(_OTHER_CONTRACT.search(defined["term"]))


_LAW = re.compile(
    r"(?:laws?|legislation|statutes)\s+(?:and\s+\w+\s+)?of\s+(?:the\s+)?"
    r"(?:(?:state|commonwealth|province|republic|country|people.s republic)\s+of\s+(?:the\s+)?)?"
)
_PLACE = re.compile(r"[A-Z][\w’'-]*(?:\s+(?:of\s+)?[A-Z][\w’'-]*)*")


def _jurisdictions(prose: Prose) -> Iterator[Choice]:
    votes: Counter[str] = Counter()
    first: dict[str, tuple[int, int, float]] = {}
    for match in _LAW.finditer(prose.folded):
        place = _PLACE.match(prose.text, match.end())
        if place is None:
            continue
        name = re.split(r"\s+(?:Without|And|In|The|As|For|Any|Applicable|Section|\d)", place.group(0))[0].strip(" .,;")
        name = _trim_place(name)
        if not name:
            continue
        before = prose.folded[max(0, match.start() - 160) : match.start()]
        cue = 0.3 * bool(re.search(r"govern|constru|interpret|accordance|enforce", before))
        votes[name] += 1
        known = first.get(name)
        if known is None or known[2] < cue:
            first[name] = (match.end(), match.end() + len(name), cue)
    for name, (start, end, cue) in first.items():
        score = 0.5 + cue + 0.04 * min(3, votes[name] - 1)
        yield Choice(prose.span(start, end), name, score, "sentence")


def _trim_place(name: str) -> str:
    words = name.split()
    while words and words[-1] in ("of", "State", "Law", "Laws", "Courts", "Court"):
        words.pop()
    return " ".join(words[:4]) if (words and words[0] not in ("United", "Such")) or len(words) > 1 else ""


_TERM_CUE = re.compile(
    r"\b(?:agreement|obligations?|term|restrictions|contract|vertrag|laufzeit|contrat|duree|contrato|contratto)\b[^.;]{0,170}?"
    r"(?:terminat|expire|surviv|remain|continu|in (?:full )?force|in effect|betragt|hat eine|endet|"
    r"expire|dure|dura)\w*\b[^.;]{0,70}$"
)
_TERM_AGAINST = re.compile(
    r"(?:agrees? that|neither|solicit|hire|notice|business days|non-?compete|standstill|cure|shall not|"
    r"will not|during|prior|employ)"
)
_OTHER_END = re.compile(
    r"(?:terminat|end\b|expir|separat|leav|cessation|departure)[^.;]{0,60}\b(?:employ|service|engage)"
)
"""What such a period counts from ends with the work for somebody, not with the agreement."""
_AFTER_END = re.compile(
    r"^\W*(?:after|following|from|beyond)\W+(?:the\W+)?(?:date of\W+)?(?:the|such|any|its|said|this)?\W*"
    r"(?:early|earlier)?\W*(?:expir|terminat|end\b)"
)
"""What lasts so long lasts longer than the agreement."""
_TERM_HEAD = re.compile(
    r"\bterm(?:\s+of\s+(?:this\s+)?(?:letter\s+)?agreement)?[^.;]{0,40}(?:shall be|is|will be|:)[^.;]{0,25}$"
)


def _terms(prose: Prose) -> Iterator[Choice]:
    for match in PERIOD.finditer(prose.folded):
        value = parse_period(match.group(0))
        if value is None:
            continue
        before = prose.folded[max(0, match.start() - 260) : match.start()]
        after = prose.folded[match.end() : match.end() + 110]
        score = 0.28
        against = _TERM_AGAINST.search(before[-90:] + after[:30]) or _OTHER_END.search(after)
        if _TERM_CUE.search(before) and not against:
            score += 0.34
        score += 0.3 * bool(_TERM_HEAD.search(before))
        score += 0.06 * bool(re.search(r"^\W*(?:from|after|following|as of|thereafter)", after))
        score -= 0.2 * value.endswith(("day", "days", "weeks", "week"))
        score -= 0.3 * bool(_AFTER_END.search(after))
        yield Choice(prose.span(*match.span()), value, score, "sentence")
