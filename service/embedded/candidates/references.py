"""What a text calls another paper by: `our invoice no. R-17 of 3 May` tells a number and a day at once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.domain.schema import FieldType
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.prose import Prose
from service.embedded.page.spans import Kind
from service.embedded.words.labels import read_text
from service.embedded.words.normalise import date_pattern, parse_date

_SCORE = 0.78
"""A label beside a value says more."""
_PAPERS = frozenset({"invoice", "order", "contract", "delivery", "policy", "credit", "receipt", "loan", "claim"})
_REFERENCE = re.compile(
    r"\b(?P<paper>[^\W\d]{4,}(?: note)?)\s+(?:nr|no|n|num|numero|number|nummer|numer|cislo)?[.:º°]{0,2}\s?"
    r"(?P<number>(?=[\w/-]*\d)[\w/-]{3,}?\w)\s+"
    r"(?P<day>(?:vom|of|dated|from|du|en date du|del|de|van|av den|fran|z dnia|ze dne)\s+)"
)


def reference_choices(prose: Prose, ask: Ask, *, day_first: bool) -> Iterator[Choice]:
    """The number or the day of the paper that a field names: `invoice_number`, `invoice_date`."""
    if ask.kind not in ("code", "date") or ask.field.type is not FieldType.STRING:
        return
    wanted = {c for phrase, w in ask.phrases if w >= 0.9 for c in phrase} & _PAPERS
    for match in _REFERENCE.finditer(prose.folded) if wanted else ():
        paper = {c for part in read_text(match["paper"]) for c in part}
        day = date_pattern().match(prose.folded, match.end())
        if day is None or not wanted & paper or not _named(ask, paper & _PAPERS):
            continue
        if ask.kind == "code":
            span = prose.span(*match.span("number"), Kind.CODE)
            yield Choice(span, span.raw, _SCORE, "reference")
        elif (found := parse_date(day.group(0), day_first=day_first)) is not None:
            yield Choice(prose.span(*day.span(), Kind.DATE), found.isoformat(), _SCORE, "reference")


def _named(ask: Ask, paper: set[str]) -> bool:
    """Whether the field's own name says which paper is meant."""
    return bool(paper & {c for part in read_text(ask.field.name.replace("_", " ")) for c in part})
