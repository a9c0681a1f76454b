"""What the columns of one table are to each other, where names and descriptions do not tell it alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.embedded.fields import Ask
from service.embedded.labels import Phrase, columns, read_text, weight

SURE = 0.6
"""How sure a role is that follows from the other columns."""
BY_ROLE = 0.85
"""What the printed labels of such a role weigh."""
BY_WORD = 0.65
"""What one word of a description weighs as a label."""


def settle_roles(asks: Sequence[Ask]) -> list[Ask]:
    """The columns of a table, those without a concept with the one that is left for them and their description's words.

    Of texts the first is what a row is about; of two days the first is that of the row, the second that of its value.
    """
    given = list(asks)
    given = _only(given, "text", "description")
    dates = [a for a in given if a.kind == "date"]
    if len(dates) == 2:
        first, second = dates
        if not second.concepts or second.concept == first.concept:
            given = [_as(a, "value_date") if a is second else a for a in given]
        if not first.concepts:
            given = [_as(a, "date") if a is first else a for a in given]
    return [a if a.concepts else _worded(a) for a in given]


def _only(asks: list[Ask], kind: str, concept: str) -> list[Ask]:
    """The first column of a kind gets a concept that no column has, if its own words give it none."""
    if any(a.concept == concept for a in asks):
        return asks
    first = next((a for a in asks if a.kind == kind and not a.concepts), None)
    return [_as(a, concept) if a is first else a for a in asks]


def _as(ask: Ask, concept: str) -> Ask:
    labels = {phrase: BY_ROLE * told for phrase, told in columns()[concept].labels}
    return replace(ask, concepts=((concept, SURE),), phrases=_best(ask, labels))


def _worded(ask: Ask) -> Ask:
    words = {part[0] for part in read_text(ask.field.description)}
    return replace(ask, phrases=_best(ask, {frozenset({w}): BY_WORD for w in words if len(w) > 2 and weight(w) == 1.0}))


def _best(ask: Ask, more: dict[Phrase, float]) -> tuple[tuple[Phrase, float], ...]:
    return tuple((more | {p: max(w, more.get(p, 0.0)) for p, w in ask.phrases}).items())
