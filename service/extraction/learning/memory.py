"""Learning from a reviewed record: what its layout looks like, and where its values stand on it."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from service.domain.corrections import Mark
from service.domain.geometry import Box, quad_box, union_box
from service.domain.memory import (
    ColumnLesson,
    Landmark,
    Lesson,
    LessonKind,
    TableLesson,
    letters,
    surroundings,
)
from service.domain.pages import PageText
from service.domain.records import Extraction, FieldEntry, Location, Origin, Record
from service.domain.schema import ExtractionSchema, SchemaField
from service.extraction.grounding.ground import ground
from service.extraction.schema.shape import walk_fields

SAME_LAYOUT = 0.62
"""Share of landmarks in common from which two first pages are of one layout."""
_MOST_LANDMARKS = 250
_FEWEST = 4
_SHORTEST = 3
_X, _Y = 0.025, 0.04
"""How far a landmark may stray, in fractions of the page, once the page's own shift is taken off."""
_MOST_SHIFT = 0.1
_ALIKE = 80.0
"""Similarity (0–100) from which a word counts as another one misread."""
_ELSEWHERE = 0.5
"""What a landmark is worth that stands in its column but at another height, as under a table that grew."""
_LONGEST_CONSTANT = 60


def landmarks(page: PageText) -> tuple[Landmark, ...]:
    """The words of a page by which its layout is known: those without digits."""
    found = ((letters(word.text), word.box.center) for word in page.words)
    kept = [Landmark(key, round(at.x, 4), round(at.y, 4)) for key, at in found if len(key) >= _SHORTEST]
    return tuple(kept[:_MOST_LANDMARKS])


def likeness(known: Sequence[Landmark], seen: Sequence[Landmark]) -> float:
    """The share of landmarks that two pages have in common, 0–1; of the page that has fewer."""
    if min(len(known), len(seen)) < _FEWEST:
        return 0.0
    places: dict[str, list[Landmark]] = defaultdict(list)
    for mark in seen:
        places[mark.text].append(mark)
    dx, dy = _shift(known, places)
    hits = sum(_worth(replace(mark, x=mark.x + dx, y=mark.y + dy), places, seen) for mark in known)
    return min(1.0, hits / min(len(known), len(seen)))


def _shift(known: Sequence[Landmark], places: Mapping[str, Sequence[Landmark]]) -> tuple[float, float]:
    """How much a page lies beside the other, as a scan does."""
    pairs = [(mark, places[mark.text][0]) for mark in known if len(places.get(mark.text, ())) == 1]
    near = [(b.x - a.x, b.y - a.y) for a, b in pairs if abs(b.x - a.x) + abs(b.y - a.y) < _MOST_SHIFT]
    if len(near) < _FEWEST:
        return 0.0, 0.0
    return statistics.median(x for x, _ in near), statistics.median(y for _, y in near)


def _worth(mark: Landmark, places: Mapping[str, Sequence[Landmark]], seen: Sequence[Landmark]) -> float:
    same = [other for other in places.get(mark.text, ()) if abs(other.x - mark.x) <= _X]
    if any(abs(other.y - mark.y) <= _Y for other in same):
        return 1.0
    if same:
        return _ELSEWHERE
    near = (o for o in seen if abs(o.x - mark.x) <= _X and abs(o.y - mark.y) <= _Y)
    return float(any(fuzz.ratio(mark.text, o.text) >= _ALIKE for o in near))


def title_of(page: PageText) -> str:
    """The largest words in the upper third of a page."""
    top = [w for w in page.words if w.box.y0 < 1 / 3 and letters(w.text)]
    if not top:
        return ""
    tallest = max(w.box.height for w in top)
    line = next(w.line for w in top if w.box.height > 0.9 * tallest)
    return " ".join(w.text for w in page.words if w.line == line)[:80]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A record that a person approved."""

    record: Record
    """As it was approved."""
    machine: Record
    """As the model gave it."""
    marks: Mapping[str, Mark]
    """Pointer → who looked at the leaf."""
    schema: ExtractionSchema
    texts: Mapping[int, PageText]
    """What was read, by 1-based page of the file."""


def learn(reviewed: Reviewed) -> tuple[tuple[Lesson, ...], tuple[TableLesson, ...]]:
    """What the record's layout teaches: of single fields that somebody looked at, and of tables that were mended."""
    record = reviewed.record
    open_places = {p: _without_doubtful_place(e) for p, e in record.fields.items()}
    asked = Extraction(values=record.values, fields=open_places, pages=record.pages)
    found = ground(asked, reviewed.schema, reviewed.texts).fields
    kinds = dict(walk_fields(reviewed.schema.root))
    lessons = [
        lesson
        for path in reviewed.marks
        if path in kinds and path in found and (lesson := _lesson(reviewed, path, kinds[path], found[path])) is not None
    ]
    mended = (path for path in _tables(kinds) if _was_mended(reviewed, path))
    tables = [table for path in mended if (table := _table(reviewed, path, found)) is not None]
    return tuple(lessons), tuple(tables)


def _without_doubtful_place(entry: FieldEntry) -> FieldEntry:
    """A value that was typed may have kept the place of the wrong one; where it really stands is looked up."""
    typed = entry.origin is Origin.CORRECTED
    return replace(entry, location=None, origin=Origin.MODEL) if typed and not _is_boxed(entry) else entry


def _is_boxed(entry: FieldEntry) -> bool:
    """Whether the reviewer took the value from words of the page."""
    return entry.location is not None and bool(entry.location.word_coordinates)


def _lesson(reviewed: Reviewed, path: str, field: SchemaField, entry: FieldEntry) -> Lesson | None:
    if not field.is_leaf:
        return None
    if entry.value is None:
        wrong = reviewed.machine.fields.get(path)
        if wrong is None or wrong.value is None or wrong.location is None:
            return None
        return _at(reviewed, path, wrong.location, LessonKind.ABSENT, entry)
    if entry.location is not None and not isinstance(entry.value, bool):
        return _at(reviewed, path, entry.location, LessonKind.PLACE, entry)
    text = entry.value if isinstance(entry.value, str) else None
    if text is None or len(text) > _LONGEST_CONSTANT or any(c.isdigit() for c in text):
        return None
    return Lesson(path=path, kind=LessonKind.CONSTANT, value=text)


def _at(reviewed: Reviewed, path: str, location: Location, kind: LessonKind, entry: FieldEntry) -> Lesson | None:
    text = reviewed.texts.get(location.page)
    if text is None or location.page not in reviewed.record.pages:
        return None
    box = quad_box(location.coordinates)
    boxes = [quad_box(quad) for quad in location.word_coordinates] or [box]
    first = _first_line(boxes)
    return Lesson(
        path=path,
        kind=kind,
        value=entry.value if kind is LessonKind.PLACE else None,
        page=reviewed.record.pages.index(location.page) + 1,
        last=location.page == reviewed.record.pages[-1],
        box=first,
        around=surroundings(text, first),
        lines=_line_count(boxes),
    )


def _first_line(boxes: Sequence[Box]) -> Box:
    top = min(boxes, key=lambda b: b.y0)
    return union_box(b for b in boxes if b.center.y <= top.y1)


def _line_count(boxes: Sequence[Box]) -> int:
    rows: list[float] = []
    for box in sorted(boxes, key=lambda b: b.center.y):
        if not rows or box.center.y - rows[-1] > 0.6 * box.height:
            rows.append(box.center.y)
    return max(1, len(rows))


def _tables(leaves: Iterable[str]) -> tuple[str, ...]:
    """The arrays of objects that are in no other array, by the pointers of their leaves."""
    return tuple(dict.fromkeys(path.partition("/*/")[0] for path in leaves if "/*/" in path))


def _was_mended(reviewed: Reviewed, path: str) -> bool:
    prefix = f"{path}/"
    fields, before = reviewed.record.fields, reviewed.machine.fields
    mine = {p: e.value for p, e in fields.items() if p.startswith(prefix)}
    return mine != {p: e.value for p, e in before.items() if p.startswith(prefix)}


def _table(reviewed: Reviewed, path: str, found: Mapping[str, FieldEntry]) -> TableLesson | None:
    """The columns of a table, by where their cells stand on the page of the first row."""
    cells: dict[str, list[Box]] = defaultdict(list)
    first: Location | None = None
    for pointer, entry in found.items():
        if not pointer.startswith(f"{path}/") or entry.location is None:
            continue
        if first is None or (entry.location.page, _top(entry.location)) < (first.page, _top(first)):
            first = entry.location
        row, _, rest = pointer[len(path) + 1 :].partition("/")
        if row.isdecimal() and not any(token.isdecimal() for token in rest.split("/")):
            cells[f"{path}/*/{rest}"].append(quad_box(entry.location.coordinates))
    if first is None or first.page not in reviewed.texts:
        return None
    text, top = reviewed.texts[first.page], _top(first)
    columns = [_column(text, name, boxes, top) for name, boxes in cells.items()]
    told = [column for column in columns if column.header]
    return TableLesson(path=path, columns=tuple(columns)) if 2 * len(told) >= len(columns) and told else None


def _top(location: Location) -> float:
    return quad_box(location.coordinates).y0


def _column(text: PageText, path: str, boxes: Sequence[Box], top: float) -> ColumnLesson:
    x0, x1 = statistics.median(b.x0 for b in boxes), max(b.x1 for b in boxes)
    height = statistics.median(b.height for b in boxes)
    x0 = min(x0, min(b.x0 for b in boxes))
    over = surroundings(text, Box(x0, top, x1, top + height)).above
    return ColumnLesson(path=path, header=over, x0=round(x0, 4), x1=round(x1, 4))
