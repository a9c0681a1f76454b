"""Whether to trust a value whose model does not say how sure it is: by what was seen, not by what was claimed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from service.domain.geometry import quad_box
from service.domain.records import (
    BoxCheck,
    Confidence,
    Conflict,
    Evidence,
    Extraction,
    FieldEntry,
    Location,
    Record,
    Verdict,
)
from service.domain.schema import general_pointer
from service.extraction.text.keys import value_key

DOUBTED_TOKEN = 0.5
"""Probability below which the model held another token to be at least as likely: it doubts its own value."""
OPINION_BAR = 0.5
"""Chance from which another model's value counts against one, and for its probability."""
AGREEMENT_BAR = 0.8
"""Chance from which another model's value makes one that is the same `high`. Source: `python -m benchmarks.trust`."""
SECOND_OPINION = "second_opinion"
"""The rule of a conflict with another model's value."""


@dataclass(frozen=True, slots=True)
class _View:
    """What the other model holds of a value."""

    agrees: bool
    entry: FieldEntry
    chance: float


class Opinion:
    """Another model's extraction of the same document, to be asked of single values.

    Args:
        extraction: what it made of the document.
        bar: chance from which its values count.
    """

    def __init__(self, extraction: Extraction, *, bar: float = OPINION_BAR) -> None:
        self._fields: dict[str, FieldEntry] = {}
        self._by_page: dict[tuple[str, int], list[FieldEntry]] = defaultdict(list)
        for path, entry in extraction.fields.items():
            if entry.value is not None and entry.location is not None and (entry.probability or 0.0) >= bar:
                self._fields[path] = entry
                self._by_page[general_pointer(path), entry.location.page].append(entry)

    def of(self, path: str, entry: FieldEntry) -> _View | None:
        """For or against; None: it has none.

        A value is the same where the other model has it in the same field at the same place. Rows are told apart by
        their places, since two models need not count them alike; the field of another row says nothing.
        """
        if entry.location is None:
            return None if "*" in general_pointer(path) else self._against(path, entry)
        name = general_pointer(path)
        at_its_place = [
            other
            for other in self._by_page.get((name, entry.location.page), ())
            if other.location is not None and _same_place(entry.location, other.location)
        ]
        for other in at_its_place:
            if value_key(other.value) == value_key(entry.value):
                return _view(other, agrees=True)
        if at_its_place:
            return _view(at_its_place[0], agrees=False)
        return None if "*" in name else self._against(path, entry)

    def _against(self, path: str, entry: FieldEntry) -> _View | None:
        """The same value elsewhere speaks neither for this place nor against the value."""
        other = self._fields.get(path)
        if other is None or value_key(other.value) == value_key(entry.value):
            return None
        return _view(other, agrees=False)

    def conflicts(self, record: Record) -> Iterator[Conflict]:
        """Single values of a record for which the other model has another one at another place."""
        for path, entry in record.fields.items():
            if entry.value is None or "*" in general_pointer(path):
                continue
            view = self.of(path, entry)
            if view is None or view.agrees or view.entry.location is None:
                continue
            if entry.location is None or not _same_place(entry.location, view.entry.location):
                yield Conflict(path=path, kept=entry, other=view.entry, rule=SECOND_OPINION)


def weigh(extraction: Extraction, opinion: Opinion | None) -> Extraction:
    """The extraction with what speaks for and against each value counted in.

    A value of a model that tells no confidence is `high` only if it stands at exactly one place of its pages, is there
    word for word, another model that is sure agrees, and the model did not doubt a token of it. Sure tokens alone make
    none: what they are worth differs from model to model, and no measurement says from where they would do. Where
    another model has another value it is `low`, whoever gave it. A value's own confidence is never raised.

    The probability of such a value is the other model's, which is measured: its own chance where it agrees (two who
    agree are right at least as often), what is left of it where it does not. Tokens alone give none.

    Args:
        extraction: grounded.
        opinion: of another model; None: nobody was asked.
    """
    fields = {
        path: _weighed(entry, extraction.evidence.get(path), opinion.of(path, entry) if opinion is not None else None)
        for path, entry in extraction.fields.items()
        if entry.value is not None and entry.verdict is Verdict.FOUND
    }
    return replace(extraction, fields=extraction.fields | fields)


def _weighed(entry: FieldEntry, evidence: Evidence | None, view: _View | None) -> FieldEntry:
    chance = None if view is None else view.chance if view.agrees else 1 - view.chance
    if view is not None and not view.agrees:
        return replace(entry, confidence=Confidence.LOW, probability=entry.probability if evidence is None else chance)
    if evidence is None:
        return entry
    agreed = view is not None and view.chance >= AGREEMENT_BAR
    doubted = evidence.token_probability is not None and evidence.token_probability < DOUBTED_TOKEN
    stands = entry.box_check is BoxCheck.MATCH and evidence.places == 1
    sure = agreed and stands and not doubted
    return replace(entry, confidence=Confidence.HIGH if sure else Confidence.LOW, probability=chance)


def _view(other: FieldEntry, *, agrees: bool) -> _View:
    return _View(agrees, other, other.probability or 0.0)


def _same_place(one: Location, other: Location) -> bool:
    if one.page != other.page:
        return False
    mine, theirs = quad_box(one.coordinates), quad_box(other.coordinates)
    return mine.contains(theirs.center) or theirs.contains(mine.center)
