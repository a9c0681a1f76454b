"""Addresses inside sentences: `the flat at 17 Mill Road, 12190 Birkwell, which …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.embedded.anchors.parties import looks_street
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.prose import Prose
from service.embedded.page.spans import Kind, Span
from service.embedded.words.lists import cues

_SCORE = 0.6
_REACH, _MOST = 80, 9
"""Characters before a postal code in which its street stands, and words of both together."""
_CODE = re.compile(
    r"(?<!\w)(?:(?:[A-Z]{1,2}-)?\d{4,5}(?:\s?[A-Z]{2})?\s+[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+){0,2}"
    r"|[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+)?,?\s(?:[A-Z]{2}\s)?\d{5}(?!\w)"
    r"|[A-ZÀ-Þ][\w'’-]+,?\s[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}(?!\w))"
)
"""A place with its code before or behind it."""
_OPENS = re.compile(rf"(?:\b{cues('address_opens')}\b(?:\s{cues('address_in')})?|[(:;])\s*(?=[\w])")


def told_addresses(prose: Prose, ask: Ask) -> list[Choice]:
    """Addresses that running text gives, in its order; none for a field that asks for something else."""
    return list(_found(prose)) if ask.kind == "address" else []


def _found(prose: Prose) -> Iterator[Choice]:
    for match in _CODE.finditer(prose.text):
        before = prose.text[max(0, match.start() - _REACH) : match.start()]
        opened = list(_OPENS.finditer(before))
        for cue in opened:
            text = before[cue.end() :]
            street = ":" not in text and any(map(str.isdigit, text)) and looks_street(text)
            if street and len(text.split()) <= _MOST:
                yield _choice(prose, match.start() - len(text), match.end())
                break


def _choice(prose: Prose, start: int, end: int) -> Choice:
    found = prose.span(start, end)
    text = prose.text[start:end].strip(" ,")
    return Choice(
        Span(Kind.TEXT, found.tokens, text, text, found.segment, 0, len(found.tokens)), text, _SCORE, "sentence"
    )
