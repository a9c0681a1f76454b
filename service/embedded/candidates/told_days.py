"""When something begins and ends, as sentences tell it: `commences on 1 May`, `läuft bis zum 30. April`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.prose import Prose
from service.embedded.page.spans import Kind
from service.embedded.words.labels import split_name
from service.embedded.words.lists import cues, word_list
from service.embedded.words.normalise import date_pattern, fold, parse_date

_SCORE, _NEXT = 0.66, 0.03
_BEFORE = 60
"""Characters before a day in which the verb stands."""
_STARTS = re.compile(rf"\b{cues('starts')}(?:\w*+\W++){{1,4}}?$")
_ENDS = re.compile(rf"\b{cues('ends')}(?:\w*+\W++){{1,4}}?$")
_BORN = re.compile(rf"\b{cues('born')}\b[^.;\d]{{0,40}}$")
_BY = re.compile(rf"\b{cues('no_later_than')}\W+(?:(?:the|zum|den|el|il)\W+)?$")
_AND_TO = re.compile(rf"\W*(?:{cues('between_days')}(?: (?:zum|and|el|en met|och med|the))?\W+)$")
_BY_WORDS = word_list("last_day")
_START_WORDS = word_list("start_day")
_END_WORDS = word_list("end_day")
_FROM_WORDS = word_list("from_day")
_UNTIL_WORDS = word_list("until_day")
_OF_A_DAY = word_list("of_a_day")


def told_day_choices(prose: Prose, ask: Ask, *, day_first: bool) -> list[Choice]:
    """Days of the sentences that say that something begins, or ends; none for a field that asks for another day."""
    cue = _cue_of(ask) if ask.kind == "date" else None
    if cue is None:
        return []
    found = list(_days(prose, cue, day_first=day_first))
    return [Choice(c.span, c.value, _SCORE - _NEXT * rank, "sentence") for rank, c in enumerate(found[:3])]


def _cue_of(ask: Ask) -> re.Pattern[str] | None:
    """What a sentence says before the day that is asked for; None for other days."""
    if ask.is_concept("birth_date"):
        return _BORN
    words = frozenset(fold(split_name(ask.field.name)).split())
    if words & _BY_WORDS:
        return _BY
    own = words - _OF_A_DAY
    starts = (
        ask.is_concept("start_date", "effective_date")
        or (bool(own) and own <= _START_WORDS)
        or bool(words & _FROM_WORDS)
    )
    ends = ask.is_concept("end_date") or (bool(own) and own <= _END_WORDS) or bool(words & _UNTIL_WORDS)
    return None if starts == ends else _STARTS if starts else _ENDS


def _days(prose: Prose, cue: re.Pattern[str], *, day_first: bool) -> Iterator[Choice]:
    for words, start in prose.sentences:
        text = prose.folded[start : start + sum(len(word) + 1 for word in words)]
        matches = list(date_pattern().finditer(text))
        for match, last, following in zip(matches, [None, *matches], [*matches[1:], None], strict=False):
            before = re.split(r"[.;](?=\s)|\d{4}", text[max(0, match.start() - _BEFORE) : match.start()])[-1]
            day = parse_date(match.group(0), day_first=day_first)
            first = following is not None and _AND_TO.fullmatch(text[match.end() : following.start()]) is not None
            second = last is not None and _AND_TO.fullmatch(text[last.end() : match.start()]) is not None
            told = (
                first
                if cue is _STARTS and (first or second)
                else second
                if cue is _ENDS and (first or second)
                else cue.search(before)
            )
            if day is not None and told:
                span = prose.span(start + match.start(), start + match.end(), Kind.DATE)
                yield Choice(span, day.isoformat(), _SCORE, "sentence")
