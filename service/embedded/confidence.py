"""How sure every chosen value is: trees give a chance, and the lines from which it is `high` or not filled at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from service.embedded.asked.fields import GUESSED, NUMERIC
from service.embedded.candidates.parted import PART
from service.embedded.candidates.proposals import LONE_COLUMN
from service.embedded.evidence.families import family
from service.embedded.evidence.features import describe
from service.embedded.evidence.findings import Leaf
from service.embedded.evidence.trees import Forest, shipped
from service.embedded.memory import REMEMBERED
from service.embedded.reading import Reading
from service.embedded.words.normalise import iban_valid

MOST_UNPROVEN = 0.93
"""Chance of what a person is to see in any case: see `_is_unproven`."""
LEAST_HIGH = 0.95
"""Chance that each `high` value has at least, however right all of them together are."""
_SUMS = ("+sum", "+seen")
_ORDER = "order"
"""A value that was taken with a margin of its own: the order of the whole schema speaks for it."""
_PLAIN_LABEL = 0.6
"""Strength of a label from which what stands at it is not left empty; of numbers one is soon taken for another."""
_TIE = 0.01
"""Lead of a choice under which it may as well be the next."""
_UNSURE = 0.5


@dataclass(frozen=True, slots=True)
class Judged:
    """A leaf and how far it can be trusted."""

    leaf: Leaf
    chance: float
    """That the value is right, 0–1."""
    high: bool
    ambiguous: bool
    """Whether another value fits as well."""


def judge(reading: Reading, forest: Forest | None = None) -> tuple[Reading, dict[str, Judged]]:
    """Every leaf with its chance, those single ones left out that are likelier wrong than worth a guess.

    Returns:
        What is chosen when these are left out, and path → leaf; a path without a leaf is absent.
    """
    forest = forest or shipped()
    judged = {j.leaf.path: j for j in _judged(reading, forest)}
    poor = frozenset(path for path, j in judged.items() if _is_poor(j, forest))
    if not poor:
        return reading, judged
    rest = reading.without(poor)
    return rest, {j.leaf.path: j for j in _judged(rest, forest) if not _is_poor(j, forest)}


def _is_poor(judged: Judged, forest: Forest) -> bool:
    """Whether a single field is better left empty; not where sums, people or the order speak for it, or several fit."""
    ask, why, label = judged.leaf.ask, judged.leaf.choices[0].why, judged.leaf.choices[0].label
    plain = label is not None and label.strength >= _PLAIN_LABEL and ask.kind not in NUMERIC
    labelled = why == "label" and plain
    told = judged.ambiguous or labelled or why.endswith((*_SUMS, REMEMBERED, PART, _ORDER))
    return judged.leaf.single and judged.chance < forest.floor and not told


def _judged(reading: Reading, forest: Forest) -> Iterator[Judged]:
    scores = forest.scores(describe(reading.findings))
    for leaf, score in zip(reading.findings.leaves, scores.tolist(), strict=True):
        kind, unproven = family(reading.findings, leaf), _is_unproven(leaf)
        chance = forest.chance_of(score, kind)
        sure = min(chance, MOST_UNPROVEN) if unproven else chance
        ambiguous = _is_tied(leaf) and sure < _UNSURE
        trusted = score >= forest.high[kind] and sure >= LEAST_HIGH
        high = bool(trusted) and not unproven and not ambiguous
        yield Judged(leaf, round(sure, 4), high, ambiguous)


def _is_unproven(leaf: Leaf) -> bool:
    """Whether a value rests on a lesson, one header, or a role left over for its column, or has wrong check digits."""
    why, concepts = leaf.choices[0].why, leaf.ask.concepts
    guessed = bool(leaf.table) and bool(concepts) and concepts[0][1] <= GUESSED and why == "column"
    unchecked = leaf.ask.kind == "iban" and not iban_valid(str(leaf.value))
    return guessed or unchecked or why in (REMEMBERED, LONE_COLUMN)


def _is_tied(leaf: Leaf) -> bool:
    best = leaf.choices[0]
    return any(c.score >= best.score - _TIE for c in leaf.choices[1:] if str(c.value) != str(best.value))
