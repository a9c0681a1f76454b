"""How well the words beside a place fit a field's own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from service.domain.geometry import Box
from service.domain.schema import SchemaField
from service.domain.word_columns import box_at
from service.extraction.grounding.page_index import PageIndex
from service.extraction.grounding.places import Place
from service.extraction.text.keys import match_key

_STOP = frozenset(
    {
        "the",
        "and",
        "for",
        "from",
        "with",
        "that",
        "this",
        "which",
        "are",
        "was",
        "not",
        "any",
        "all",
        "its",
        "der",
        "die",
        "das",
        "und",
        "des",
        "les",
        "une",
        "pour",
        "avec",
        "del",
        "los",
        "las",
        "con",
        "value",
        "field",
        "document",
        "printed",
    }
)  # fmt: skip - words in rows
_NAME, _DESCRIPTION = 3.0, 1.0
_LEFT_REACH = 0.45
_LINES_ABOVE = 3.0
_SHORTEST_STEM = 4
_COLONS = (":", "：")
_OTHERS_ABOVE = 0.5
"""What words above count where a label of its own stands before a place."""
_SLACK = 0.02
"""How far a label above may begin or end beside its value, as a fraction of the page's width."""


def label_words(field: SchemaField, parents: tuple[str, ...] = ()) -> dict[str, float]:
    """The keys of a field's words with their weight: those of its name above those of its description."""
    weights: dict[str, float] = {}
    for text, weight in ((field.description, _DESCRIPTION), (" ".join(parents), 1.5), (field.title, _NAME)):
        for word in _words(text):
            if word not in _STOP and len(word) > 2:
                weights[word] = max(weight, weights.get(word, 0.0))
    for word in _words(field.name):
        weights[word] = max(_NAME if word not in _STOP else 1.0, weights.get(word, 0.0))
    return weights


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return tuple(key for word in re.split(r"[\W_]+", spaced) if (key := match_key(word)))


def label_score(index: PageIndex, place: Place, weights: Mapping[str, float]) -> float:
    """Sum of the weights of the field's words to the left of a place and above it; nearer words count more."""
    box, height = place.box, index.line_height
    best: dict[str, float] = {}
    own = set(place.words)
    above = _OTHERS_ABOVE if _has_own_label(index, place) else 1.0
    reach = Box(0.0, box.y0 - _LINES_ABOVE * height, 1.0, box.y1)
    for word_index in index.words_in(reach):
        if word_index in own:
            continue
        fitting = [label for part in _words(index.texts[word_index]) if (label := _fitting(part, weights))]
        nearness = _nearness(index, word_index, box, above) if fitting else 0.0
        for label in fitting:
            best[label] = max(best.get(label, 0.0), nearness * weights[label])
    return sum(best.values())


def _has_own_label(index: PageIndex, place: Place) -> bool:
    """Whether the word before it on its line ends as labels do."""
    before = place.words[0] - 1
    if before < 0 or index.columns["line"][before] != index.columns["line"][place.words[0]]:
        return False
    return index.texts[before].endswith(_COLONS)


def _nearness(index: PageIndex, word_index: int, box: Box, above: float) -> float:
    """1 just left on the same line, less farther away; above only where the words of its run stand over the place.

    Args:
        above: what words above count.
    """
    word, height = box_at(index.columns, word_index), index.line_height
    if abs(word.center.y - (box.y0 + min(box.height, height) / 2)) < 0.6 * height:
        gap = box.x0 - word.x1
        return 1.0 - max(0.0, min(gap, _LEFT_REACH)) / (2 * _LEFT_REACH) if gap > -height else 0.0
    if word.center.y >= box.y0:
        return 0.0
    run = index.run_of(word_index)
    over = run.x1 > box.x0 - _SLACK and run.x0 < box.x1 + _SLACK
    return above * max(0.0, 0.8 - 0.2 * (box.y0 - word.y1) / height) if over else 0.0


def _fitting(word: str, weights: Mapping[str, float]) -> str | None:
    if word in weights:
        return word
    if len(word) < _SHORTEST_STEM:
        return None
    stem = word[: max(_SHORTEST_STEM, len(word) - 3)]
    return next((label for label in weights if label.startswith(stem) and len(label) >= _SHORTEST_STEM), None)
