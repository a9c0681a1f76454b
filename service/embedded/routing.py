"""Which of several schemas a document has, or that it has none of them; offline, in whatever language.

A schema's own words say for which kinds of document it is and what stands in these. A document speaks for a schema by
its title, by the words that its kind usually has, and by the labels of the schema's fields; what speaks for several
schemas speaks for none of them. A document that looks more like a kind which no schema is for is left unrouted.

The weights were fitted on the development halves of the evaluation sets, each document among all schemas, among a few,
and without its own; rounded. docs/routing.md has the figures.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from service.domain.pages import PageText
from service.domain.routes import Candidate, Route, UnroutedReason
from service.domain.schema import ExtractionSchema, SchemaField
from service.embedded.asked.fields import understand
from service.embedded.page.first_pages import FirstPages
from service.embedded.words.kinds import kinds, kinds_of_schema
from service.embedded.words.labels import STOPWORDS, Phrase, canonical, columns, concepts, split_name

_FITS = 0.3
"""Score from which a schema fits."""
_AHEAD = 0.1
"""How much better than the next one it fits at least."""
_MOST_CANDIDATES = 3
_FEWEST_WORDS = 3
_BIAS = -3.3
_SURE_CONCEPT = 0.7
_SURE_LABEL = 0.85
_USUAL_SHARE = 0.3
"""Share of labels that any document has of any schema."""
_MOST_EVIDENCE = 2.0
_SHORTEST_WORD = 3
_SHAPES = {
    "time": re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?![\d])"),
    "iban": re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,}"),
}
"""Kinds of values that are known by their shape where no label stands beside them."""


@dataclass(frozen=True, slots=True)
class _Field:
    """How a leaf of a schema shows on a page."""

    phrases: tuple[Phrase, ...]
    """Its name and the labels it usually has; one of them is enough."""
    shape: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class _Reading:
    """A schema as a document is compared with it."""

    kinds: Mapping[str, float]
    """Those it is for, with how sure that is."""
    fields: tuple[_Field, ...]
    strong: Phrase
    """Words of its title, its description and its fields' names."""
    words: Phrase
    """These, and those of the fields' descriptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    """What of a document speaks for a schema, before the others are looked at."""

    evidence: float
    cues: float
    lead: float
    """Of its kinds over those that no schema is for, -1 to 1."""
    slip: bool
    share: float
    """Of its fields that have a label on the pages, 0–1."""
    own_fields: int
    """Those whose label no other schema asks for."""
    own_words: int
    """Strong words on the pages that no other schema has."""


class Router:
    """Compares documents with the schemas of a job."""

    def __init__(self, schemas: Sequence[ExtractionSchema]) -> None:
        self._readings = [_read(schema) for schema in schemas]
        self._covered = frozenset(chain.from_iterable(reading.kinds for reading in self._readings))
        self._users = Counter(word for reading in self._readings for word in reading.words)

    def route(self, pages: Sequence[PageText]) -> Route:
        """The schema that a document fits, or why it fits none."""
        document = FirstPages(pages)
        if document.length < _FEWEST_WORDS:
            return Route(schema=None, reason=UnroutedReason.NO_TEXT)
        scores = self._scores(document)
        ranked = sorted(range(len(scores)), key=lambda n: (-scores[n], n))
        candidates = tuple(Candidate(schema=n, score=round(scores[n], 3)) for n in ranked[:_MOST_CANDIDATES])
        first, second = scores[ranked[0]], scores[ranked[1]] if len(ranked) > 1 else 0.0
        if first < _FITS:
            return Route(schema=None, reason=UnroutedReason.NO_FIT, candidates=candidates)
        if first - second < _AHEAD:
            return Route(schema=None, reason=UnroutedReason.SEVERAL_FIT, candidates=candidates)
        return Route(schema=ranked[0], candidates=candidates)

    def _scores(self, document: FirstPages) -> list[float]:
        """How well each schema fits, 0–1."""
        found = [tuple(_found(field, document) for field in reading.fields) for reading in self._readings]
        askers = Counter(phrase for hits in found for phrase in {*hits} - {None})
        signs = [self._signs(r, hits, askers, document) for r, hits in zip(self._readings, found, strict=True)]
        return [_score(sign, [*signs[:n], *signs[n + 1 :]]) for n, sign in enumerate(signs)]

    def _signs(
        self, reading: _Reading, hits: Sequence[Phrase | None], askers: Counter[Phrase | None], document: FirstPages
    ) -> _Signs:
        known, sure = kinds(), {name for name, weight in reading.kinds.items() if weight == 1.0}
        related = {known[name].wider for name in reading.kinds} | {n for n in known if known[n].wider in sure}
        others = (value for name, value in document.evidence.items() if name not in self._covered | related)
        evidence = _most(reading.kinds, document.evidence)
        return _Signs(
            evidence=min(evidence, _MOST_EVIDENCE),
            cues=_most(reading.kinds, document.cues),
            lead=max(-1.0, min(1.0, evidence - max(others, default=0.0))),
            slip=document.fits_slip([*reading.kinds]),
            share=sum(hit is not None for hit in hits) / max(1, len(hits)),
            own_fields=sum(hit is not None and askers[hit] == 1 for hit in hits),
            own_words=sum(self._users[word] == 1 for word in reading.strong & document.meanings),
        )


def _most(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    return max((weight * values[name] for name, weight in weights.items()), default=0.0)


def _score(mine: _Signs, others: Sequence[_Signs]) -> float:
    total = (
        _BIAS
        + 0.4 * mine.evidence
        + 2.4 * mine.cues
        + 2.4 * mine.lead
        + 1.3 * mine.slip
        + 0.5 * mine.share
        + 2.1 * (mine.share - max([_USUAL_SHARE, *(other.share for other in others)]))
        + 1.6 * _ahead(mine.own_fields, [other.own_fields for other in others])
        + 2.0 * _ahead(mine.own_words, [other.own_words for other in others])
    )
    return 1 / (1 + math.exp(-total))


def _ahead(mine: int, others: Sequence[int]) -> float:
    """How far a count is ahead of the best other one, -1 to 1."""
    best = max([1, *others])
    return (mine - best) / (mine + best + 2)


def _found(field: _Field, document: FirstPages) -> Phrase | None:
    """The longest phrase of a field that stands in a line, or what its values' shape is called; None: nothing does."""
    standing = [phrase for phrase in field.phrases if any(phrase <= line for line in document.lines)]
    if standing:
        return max(standing, key=lambda phrase: (len(phrase), sorted(phrase)))
    if field.shape is not None and field.shape.search(document.raw):
        return frozenset({field.shape.pattern})
    return None


def _read(schema: ExtractionSchema) -> _Reading:
    root = schema.root
    title = f"{split_name(schema.name)} . {root.title}"
    names = " ".join(split_name(field.name) for field in _inner(root))
    descriptions = " ".join(field.description for field in _inner(root))
    return _Reading(
        kinds=kinds_of_schema(title, root.description),
        fields=tuple(_leaves(root, (), column=False)),
        strong=_telling(f"{title} {root.description} {names}"),
        words=_telling(f"{title} {root.description} {names} {descriptions}"),
    )


def _telling(text: str) -> Phrase:
    return frozenset(w for w in canonical(text) if len(w) >= _SHORTEST_WORD and w not in STOPWORDS)


def _inner(field: SchemaField) -> Iterator[SchemaField]:
    for child in (*field.properties, *((field.items,) if field.items else ())):
        yield child
        yield from _inner(child)


def _leaves(field: SchemaField, parents: tuple[SchemaField, ...], *, column: bool) -> Iterator[_Field]:
    for child in field.properties:
        if child.properties:
            yield from _leaves(child, (*parents, child), column=column)
        elif child.items is not None and child.items.properties:
            yield from _leaves(child.items, (), column=True)
        else:
            yield _leaf(child, parents, column=column)


def _leaf(field: SchemaField, parents: tuple[SchemaField, ...], *, column: bool) -> _Field:
    ask = understand(field, f"/{field.name}", parents, column=column)
    phrases = [canonical(split_name(field.title or field.name))]
    known = columns() if column else concepts()
    if ask.concepts and ask.concepts[0][1] >= _SURE_CONCEPT:
        phrases += [label for label, told in known[ask.concepts[0][0]].labels if told >= _SURE_LABEL]
    return _Field(phrases=tuple(filter(None, phrases)), shape=_SHAPES.get(ask.kind))
