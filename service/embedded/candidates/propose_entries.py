"""Candidates from fillable forms: the field of the form that belongs to a field of the schema, filled in or empty."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.domain.records import Scalar
from service.domain.schema import FieldType
from service.embedded.anchors.form_entries import FormEntries, Placed
from service.embedded.anchors.hits import Hit
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import NUMERIC, Ask
from service.embedded.candidates.members import closest_member
from service.embedded.candidates.proposals import Choice
from service.embedded.page.spans import Kind, Span
from service.embedded.words.labels import Part, read_text, similarity
from service.embedded.words.normalise import parse_date, parse_number, squash

LEAST = 0.6
"""How well a label must say what is asked for that the field beside it is taken as the one that is asked for."""
_SAME = 0.02
"""Two fields of the schema that fit so nearly alike may share one of the form."""
_NUMBERED, _OTHER_NUMBER = 1.15, 0.85
"""For a field that stands at the number of the form which the schema names, and for one that stands at another."""
_ALONE = 0.75
"""How sure the only field at a number is the one that is meant."""
_CAPTION, _BEHIND_IT = 0.92, 0.85
"""What words over a field or left of it count against its own name, and what those behind it."""
_OWNED = 0.95
"""For each field further up that says of whom a field is."""
_WORDED = 3
"""Letters left of a field from which these words say what it is for, before those over it."""
_FILLED = 0.015
"""How much a field that is filled in goes before an empty one that fits alike."""
_BEHIND = 0.5
"""What another candidate counts beside a field of the form."""
_ADDRESS_PARTS = frozenset({"city", "postcode", "state", "country", "town", "zip", "province"})
_PEOPLE = frozenset({"org", "person"})


@dataclass(frozen=True)
class _Match:
    """How well a field of the form fits one of the schema."""

    score: float
    path: str
    placed: Placed
    hit: Hit | None


def settle_entries(evidence: Evidence, asks: Sequence[Ask], options: dict[str, list[Choice]]) -> None:
    """Where the fields of a form tell what is filled in, they go before all other candidates; empty ones leave none."""
    entries = FormEntries(evidence.layout)
    if not entries.placed:
        return
    wanted = {ask.path: ask for ask in asks if ask.field.type is not FieldType.BOOLEAN}
    matches = sorted(
        (m for ask in wanted.values() for m in _matches(evidence, entries, ask)),
        key=lambda m: (-m.score - _FILLED * bool(m.placed.text), m.path),
    )
    for path, match in _assigned(matches, wanted).items():
        choice = _choice(evidence, entries, wanted[path], match)
        others = [c.scaled(_BEHIND) for c in options[path] if c.span.segment.entry is not None]
        options[path] = [choice, *others] if choice is not None else []


def _assigned(matches: Sequence[_Match], wanted: dict[str, Ask]) -> dict[str, _Match]:
    """Path → its field of the form, the best pairs first; one field serves two only where it fits both alike."""
    held: dict[int, list[_Match]] = {}
    chosen: dict[str, _Match] = {}
    for match in matches:
        owners = held.setdefault(id(match.placed), [])
        if match.path in chosen or not all(_may_share(wanted, match, owner) for owner in owners):
            continue
        owners.append(match)
        chosen[match.path] = match
    for path, match in chosen.items():  # a rest of the line before the one that is written on
        if not match.placed.text:
            free = (m for m in matches if m.path == path and m.hit is not None and m.hit == match.hit and m.placed.text)
            chosen[path] = next((m for m in free if not held.get(id(m.placed))), match)
    return chosen


def _may_share(wanted: dict[str, Ask], match: _Match, owner: _Match) -> bool:
    kinds = {wanted[match.path].kind, wanted[owner.path].kind}
    block = "\n" in match.placed.entry.text and "address" in kinds and len(kinds) == 2
    return block or match.score > owner.score - _SAME


def _matches(evidence: Evidence, entries: FormEntries, ask: Ask) -> Iterator[_Match]:
    """The fields of the form that a label of what is asked for leads to, or the number of its line."""
    number = ask.printed_number
    best: dict[int, _Match] = {}
    for hit in evidence.labels.of(ask)[:24]:
        if hit.segment.entry is None:
            for placed, natural in entries.at(hit):
                _keep(best, _Match(hit.strength * natural * _at_number(entries, placed, number), ask.path, placed, hit))
    numbered = [p for p in entries.placed if number and entries.numbers.get(id(p)) == number]
    for placed in entries.placed:
        said = _said_at(entries, ask, placed)
        if placed in numbered:
            said = max(said, _ALONE) if numbered == [placed] else 0.55 + 0.4 * said
        _keep(best, _Match(said * _at_number(entries, placed, number), ask.path, placed, None))
    yield from (m for m in best.values() if m.score >= LEAST)


def _said_at(entries: FormEntries, ask: Ask, placed: Placed) -> float:
    """How well the form says at one of its fields what is asked for, 0–1."""
    around = entries.around[id(placed)]
    over = _CAPTION if sum(map(str.isalpha, around.left)) < _WORDED else _BEHIND_IT
    texts = [(placed.entry.label, 1.0), (around.over, over)]
    told = [
        w * _OWNED**level * _said(ask, clause, read_text(owner))
        for text, w in texts for clause in _clauses(text) for level, owner in enumerate(entries.blocks(placed))
    ]  # fmt: skip
    told += [_CAPTION * _said(ask, clause) for clause in _clauses(around.left)[-1:]]
    told += [_BEHIND_IT * _said(ask, clause) for clause in _clauses(around.right)[:1]]
    told += [1.0] if ask.kind == "percent" and around.right.startswith("%") else []
    return max(told, default=0.0)


def _clauses(text: str) -> list[str]:
    return [c for c in re.split(r"[.,:;()]", text) if c.strip()]


def _said(ask: Ask, clause: str, owner: Sequence[Part] = ()) -> float:
    """How well a clause says what is asked for; of whom it is may be printed at the fields above."""
    parts = read_text(clause)
    said = {c for part in parts for c in part}
    wanted = {c for phrase, _ in ask.phrases for c in phrase} - said
    further = tuple(part for part in owner if not wanted.isdisjoint(part))
    return max(
        (w * similarity(phrase, (*parts, *dict.fromkeys(further))) for phrase, w in ask.phrases if phrase & said),
        default=0.0,
    )


def _keep(best: dict[int, _Match], match: _Match) -> None:
    known = best.get(id(match.placed))
    if known is None or known.score < match.score:
        best[id(match.placed)] = match


def _at_number(entries: FormEntries, placed: Placed, number: str) -> float:
    own = entries.numbers.get(id(placed))
    return 1.0 if not number or own is None else _NUMBERED if own == number else _OTHER_NUMBER


def _choice(evidence: Evidence, entries: FormEntries, ask: Ask, match: _Match) -> Choice | None:
    """What is filled in, as the schema wants it; None: nothing, or nothing of the kind."""
    places = [p for p in entries.joined(match.placed) if p.text]
    if ask.kind == "address":
        places = [*places, *_further_lines(entries, ask, match.placed)]
    segments = [s for p in places for s in p.segments]
    if not segments:
        return None
    shown = squash(" ".join(s.text for s in segments))
    lines = [
        line.strip() for p in places for line in p.entry.text.splitlines()
        if line.strip() and squash(line.split()[0]) in shown
    ]  # fmt: skip
    if len(lines) == len(segments) > 1 and len(places) == 1:
        kept = _of_block(ask, lines)
        lines, segments = lines[kept], segments[kept]
    text = ("-" if len(places) > 1 and ask.kind != "address" else " ").join(" ".join(line.split()) for line in lines)
    tokens = tuple(t for s in segments for t in s.tokens)
    value = _value(evidence, ask, text)
    if value is None:
        return None
    kind = Kind.NUMBER if ask.kind in NUMERIC else Kind.DATE if ask.kind == "date" else Kind.TEXT
    span = Span(kind, tokens, text, value, segments[0], 0, len(segments[0].tokens), money=ask.kind == "money")
    return Choice(span, value, min(1.1, match.score), "label", match.hit)


def _further_lines(entries: FormEntries, ask: Ask, first: Placed) -> Iterator[Placed]:
    """The fields under that of a street which take the rest of the address."""
    wanted = {c for part in read_text(ask.field.description) for c in part}
    following = entries.next_under(first)
    while following is not None and following.text and wanted & _ADDRESS_PARTS:
        said = {c for part in read_text(entries.around[id(following)].over) for c in part}
        if not said & _ADDRESS_PARTS:
            return
        yield following
        following = entries.next_under(following)


def _of_block(ask: Ask, lines: Sequence[str]) -> slice:
    """The lines of a block that holds a name and an address which are asked for: one of the two, or all."""
    named = not any(c.isdigit() for c in lines[0])
    if ask.kind in _PEOPLE and named:
        return slice(0, 1)
    return slice(1, None) if ask.kind == "address" and named and len(lines) > 1 else slice(None)


def _value(evidence: Evidence, ask: Ask, text: str) -> Scalar:
    if ask.kind in NUMERIC or ask.field.type in (FieldType.NUMBER, FieldType.INTEGER):
        found = parse_number(text, evidence.spans.decimal)
        return float(found) if found is not None else None
    if ask.field.enum:
        return closest_member(ask, text)
    if ask.kind == "date" and ask.field.format is not None:
        day = parse_date(text, day_first=evidence.spans.day_first)
        return day.isoformat() if day is not None else None
    return text if squash(text) else None
