"""How well the words beside a place fit a field's own words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from service.domain.geometry import Box
from service.domain.schema import SchemaField
from service.extraction.page_index import PageIndex
from service.extraction.places import Place
from service.extraction.text_key import match_key

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


def _words(text: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return [key for word in re.split(r"[\W_]+", spaced) if (key := match_key(word))]


def label_score(index: PageIndex, place: Place, weights: Mapping[str, float]) -> float:
    """Sum of the weights of the field's words to the left of a place and above it; nearer words count more."""
    box, height = place.box, index.line_height
    best: dict[str, float] = {}
    own = set(place.words)
    reach = Box(max(0.0, box.x0 - _LEFT_REACH), box.y0 - _LINES_ABOVE * height, box.x1 + 0.1, box.y1)
    for word_index in index.words_in(reach):
        if word_index in own:
            continue
        word = index.words[word_index]
        nearness = _nearness(word.box, box, height)
        if nearness <= 0:
            continue
        for part in _words(word.text):
            label = _fitting(part, weights)
            if label:
                best[label] = max(best.get(label, 0.0), nearness * weights[label])
    return sum(best.values())


def _nearness(word: Box, box: Box, height: float) -> float:
    """1 just left on the same line, less farther away; above only where it stands over the place."""
    if abs(word.center.y - (box.y0 + min(box.height, height) / 2)) < 0.6 * height:
        gap = box.x0 - word.x1
        return 1.0 - max(0.0, gap) / (2 * _LEFT_REACH) if gap > -height else 0.0
    if word.center.y < box.y0 and word.x1 > box.x0 - 0.02 and word.x0 < box.x1 + 0.02:
        return max(0.0, 0.8 - 0.2 * (box.y0 - word.y1) / height)
    return 0.0


def _fitting(word: str, weights: Mapping[str, float]) -> str | None:
    if word in weights:
        return word
    if len(word) < _SHORTEST_STEM:
        return None
    stem = word[: max(_SHORTEST_STEM, len(word) - 3)]
    return next((label for label in weights if label.startswith(stem) and len(label) >= _SHORTEST_STEM), None)
