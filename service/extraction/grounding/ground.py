"""Every value's words on its pages: a place the model gave is checked, a missing or wrong one is found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from rapidfuzz import fuzz

from service.domain.geometry import Box, quad_box, union_box
from service.domain.pages import PageText
from service.domain.records import (
    BoxCheck,
    Confidence,
    Extraction,
    FieldEntry,
    Json,
    Location,
    Origin,
    Scalar,
)
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer
from service.extraction.grounding.labels import label_score, label_words
from service.extraction.grounding.mark_places import PlacedMark, assign_marks
from service.extraction.grounding.page_index import PageIndex
from service.extraction.grounding.places import Place
from service.extraction.grounding.row_places import Cell, PlaceList, place_rows
from service.extraction.schema.closing import takes_last
from service.extraction.text.keys import match_key
from service.extraction.text.printed import currency_symbols, iso_day

_ALIKE = 85.0
"""Similarity (0–100) from which a text without an exact place counts as a misread one."""
_SHORTEST_ALIKE = 8
_LONG_ALIKE = 12
"""Letters and digits of a text of words from which also a digit of it may have been misread."""
_BOX_MARGIN = 0.4
"""How far a model's box is widened before words are looked for under it, in line heights."""
_MOST_LABELLED = 40
"""Places of one value whose labels are compared."""


def ground(extraction: Extraction, schema: ExtractionSchema, pages: Mapping[int, PageText]) -> Extraction:
    """Give every found value its place, its printed text and the outcome of the check.

    A place that the model gave stays when the words under it are the value; otherwise the value's words are looked for
    on the extraction's pages: text, numbers and dates in any printed form, near the field's label or inside its row. A
    value that has no words there is never `high`.

    Args:
        pages: what was read, by 1-based page number; pages that were not extracted are not looked at.
    """
    texts = [pages[number] for number in extraction.pages if number in pages and pages[number].words]
    finder = _Finder([PageIndex(text) for text in texts])
    leaves = [
        _Leaf(path, field, extraction.fields[path], parents, row)
        for path, field, parents, row in _walk(extraction.values, schema.root, "", (), None)
    ]
    targets = [finder.target(leaf) for leaf in leaves if leaf.entry.value not in (None, "")]
    finder.settle_rows([target for target in targets if target.leaf.row is not None])
    finder.settle_scalars([target for target in targets if target.leaf.row is None])
    finder.settle_marks([target for target in targets if isinstance(target.leaf.entry.value, bool)])
    grounded = {target.leaf.path: target.result() for target in targets}
    evidence = {
        target.leaf.path: replace(known, places=finder.count_places(target.leaf))
        for target in targets
        if (known := extraction.evidence.get(target.leaf.path)) is not None
    }
    fields = {path: grounded.get(path, entry) for path, entry in extraction.fields.items()}
    return replace(extraction, fields=fields, evidence=evidence)


@dataclass(frozen=True, slots=True)
class _Leaf:
    path: str
    field: SchemaField
    entry: FieldEntry
    parents: tuple[str, ...]
    row: tuple[str, int] | None
    """The outermost array it is in, and the row there."""


@dataclass(slots=True)
class _Target:
    """A value on its way to its place."""

    leaf: _Leaf
    found: PlaceList
    """Where it may stand."""
    checked: BoxCheck
    """What is under the model's own box; `unchecked` where it gave none."""
    readable: bool
    """Whether any of its pages has words."""
    held: Place | None = None
    """The place the model named, when its words are there."""
    chosen: Place | None = None
    mark: PlacedMark | None = None
    """The check box of a yes or no that the model gave no place."""

    def result(self) -> FieldEntry:
        entry = self.leaf.entry
        if isinstance(entry.value, bool):
            return self._settled_boolean(entry)
        if self.chosen is not None and self.chosen is self.held and entry.location is not None:
            words = entry.location.word_coordinates or tuple(box.quad() for box in self.chosen.boxes)
            location = replace(entry.location, word_coordinates=words)
            return replace(entry, location=location, box_check=BoxCheck.MATCH, raw=entry.raw or self.chosen.text)
        if self.chosen is not None:
            return _found_at(entry, self.chosen)
        if self.checked is BoxCheck.PARTIAL:
            return replace(entry, box_check=BoxCheck.PARTIAL, confidence=Confidence.LOW)
        check = BoxCheck.NONE if self.readable else BoxCheck.UNCHECKED
        return replace(entry, box_check=check, confidence=Confidence.LOW)

    def _settled_boolean(self, entry: FieldEntry) -> FieldEntry:
        """A yes or no has no words of its own: without a place where something is printed it is a guess."""
        if self.mark is not None:
            agrees = self.mark.mark.checked is entry.value
            return replace(
                entry,
                origin=Origin.GROUNDED,
                location=Location(self.mark.page, self.mark.mark.box.quad()),
                box_check=BoxCheck.MATCH if agrees else BoxCheck.NONE,
                confidence=entry.confidence if agrees else Confidence.LOW,
            )
        sure = self.readable and self.checked is not BoxCheck.NONE
        return replace(entry, box_check=self.checked, confidence=entry.confidence if sure else Confidence.LOW)


def _found_at(entry: FieldEntry, place: Place) -> FieldEntry:
    return replace(
        entry,
        raw=place.text,
        origin=Origin.GROUNDED,
        location=Location(place.page, place.box.quad(), tuple(box.quad() for box in place.boxes)),
        box_check=BoxCheck.MATCH if place.exact else BoxCheck.PARTIAL,
        confidence=entry.confidence if place.exact else Confidence.LOW,
    )


_Walked = tuple[str, SchemaField, tuple[str, ...], "tuple[str, int] | None"]


def _walk(
    value: Json, field: SchemaField, path: str, parents: tuple[str, ...], row: tuple[str, int] | None
) -> Iterator[_Walked]:
    if isinstance(value, dict):
        for prop in field.properties:
            below = (*parents, prop.name) if not prop.is_leaf else parents
            yield from _walk(value.get(prop.name), prop, f"{path}/{escape_pointer(prop.name)}", below, row)
    elif isinstance(value, list) and field.items is not None:
        for index, child in enumerate(value):
            yield from _walk(child, field.items, f"{path}/{index}", parents, row or (path, index))
    elif field.is_leaf:
        yield path, field, parents, row


class _Finder:
    """The pages of one extraction."""

    def __init__(self, indexes: Sequence[PageIndex]) -> None:
        self._indexes = {index.page: index for index in indexes}
        heights = sorted(index.line_height for index in indexes)
        self._line_height = heights[len(heights) // 2] if heights else 0.01
        self._places: dict[Decimal | tuple[str, bool], PlaceList] = {}

    def target(self, leaf: _Leaf) -> _Target:
        entry = leaf.entry
        if isinstance(entry.value, bool):
            place = entry.location
            return _Target(
                leaf, PlaceList(), self._check_mark(entry), place is not None and place.page in self._indexes
            )
        target = _Target(leaf, self._places_of(leaf), BoxCheck.UNCHECKED, bool(self._indexes))
        if entry.location is not None and entry.location.page in self._indexes:
            self._check(target, entry.location)
        return target

    def count_places(self, leaf: _Leaf) -> int:
        """At how many places a value stands word for word; a yes or no has no words of its own."""
        if isinstance(leaf.entry.value, bool):
            return 0
        return len({(place.page, place.words) for place in self._places_of(leaf).places if place.exact})

    def _places_of(self, leaf: _Leaf) -> PlaceList:
        """Searched once for each value."""
        value, is_choice = leaf.entry.value, bool(leaf.field.enum)
        key = (value, is_choice) if isinstance(value, str) else Decimal(str(value))
        if key not in self._places:
            self._places[key] = PlaceList(self._search(value, is_choice))
        return self._places[key]

    def _search(self, value: Scalar, is_choice: bool) -> list[Place]:
        indexes = self._indexes.values()
        if isinstance(value, str):
            return self._search_text(value, is_choice)
        number = Decimal(str(value)).normalize()
        found = [place for index in indexes for place in index.find_number(number)]
        if found or number == 0:
            return found
        return [place.ranked(place.rank, exact=False) for index in indexes for place in index.find_number(-number)]

    def _search_text(self, text: str, is_choice: bool) -> list[Place]:
        indexes = self._indexes.values()
        day = iso_day(text)
        if day is not None and (found := [place for index in indexes for place in index.days.get(day, ())]):
            return found
        if found := [place for index in indexes for place in index.find_text(text)]:
            return found
        for sign in currency_symbols(text):
            if found := [place for index in indexes for place in index.find_sign(sign)]:
                return found
        return self._search_alike(text) if day is None and not is_choice else []

    def _search_alike(self, text: str) -> list[Place]:
        """Text that was misread or slightly changed; digits must all be there, but in words that have a few."""
        key = match_key(text)
        if len(key) < _SHORTEST_ALIKE:
            return []
        is_prose = len(key) >= _LONG_ALIKE and 3 * len(_digits(key)) <= len(key)
        best: tuple[float, Place] | None = None
        for index in self._indexes.values():
            stream = index.stream.text
            if 100 * len(stream) < _ALIKE * len(key):
                continue
            hit = fuzz.partial_ratio_alignment(key, stream, score_cutoff=_ALIKE)
            if hit is None:
                continue
            if not is_prose and _digits(stream[hit.dest_start : hit.dest_end]) != _digits(key):
                continue
            if best is None or hit.score > best[0]:
                best = (hit.score, index.likeness(hit.dest_start, hit.dest_end))
        return [best[1]] if best else []

    def _check(self, target: _Target, location: Location) -> None:
        """Compare the words under the model's box with the value, and narrow a box that holds more."""
        index = self._indexes[location.page]
        box = _grown(location, _BOX_MARGIN * index.line_height)
        inside = [p for p in target.found.places if p.page == location.page and p.exact and box.contains(p.box.center)]
        under = [i for i in index.words_in(box) if match_key(index.texts[i])]
        if inside:
            target.checked = BoxCheck.MATCH
            just = [p for p in inside if set(under) <= set(p.words)]
            target.held = just[0] if just else None
            target.found = PlaceList(inside if target.held is None else [target.held])
        elif under and _resembles(target.leaf.entry.value, "".join(match_key(index.texts[i]) for i in under)):
            target.checked = BoxCheck.PARTIAL
        else:
            target.checked = BoxCheck.NONE

    def _check_mark(self, entry: FieldEntry) -> BoxCheck:
        """Whether a check box under a yes or no shows the same; unchecked where there are words alone."""
        place = entry.location
        if place is None or place.page not in self._indexes:
            return BoxCheck.UNCHECKED
        index = self._indexes[place.page]
        box = _grown(place, _BOX_MARGIN * index.line_height)
        states = [mark.checked for mark in index.marks if box.contains(mark.box.center)]
        if len(states) != 1:
            return BoxCheck.UNCHECKED if states or index.words_in(box) else BoxCheck.NONE
        return BoxCheck.MATCH if states[0] is entry.value else BoxCheck.NONE

    def settle_rows(self, targets: Sequence[_Target]) -> None:
        arrays: dict[str, dict[int, list[_Target]]] = {}
        for target in targets:
            if target.leaf.row is not None and not isinstance(target.leaf.entry.value, bool):
                array, row = target.leaf.row
                arrays.setdefault(array, {}).setdefault(row, []).append(target)
        for array, rows in arrays.items():
            self._release_shared(array, [target for row in rows.values() for target in row])
            cells = [[self._cell(array, target) for target in row] for row in rows.values()]
            place_rows(cells, self._line_height)
            for row, placed in zip(rows.values(), cells, strict=True):
                for target, cell in zip(row, placed, strict=True):
                    target.chosen = cell.chosen

    def _release_shared(self, array: str, targets: Sequence[_Target]) -> None:
        """A place that a model gave to two rows of one column tells nothing, if the value stands elsewhere too."""
        claims: dict[tuple[str, int, tuple[int, ...]], list[_Target]] = {}
        for target in targets:
            if target.held is not None:
                claim = (_column(array, target), target.held.page, target.held.words)
                claims.setdefault(claim, []).append(target)
        for sharing in claims.values():
            if len(sharing) < 2:
                continue
            for target in sharing:
                everywhere = self._places_of(target.leaf)
                target.found = everywhere if len(everywhere) > 1 else target.found

    def _cell(self, array: str, target: _Target) -> Cell:
        return Cell(
            column=_column(array, target),
            found=target.found,
            is_number=target.leaf.field.type in (FieldType.NUMBER, FieldType.INTEGER),
            fixed=target.held is not None and len(target.found) == 1,
        )

    def settle_scalars(self, targets: Sequence[_Target]) -> None:
        """Best labelled first; a place that another field has is taken only where it is clearly better."""
        scored: list[tuple[float, _Target, Place]] = []
        for target in targets:
            if len(target.found) == 1:
                target.chosen = target.found.places[0]
            elif target.found:
                scored += [(score, target, place) for score, place in self._scored(target)]
        used = {(t.chosen.page, t.chosen.words) for t in targets if t.chosen is not None}
        scored.sort(key=lambda s: s[0], reverse=True)
        for wanted in (False, True):  # first round: places that are free
            for _, target, place in scored:
                spot = (place.page, place.words)
                if target.chosen is None and (wanted or spot not in used):
                    target.chosen = place
                    used.add(spot)

    def settle_marks(self, targets: Sequence[_Target]) -> None:
        """Single yes-or-no fields without a place: the check box whose label fits."""
        open_ones = [t for t in targets if t.leaf.row is None and t.leaf.entry.location is None]
        if open_ones and any(index.marks for index in self._indexes.values()):
            marks = assign_marks([t.leaf.field for t in open_ones], list(self._indexes.values()))
            for target, mark in zip(open_ones, marks, strict=True):
                target.mark = mark

    def _scored(self, target: _Target) -> list[tuple[float, Place]]:
        weights = label_words(target.leaf.field, target.leaf.parents)
        last = takes_last(target.leaf.field)
        nearest = sorted(target.found.places, key=lambda p: p.rank)[:_MOST_LABELLED]
        nearest.sort(key=lambda p: p.at, reverse=last)
        return [
            (label_score(self._indexes[p.page], p, weights) - 0.5 * p.rank - 1e-3 * order, p)
            for order, p in enumerate(nearest)
        ]


def _column(array: str, target: _Target) -> str:
    """The leaf's pointer without the numbers of its rows."""
    tail = target.leaf.path[len(array) :].split("/")
    return "/".join(token for token in tail if not token.isdecimal())


def _grown(location: Location, margin: float) -> Box:
    words = location.word_coordinates
    box = union_box(quad_box(word) for word in words) if words else quad_box(location.coordinates)
    return Box(box.x0 - margin, box.y0 - margin, box.x1 + margin, box.y1 + margin)


def _resembles(value: Scalar, under: str) -> bool:
    """Whether the words under a box are the value with a few characters misread; digits must agree."""
    key = match_key(str(value))
    return bool(key) and _digits(under) == _digits(key) and fuzz.ratio(key, under) >= _ALIKE


def _digits(key: str) -> str:
    return "".join(char for char in key if char.isdigit())
