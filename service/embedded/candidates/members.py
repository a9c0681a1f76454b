"""Which member of an enum an answer says, in the schema's words or in others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from service.domain.records import Scalar
from service.embedded.asked.fields import Ask
from service.embedded.words.labels import are_kin, canonical, read_text, split_name
from service.embedded.words.lists import word_list
from service.embedded.words.normalise import fold, parse_currency, squash

_NEGATIONS = word_list("negation")
_ANSWER_WORDS = 5
"""Words of an answer that tells a member in other words, at most."""
_SAME = 95
"""Likeness (0-100) from which words are a member's own."""


def closest_member(ask: Ask, text: str, cutoff: float = 88) -> Scalar:
    """The enum's member a text says, by letters, by currency or by meaning; None if no one."""
    text = re.sub(r"\s*\([^)]*\)", "", text)
    key, parts = squash(text), {p[0] for p in read_text(text)}
    best: tuple[float, Scalar] = (cutoff - 1e-6, None)
    for member in ask.field.enum:
        if member is None:
            continue
        score = fuzz.ratio(key, squash(str(member)))
        if parse_currency(text) == str(member):
            score = 100
        said = {p[0] for p in read_text(str(member).replace("_", " "))}
        if said and said == parts:
            score = max(score, 96)
        if score > best[0]:
            best = (score, member)
    return best[1]


def told_member(ask: Ask, text: str) -> Scalar:
    """The only member that an answer tells in other words: by a word of it, by its initial, or by a kindred word."""
    words = fold(text).split()
    if not words or len(words) > _ANSWER_WORDS or not _NEGATIONS.isdisjoint(words):
        return None
    said = {c for part in read_text(text) for c in part}
    known = {member: _words_of(member) for member in _members(ask)}
    graded = {"a", "b"} <= {squash(str(member)) for member in known}  # no initials: `Excellent` is no E
    initial = squash(text) if len(words) == 1 and not graded else ""
    for told in (
        [member for member, own in known.items() if own <= said],
        [member for member in known if _is_initial(squash(str(member)), initial)],
        [member for member, own in known.items() if any(are_kin(a, b) for a in own for b in said)],
    ):
        if told:
            return told[0] if len(told) == 1 else None
    return None


def member_among(ask: Ask, texts: Sequence[str], at: int) -> Scalar:
    """The member that answer `at` (0-based) of several says, or that it alone of them tells in other words."""
    member = closest_member(ask, texts[at], cutoff=_SAME)
    if member is not None:
        return member
    told = told_member(ask, texts[at])
    return told if sum(told_member(ask, text) == told for text in texts) == 1 else None


def member_on_scale(ask: Ask, texts: Sequence[str], at: int) -> Scalar:
    """The member at the place of answer `at`, where there are as many answers as members, and these are figures."""
    members = _members(ask)
    if len(texts) != len(members) or len(members) < 2 or not all(squash(str(m)).isdigit() for m in members):
        return None
    return members[at]


def _members(ask: Ask) -> list[Scalar]:
    return [member for member in ask.field.enum or () if member is not None and str(member).strip()]


def _words_of(member: Scalar) -> frozenset[str]:
    return canonical(split_name(str(member))) or frozenset({squash(str(member))})


def _is_initial(member: str, text: str) -> bool:
    """Whether one is the first letter of the other."""
    return min(len(member), len(text)) == 1 and member[:1] == text[:1] and text.isalpha()
