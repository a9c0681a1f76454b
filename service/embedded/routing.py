"""Which of several schemas a document has: by the words that schemas and pages share, in whatever language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.domain.jobs import Candidate, Route, UnroutedReason
from service.domain.pages import PageText
from service.domain.schema import ExtractionSchema, SchemaField
from service.embedded.labels import Phrase, canonical, split_name

_FIRST_PAGES = 3
_FEWEST_WORDS = 3
_FITS = 0.3
_MARGIN = 0.05
_MOST_CANDIDATES = 3


class Router:
    """Compares documents with a few schemas."""

    def __init__(self, schemas: Sequence[ExtractionSchema]) -> None:
        self._phrases = [tuple(_phrases(schema)) for schema in schemas]

    def route(self, pages: Sequence[PageText]) -> Route:
        """The schema that a document fits, or why it fits none."""
        texts = [page.text() for page in pages[:_FIRST_PAGES]]
        words = canonical(" ".join(texts))
        if sum(len(text.split()) for text in texts) < _FEWEST_WORDS:
            return Route(schema=None, reason=UnroutedReason.NO_TEXT)
        scores = [_score(phrases, words) for phrases in self._phrases]
        ranked = sorted(range(len(scores)), key=lambda n: -scores[n])
        candidates = tuple(Candidate(schema=n, score=round(scores[n], 3)) for n in ranked[:_MOST_CANDIDATES])
        best = scores[ranked[0]]
        if best < _FITS:
            return Route(schema=None, reason=UnroutedReason.NO_FIT, candidates=candidates)
        if len(ranked) > 1 and best - scores[ranked[1]] < _MARGIN:
            return Route(schema=None, reason=UnroutedReason.SEVERAL_FIT, candidates=candidates)
        return Route(schema=ranked[0], candidates=candidates)


def _phrases(schema: ExtractionSchema) -> Iterator[Phrase]:
    for text in (schema.name, schema.root.title, *_names(schema.root)):
        phrase = canonical(split_name(text))
        if phrase:
            yield phrase


def _names(field: SchemaField) -> Iterator[str]:
    for child in field.properties:
        yield child.name
        yield from _names(child)
    if field.items is not None:
        yield from _names(field.items)


def _score(phrases: Sequence[Phrase], words: Phrase) -> float:
    return sum(len(phrase & words) / len(phrase) for phrase in phrases) / max(1, len(phrases))
