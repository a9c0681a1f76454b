"""Which check box belongs to which yes-or-no field: the one whose printed label the field's own words hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from service.domain.geometry import Box
from service.domain.pages import CheckMark
from service.domain.schema import SchemaField
from service.extraction.grounding.page_index import PageIndex
from service.extraction.text.keys import match_key

_LABEL_CHARS = 60
"""Of a label, as far as it is compared."""
_FEWEST_SHARED = 5
"""Letters and digits in a row that a label and a field must share."""
_BESIDE, _ABOVE = 0.9, 0.8
"""What a label on the left or above counts, against one on the right."""
_REACH = 0.12
"""How far above-standing words may begin from the box, as a fraction of the page's width."""


@dataclass(frozen=True, slots=True)
class PlacedMark:
    """A check box and its page (1-based)."""

    page: int
    mark: CheckMark


def assign_marks(fields: Sequence[SchemaField], indexes: Sequence[PageIndex]) -> list[PlacedMark | None]:
    """A check box for each yes-or-no field, the surest pairs first; no box serves two fields."""
    labelled = [(PlacedMark(index.page, mark), _labels(index, mark)) for index in indexes for mark in index.marks]
    texts = [match_key(f"{field.description} {field.title} {field.name}") for field in fields]
    scored = [
        (score, number, at)
        for number, text in enumerate(texts)
        for at, (_, labels) in enumerate(labelled)
        if (score := _score(text, labels)) >= _FEWEST_SHARED
    ]
    chosen: list[PlacedMark | None] = [None] * len(fields)
    taken: set[int] = set()
    for _, number, at in sorted(scored, reverse=True):
        if chosen[number] is None and at not in taken:
            chosen[number] = labelled[at][0]
            taken.add(at)
    return chosen


def _score(text: str, labels: Sequence[tuple[float, str]]) -> float:
    """The longest run of signs that the field shares with a label, weighted; one at the label's start counts more."""
    best = 0.0
    for weight, label in labels:
        match = SequenceMatcher(None, label, text, autojunk=False).find_longest_match()
        best = max(best, weight * (match.size - match.a / 2))
    return best


def _labels(index: PageIndex, mark: CheckMark) -> list[tuple[float, str]]:
    """What is printed to the right of a check box up to the next one, to its left, and above it."""
    box = mark.box
    lower, upper = box.y0 - box.height / 4, box.y1 + box.height / 4
    others = [m.box.x0 for m in index.marks if m is not mark and lower <= m.box.center.y <= upper]
    right = min([x for x in others if x > box.x0], default=1.0)
    left = max([x for x in others if x < box.x0], default=0.0)
    above = Box(max(0.0, box.x0 - _REACH), box.y0 - 2.5 * box.height, box.x1 + _REACH, lower)
    return [
        (1.0, _text(index, Box(box.x1, lower, right, upper))[:_LABEL_CHARS]),
        (_BESIDE, _text(index, Box(left, lower, box.x0, upper))[-_LABEL_CHARS:]),
        (_ABOVE, _text(index, above)[:_LABEL_CHARS]),
    ]


def _text(index: PageIndex, box: Box) -> str:
    return "".join(match_key(index.texts[i]) for i in index.words_in(box))
