"""Counting: what was there, what was filled, what was right, and how far `high` can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from service.domain.geometry import quad_box as box_of
from service.domain.geometry import union_box
from service.domain.records import Confidence, Extraction, FieldEntry, Json, JsonObject
from service.domain.schema import FieldType, SchemaField, escape_pointer
from service.evaluation.cases import Case, Place
from service.evaluation.compare import align_rows, boxes_meet, is_empty, is_same

ALL = "*"
"""Name of the tally over every leaf."""


@dataclass(slots=True)
class Tally:
    """Counts over leaf values."""

    present: int = 0
    filled: int = 0
    right: int = 0
    absent: int = 0
    false_fill: int = 0
    """Filled though absent."""
    rated: int = 0
    high: int = 0
    high_right: int = 0
    high_wrong_absent: int = 0
    """Called `high` though the document does not have it."""
    boxed: int = 0
    """Right values whose place is known."""
    box_hit: int = 0
    curve: list[tuple[float, bool]] = field(default_factory=list[tuple[float, bool]])
    """Probability and outcome of every filled value that has a probability."""

    def add(self, other: Tally) -> None:
        """Count what another has counted."""
        self.present += other.present
        self.filled += other.filled
        self.right += other.right
        self.absent += other.absent
        self.false_fill += other.false_fill
        self.rated += other.rated
        self.high += other.high
        self.high_right += other.high_right
        self.high_wrong_absent += other.high_wrong_absent
        self.boxed += other.boxed
        self.box_hit += other.box_hit
        self.curve.extend(other.curve)

    @property
    def precision(self) -> float | None:
        """Right among filled."""
        return _share(self.right, self.filled)

    @property
    def recall(self) -> float | None:
        """Right among present."""
        return _share(self.right, self.present)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall."""
        return _share(2 * self.right, self.present + self.filled)

    @property
    def false_fill_rate(self) -> float | None:
        """Filled among absent."""
        return _share(self.false_fill, self.absent)

    @property
    def high_share(self) -> float | None:
        """Called `high` among rated."""
        return _share(self.high, self.rated)

    @property
    def high_precision(self) -> float | None:
        """Right among those called `high`, absent ones included."""
        return _share(self.high_right, self.high + self.high_wrong_absent)

    @property
    def box_hit_rate(self) -> float | None:
        """Right values whose box meets a true place."""
        return _share(self.box_hit, self.boxed)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


class Scorer:
    """Tallies by field name, `lines[].amount` for the cells of rows; `*` is the sum."""

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = {ALL: Tally()}

    def add(self, case: Case, extraction: Extraction | None) -> None:
        """Count one document; without an extraction everything is missing."""
        values: JsonObject = extraction.values if extraction else {}
        entries: Mapping[str, FieldEntry] = extraction.fields if extraction else {}
        for child in case.schema.root.properties:
            if child.name in case.ignored:
                continue
            base, got = f"/{escape_pointer(child.name)}", values.get(child.name)
            if child.name in case.absent:
                self._absent(child.name, got, entries.get(base))
            elif child.name in case.truth and child.type is FieldType.ARRAY:
                self._array(case, child, got if isinstance(got, list) else [], entries)
            elif child.name in case.truth:
                places = case.places.get(f"/{child.name}", ())
                self._leaf(child.name, child, (case.truth[child.name], got), entries.get(base), places)

    def _absent(self, name: str, got: Json, entry: FieldEntry | None) -> None:
        for tally in self._both(name):
            tally.absent += 1
            if not is_empty(got):
                tally.false_fill += 1
                tally.high_wrong_absent += entry is not None and entry.confidence is Confidence.HIGH

    def _array(self, case: Case, child: SchemaField, got: Sequence[Json], entries: Mapping[str, FieldEntry]) -> None:
        truth = case.truth[child.name]
        want = truth if isinstance(truth, list) else []
        assert child.items is not None
        if child.items.type is FieldType.OBJECT:
            self._rows(case, child, (_objects(want), _objects(got)), entries)
        else:
            self._list(child, (want, list(got)), entries)

    def _list(
        self, child: SchemaField, both: tuple[Sequence[Json], list[Json]], entries: Mapping[str, FieldEntry]
    ) -> None:
        want, got = both
        item, base = child.items, f"/{escape_pointer(child.name)}"
        assert item is not None
        pool = list(range(len(got)))
        for value in want:
            hit = next((j for j in pool if is_same(item, value, got[j])), None)
            if hit is not None:
                pool.remove(hit)
            pair = (value, None if hit is None else got[hit])
            self._leaf(child.name, item, pair, entries.get(f"{base}/{hit}"), ())
        for j in pool:
            self._leaf(child.name, item, (None, got[j]), entries.get(f"{base}/{j}"), ())

    def _rows(
        self,
        case: Case,
        child: SchemaField,
        both: tuple[Sequence[JsonObject], Sequence[JsonObject]],
        entries: Mapping[str, FieldEntry],
    ) -> None:
        want, got = both
        base, item = f"/{escape_pointer(child.name)}", child.items
        assert item is not None
        for i, j in align_rows(item, want, got):
            row: JsonObject = want[i] if i is not None else {}
            found: JsonObject = got[j] if j is not None else {}
            for cell in item.properties:
                if i is not None and cell.name not in row:
                    continue
                entry = entries.get(f"{base}/{j}/{escape_pointer(cell.name)}")
                places = case.places.get(f"/{child.name}/{i}/{cell.name}", ())
                pair = (row.get(cell.name), found.get(cell.name))
                self._leaf(f"{child.name}[].{cell.name}", cell, pair, entry, places)

    def _leaf(
        self,
        name: str,
        field_: SchemaField,
        pair: tuple[Json, Json],
        entry: FieldEntry | None,
        places: Sequence[Place],
    ) -> None:
        want, got = pair
        present, filled = not is_empty(want), not is_empty(got)
        right = present and filled and is_same(field_, want, got)
        for tally in self._both(name):
            tally.present += present
            tally.filled += filled
            tally.right += right
            if filled and entry is not None:
                tally.rated += 1
                tally.high += entry.confidence is Confidence.HIGH
                tally.high_right += right and entry.confidence is Confidence.HIGH
                if entry.probability is not None:
                    tally.curve.append((entry.probability, right))
            if right and places:
                tally.boxed += 1
                tally.box_hit += entry is not None and _hits(entry, places)

    def _both(self, name: str) -> tuple[Tally, Tally]:
        return self.tallies[ALL], self.tallies.setdefault(name, Tally())


def _objects(values: Sequence[Json]) -> list[JsonObject]:
    return [v if isinstance(v, dict) else {} for v in values]


def _hits(entry: FieldEntry, places: Sequence[Place]) -> bool:
    location = entry.location
    if location is None:
        return False
    words = [box_of(q) for q in location.word_coordinates]
    box = union_box(words) if words else box_of(location.coordinates)
    return any(p.page == location.page and boxes_meet(box, p.box) for p in places)
