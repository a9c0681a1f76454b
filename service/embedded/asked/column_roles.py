"""What the columns of one table are to each other, where names and descriptions do not tell it alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.domain.schema import FieldType
from service.embedded.asked.fields import GUESSED, NUMERIC, Ask, says_nothing
from service.embedded.words.labels import Phrase, canonical, columns, read_text, split_name, weight
from service.embedded.words.normalise import word_set

BY_ROLE = 0.85
"""What the printed labels of such a role weigh."""
BY_WORD = 0.65
"""What one word of a description weighs as a label."""
_CODES = word_set("code number id")
_STATEMENT = ("amount", "balance")
_GOODS = ("quantity", "unit_price", "amount")


def settle_roles(asks: Sequence[Ask]) -> list[Ask]:
    """The columns of a table, where those without a role get the one that is left, or their description's words.

    Of texts the first is what a row is about; of two days the first is that of the row, the second that of its value.
    Numbers whose names say nothing are those of a statement or of goods, in the order in which these are printed.
    """
    given = _first_text(_distinct(asks))
    given = _in_order(given, [a for a in given if a.kind == "date"], ("date", "value_date"))
    nameless = [a for a in given if a.kind in NUMERIC]
    if all(a.concepts or says_nothing(a.field.name) for a in nameless):
        for roles in _numeric_roles(given, nameless):
            given = _in_order(given, nameless, roles)
    return [a if a.concepts else _worded(a) for a in given]


def _numeric_roles(asks: list[Ask], numbers: list[Ask]) -> list[tuple[str, ...]]:
    if any(a.kind == "date" for a in asks):
        return [_STATEMENT]
    counted = bool(numbers) and numbers[0].field.type is FieldType.INTEGER
    return [_GOODS, ("position", *_GOODS)] if counted else [_GOODS]


def _distinct(asks: Sequence[Ask]) -> list[Ask]:
    """Of columns with one and the same concept all but the surest take the next they may have, or none."""
    held: dict[str, Ask] = {}
    for ask in sorted(asks, key=lambda a: -(a.concepts[0][1] if a.concepts else 0.0)):
        free = [c for c in ask.concepts if c[0] not in held]
        if free and says_nothing(ask.field.name):
            held[free[0][0]] = ask
    by_path = {ask.path: concept for concept, ask in held.items()}
    return [_led_by(a, by_path.get(a.path)) if says_nothing(a.field.name) else a for a in asks]


def _led_by(ask: Ask, concept: str | None) -> Ask:
    if concept is None or concept == ask.concept:
        return ask if concept else replace(ask, concepts=())
    return replace(ask, concepts=tuple(sorted(ask.concepts, key=lambda c: c[0] != concept)))


def _first_text(asks: list[Ask]) -> list[Ask]:
    """The first text without a concept is what the rows are about, if no column is that."""
    if any(a.is_concept("description") for a in asks):
        return asks
    first = next((a for a in asks if a.kind == "text" and not a.concepts and not is_code(a)), None)
    return [_as(a, "description") if a is first else a for a in asks]


def is_code(ask: Ask) -> bool:
    """Whether a column's name says that it holds codes or numbers of things."""
    return not _CODES.isdisjoint(canonical(split_name(ask.field.name)))


def _in_order(asks: list[Ask], group: list[Ask], roles: tuple[str, ...]) -> list[Ask]:
    """As many columns as there are roles take them in order, unless a concept of theirs says otherwise."""
    if len(group) != len(roles) or not all(a.concept in ("", role) for a, role in zip(group, roles, strict=True)):
        return asks
    given = {a.path: role for a, role in zip(group, roles, strict=True) if not a.concepts}
    return [_as(a, given[a.path]) if a.path in given else a for a in asks]


def _as(ask: Ask, concept: str) -> Ask:
    known = columns()[concept]
    labels = {phrase: BY_ROLE * told for phrase, told in known.labels}
    kind = known.kind if ask.kind in NUMERIC else ask.kind
    return replace(ask, kind=kind, concepts=((concept, GUESSED),), phrases=_best(ask, labels))


def _worded(ask: Ask) -> Ask:
    words = {part[0] for part in read_text(ask.field.description)}
    told = {frozenset({w}): BY_WORD for w in words if len(w) > 2 and weight(w) == 1.0}
    return replace(ask, phrases=_best(ask, told))


def _best(ask: Ask, more: dict[Phrase, float]) -> tuple[tuple[Phrase, float], ...]:
    return tuple((more | {p: max(w, more.get(p, 0.0)) for p, w in ask.phrases}).items())
