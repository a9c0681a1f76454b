"""Running text of contracts and letters: effective dates, parties, governing law, how long something lasts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.page.layout import Layout, Segment, Token
from service.embedded.page.spans import Kind, Span
from service.embedded.words.labels import canonical, split_name
from service.embedded.words.lasting import lasts_so_long
from service.embedded.words.normalise import PERIOD, date_pattern, fold, parse_date, parse_period

_OPENING = 2500
"""Characters from the start in which an agreement gives its day."""
PROSE_LINE = 7
"""Words from which a line counts as running text."""
_RUNNING = 5
"""Words of a segment from which it may be a part of a sentence."""


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

    @cached_property
    def sentences(self) -> Sequence[tuple[Sequence[str], int]]:
        """The words of each line of running text with what it runs on to, and the first letter's place in the text."""
        found: list[tuple[list[str], int]] = []
        index, running = 0, False
        while index < len(self._tokens):
            segment = self._tokens[index][1]
            words = [token.text for token in segment.tokens]
            long = len(words) >= _RUNNING
            if running and found:
                found[-1][0].extend(words)
            elif long:
                found.append((words, self._starts[index]))
            running = long
            index += len(words)
        return found

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
_NARRATED = re.compile(
    r"\b(?:the|that|an?|such|said)\s+(?:[\w&’'-]+\s+){1,5}(?:agreement|plan|lease|contract)\b[^.;]{0,60}"
    r"\bw(?:as|ere) (?:signed|executed|made|entered into|concluded)\b[^.;]{0,30}$"
)
_OTHER_DAY = re.compile(
    r"\b(?:expir|terminat|end[si]|due|payable)\w*(?:\W+\w+){0,2}\W*$"
    r"|\b(?:until|till|through|by|before|after|since|prior to|later than)\W+(?:the\W+)?(?:\d\w{0,4}\W+day of\W+)?$"
)
"""A day on which something ends or by which something is to be done."""
_OTHER_CONTRACT = re.compile(r"agreement|plan\b|lease|contract|note\b|amendment|\bact\b")


def _of_another(before: str, after: str) -> bool:
    """Whether a date is that of another agreement which the text refers to, or one on which something ends."""
    if _OTHER_DAY.search(before[-60:]):
        return True
    if (_REFERRED.search(before) or _NARRATED.search(before)) and not re.search(r"\bthis\b[^.;]{0,90}$", before):
        return True
    defined = _DEFINED.match(after)
    if defined is None or "effective" in defined["term"]:
        return False
    own = re.search(r"\bthis\b[^.;]{0,90}$", before) or defined["term"].strip(" ,") in ("agreement", "this agreement")
    return not own and bool(_OTHER_CONTRACT.search(defined["term"]))


_LAW = re.compile(
    r"(?:laws?|legislation|statutes)\s+(?:and\s+\w+\s+)?of\s+(?:the\s+)?"
    r"(?P<part>(?:state|commonwealth|province|republic|country|people.s republic)\s+of\s+(?:the\s+)?)?"
    r"|(?P<named>\b(?:govern|constru|interpret)\w*(?:\W+\w+){0,6}?\W+(?:by|under|with|to)\s+(?:the\s+)?)"
    r"(?=(?!the\s)(?:[\w’'-]+\s+){1,3}laws?\b)"
)
_PLACE = re.compile(r"[A-Z][\w’'-]*(?:\s+(?:of\s+|and\s+(?=Wales))?[A-Z][\w’'-]*){0,30}")
"""Of a text in capitals it takes more than the place, which `_AFTER_PLACE` ends."""
_AFTER_PLACE = re.compile(
    r"\s+(?:(?:Without|And(?! Wales)|In|The|As|For|Any|Applicable|Section|[Ll]aws?)\b|\d|"
    r"(?:WITHOUT|AND(?! WALES)|IN|THE|AS|FOR|ANY|APPLICABLE|SECTION|WITH|REGARDLESS|EXCLUDING|EXCEPT|LAWS?|"
    r"SHALL|WILL|TO|GOVERNS?|CONTROLS?|APPLY|APPLIES)\b)"
)
_NO_PLACE = frozenset({"United", "Such", "Applicable", "State", "Federal"})
_PEOPLES = {
    "English": "England", "Scottish": "Scotland", "Irish": "Ireland", "French": "France", "German": "Germany",
    "Austrian": "Austria", "Swiss": "Switzerland", "Italian": "Italy", "Spanish": "Spain", "Portuguese": "Portugal",
    "Dutch": "Netherlands", "Belgian": "Belgium", "Danish": "Denmark", "Swedish": "Sweden", "Norwegian": "Norway",
    "Finnish": "Finland", "Polish": "Poland", "Czech": "Czech Republic", "Japanese": "Japan", "Korean": "Korea",
    "Canadian": "Canada", "Australian": "Australia", "Indian": "India", "Chinese": "China", "Israeli": "Israel",
}  # fmt: skip
"""Whose law it is → the country."""
_GOVERNS = re.compile(r"govern|constru|interpret|accordance|enforce|determin|applicable law|subject to")
_GOVERNS_AFTER = re.compile(r"[^.;]{0,80}\b(?:govern|appl(?:y|ies)\b|control|shall|will)")
_FOUNDED = re.compile(
    r"\b(?:organi[sz]ed|existing|incorporated|formed|chartered|established|registered|constituted|good standing)\b"
    r"[^.;]{0,40}$"
)
"""Whose law somebody was founded under is nothing that governs."""


def _jurisdictions(prose: Prose) -> Iterator[Choice]:
    votes: Counter[str] = Counter()
    first: dict[str, tuple[int, int, float]] = {}
    for match in _LAW.finditer(prose.folded):
        place = _PLACE.match(prose.text, match.end())
        before = prose.folded[max(0, match.start() - 160) : match.start()]
        if place is None or _FOUNDED.search(before):
            continue
        printed = _trim_place(_AFTER_PLACE.split(place.group(0))[0].strip(" .,;"))
        if not printed:
            continue
        end = match.end() + len(printed)
        governs = match["named"] or _GOVERNS.search(before) or _GOVERNS_AFTER.match(prose.folded, end)
        cue = (0.3 if governs else -0.1) + 0.05 * (match["part"] is not None)
        name = _PEOPLES.get(printed, printed)
        votes[name] += 1
        known = first.get(name)
        if known is None or known[2] < cue:
            first[name] = (match.end(), end, cue)
    for name, (start, end, cue) in first.items():
        score = 0.5 + cue + 0.04 * min(3, votes[name] - 1)
        yield Choice(prose.span(start, end), name, score, "sentence")


def _trim_place(name: str) -> str:
    words = name.split()
    while words and words[-1].casefold() in ("of", "state", "law", "laws", "courts", "court"):
        words.pop()
    alone = len(words) == 1 and (words[0] in _NO_PLACE or len(words[0]) < 3)
    return "" if alone else " ".join(words[:4])


def _terms(prose: Prose) -> Iterator[Choice]:
    for match in PERIOD.finditer(prose.folded):
        value = parse_period(match.group(0))
        if value is None:
            continue
        score = lasts_so_long(prose.folded, *match.span()) - 0.2 * value.endswith(("day", "days", "weeks", "week"))
        yield Choice(prose.span(*match.span()), value, score, "sentence")
