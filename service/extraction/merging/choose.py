"""Of several answers for one scalar: which is kept, and by which rule each other one lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from service.domain.records import BoxCheck, Confidence, FieldEntry, Verdict
from service.domain.schema import SchemaField
from service.extraction.schema.closing import takes_last
from service.extraction.text.keys import value_key

_NOTHING_YET = FieldEntry(value=None, verdict=Verdict.NOT_REACHED, confidence=Confidence.LOW)
_WHY_EMPTY = (Verdict.UNREADABLE, Verdict.AMBIGUOUS, Verdict.NOT_REACHED, Verdict.ABSENT, Verdict.FOUND)
"""Of several reasons for an empty field the first holds: it says that the value may be there after all."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The entry that is kept; `losers` are other values, the best entry of each, with the rule that decided."""

    entry: FieldEntry
    losers: tuple[tuple[FieldEntry, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """Entries with the same value: the best of them, and what speaks for it; a higher rank wins."""

    entry: FieldEntry
    rank: tuple[int, int, int, int]


_RULES = ("grounded", "confidence", "agreement", "order")


def choose_entry(entries: Sequence[FieldEntry], field: SchemaField) -> Chosen:
    """Choose among the entries of one path, given in page order; of none, the field was not reached."""
    filled = [(position, entry) for position, entry in enumerate(entries) if entry.value is not None]
    if not filled:
        return Chosen(_emptiest(entries))
    last = takes_last(field)
    by_value: dict[str | Decimal | bool, list[tuple[int, FieldEntry]]] = {}
    for position, entry in filled:
        by_value.setdefault(value_key(entry.value), []).append((position, entry))
    groups = [_rank(members, last) for members in by_value.values()]
    groups.sort(key=lambda group: group.rank, reverse=True)
    winner, *others = groups
    return Chosen(winner.entry, tuple((other.entry, _decided_by(winner, other, last)) for other in others))


def _rank(members: Sequence[tuple[int, FieldEntry]], last: bool) -> _Group:
    def own(member: tuple[int, FieldEntry]) -> tuple[int, int, int]:
        position, entry = member
        return _grounding(entry), int(entry.confidence is Confidence.HIGH), position if last else -position

    best = max(members, key=own)
    grounded, high, order = own(best)
    return _Group(best[1], (grounded, high, len(members), order))


def _grounding(entry: FieldEntry) -> int:
    """2: its words were seen on the page; 1: the model gave a place that nobody checked; 0: no source."""
    if entry.box_check in (BoxCheck.MATCH, BoxCheck.PARTIAL):
        return 2
    return int(entry.box_check is BoxCheck.UNCHECKED and entry.location is not None)


def _decided_by(winner: _Group, other: _Group, last: bool) -> str:
    for rule, mine, theirs in zip(_RULES, winner.rank, other.rank, strict=True):
        if mine != theirs and rule != "order":
            return rule
    return "last" if last else "first"


def _emptiest(entries: Sequence[FieldEntry]) -> FieldEntry:
    if not entries:
        return _NOTHING_YET
    return min(entries, key=lambda e: (_WHY_EMPTY.index(e.verdict), e.confidence is Confidence.HIGH))
