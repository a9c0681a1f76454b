"""Rows of one array from several splits: appended; a repeat on a shared page kept once, a row cut by an edge joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from service.domain.geometry import Box, quad_box, union_box
from service.domain.records import BoxCheck, Confidence, FieldEntry, Json, Location, Verdict
from service.domain.schema import FieldType, SchemaField, unescape_pointer
from service.extraction.text.keys import match_key

_SAME_BOX = 0.5
"""Intersection over union from which two boxes are one place; splits render the same page alike, models round."""
_FEWEST_WHOLE_ROWS = 2
"""Other rows that must be there before a column's absence says that a row is cut."""
_USUAL = 0.8
"""Share of the other rows that must have a column before its absence says that a row is cut."""


@dataclass(frozen=True, slots=True)
class Row:
    """One element of an array: its value, and the entries of its leaves by their pointer from the row on."""

    value: Json
    fields: dict[str, FieldEntry]

    @property
    def page(self) -> int | None:
        """1-based page of its first located leaf."""
        return next((e.location.page for e in self.fields.values() if e.location), None)

    def found(self) -> dict[str, FieldEntry]:
        """The leaves that have a value."""
        return {tail: entry for tail, entry in self.fields.items() if entry.value is not None}


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """The rows that stay, and those that do not, with the reason (`repeat` or `continued`)."""

    rows: list[Row]
    origins: list[int] = field(default_factory=list[int])
    """For each row, the split that gave it (its beginning, where it was joined)."""
    removed: list[tuple[Row, str]] = field(default_factory=list[tuple[Row, str]])


def join_rows(given: Sequence[list[Row]], pages: Sequence[tuple[int, ...]], items: SchemaField) -> JoinedRows:
    """Append the rows of splits in page order.

    Args:
        given: the rows of each split, in its own order.
        pages: the pages each split covered, 1-based.
        items: what one row is.
    """
    joined = JoinedRows([])
    for number, rows in enumerate(given):
        fresh = _without_repeats(rows, number, pages, joined)
        joined.rows.extend(fresh)
        joined.origins.extend([number] * len(fresh))
    if items.type is FieldType.OBJECT and not _has_grid(items):
        _join_cut_rows(joined, pages)
    return joined


def _has_grid(items: SchemaField) -> bool:
    """Whether a row is itself a whole table, which no page's edge cuts: each page's part is one of its own."""
    return any(p.items is not None and p.items.type is FieldType.ARRAY for p in items.properties)


def _join_cut_rows(joined: JoinedRows, pages: Sequence[tuple[int, ...]]) -> None:
    """Put rows together that a page's edge has cut, be it between two splits or inside one."""
    table = _Table(joined.rows)
    kept: list[int] = []
    for number, row in enumerate(joined.rows):
        if kept and kept[-1] == number - 1 and _turns_page(joined, pages, number) and table.is_cut(number):
            joined.rows[kept[-1]] = _glue(joined.rows[kept[-1]], row)
            joined.removed.append((row, "continued"))
        else:
            kept.append(number)
    joined.rows[:] = [joined.rows[number] for number in kept]
    joined.origins[:] = [joined.origins[number] for number in kept]


def _turns_page(joined: JoinedRows, pages: Sequence[tuple[int, ...]], number: int) -> bool:
    """Whether a row begins a page that follows that of the row before it."""
    before, here = joined.origins[number - 1], joined.origins[number]
    if before != here:
        return here == before + 1 and bool(pages[here]) and max(pages[before], default=0) < min(pages[here])
    one, other = joined.rows[number - 1].page, joined.rows[number].page
    return one is not None and other is not None and one < other


def _without_repeats(rows: list[Row], number: int, pages: Sequence[tuple[int, ...]], joined: JoinedRows) -> list[Row]:
    earlier = {page for before in pages[:number] for page in before}
    shared = earlier.intersection(pages[number])
    if not shared:
        return rows
    open_places = [
        position
        for position, row in enumerate(joined.rows)
        if row.page in shared and row.page in pages[number] and joined.origins[position] != number
    ]
    fresh: list[Row] = []
    for row in rows:
        twin = (
            next((at for at in open_places if _is_same_place(joined.rows[at], row)), None)
            if row.page in shared
            else None
        )
        if twin is None:
            fresh.append(row)
            continue
        open_places.remove(twin)  # each row answers for one repeat: two equal rows stay two
        joined.rows[twin] = _completed(joined.rows[twin], row)
        joined.removed.append((row, "repeat"))
    return fresh


def _is_same_place(one: Row, other: Row) -> bool:
    """Whether all leaves that both have agree, and every two of their boxes coincide."""
    ours, theirs = one.found(), other.found()
    both = ours.keys() & theirs.keys()
    if any(_text(ours[tail]) != _text(theirs[tail]) for tail in both):
        return False
    places = [(a, b) for tail in both if (a := ours[tail].location) and (b := theirs[tail].location)]
    return bool(places) and all(a.page == b.page and _box(a).overlap(_box(b)) >= _SAME_BOX for a, b in places)


def _text(entry: FieldEntry) -> str:
    if isinstance(entry.value, (int, float)) and not isinstance(entry.value, bool):
        return str(float(entry.value))
    return match_key(str(entry.value))


def _box(location: Location) -> Box:
    """The tightest box known: a model's `coordinates` may be those of the whole table."""
    if location.word_coordinates:
        return union_box(quad_box(word) for word in location.word_coordinates)
    return quad_box(location.coordinates)


def _completed(kept: Row, repeat: Row) -> Row:
    """The row with the leaves that only its repeat has."""
    gains = {
        tail: entry for tail, entry in repeat.found().items() if tail in kept.fields and kept.fields[tail].value is None
    }
    return _with_entries(kept, gains)


class _Table:
    """The rows of one array before any were joined: which columns they usually have, and where each begins."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._columns = [frozenset(row.found()) for row in rows]
        self._counts = Counter(column for columns in self._columns for column in columns)
        self._tops: dict[int, float] = {}
        for top in map(_top, rows):
            if top is not None:
                self._tops[top[0]] = min(top[1], self._tops.get(top[0], top[1]))

    def is_cut(self, number: int) -> bool:
        """Whether a row is the rest of the row before it.

        It lacks columns that rows have as a rule: at least half of them, or just those that the row before it has,
        which lacks the others. Whatever it has either is missing in the row before or is text that can go on.
        """
        last, first = self._rows[number - 1], self._rows[number]
        usual = self._usual(number)
        ours, rest = self._columns[number - 1], self._columns[number]
        lacking = usual - rest
        if not rest or not lacking & ours or not self._stands_first(first):
            return False
        completes = bool(usual - ours) and usual - ours <= rest
        if not completes and 2 * len(lacking) < len(usual):
            return False
        return all(_goes_on(last.fields.get(tail), entry) for tail, entry in first.found().items())

    def _usual(self, number: int) -> frozenset[str]:
        """Columns that most rows have, but for the two that are looked at."""
        others = len(self._rows) - 2
        if others < _FEWEST_WHOLE_ROWS:
            return frozenset()
        pair = (self._columns[number - 1], self._columns[number])
        counts = {column: count - sum(column in one for one in pair) for column, count in self._counts.items()}
        return frozenset(column for column, count in counts.items() if count >= _USUAL * others)

    def _stands_first(self, row: Row) -> bool:
        """Whether no located row of its page stands above it; true where it has no place."""
        top = _top(row)
        return top is None or self._tops[top[0]] >= top[1]


def _goes_on(ours: FieldEntry | None, rest: FieldEntry) -> bool:
    """Whether a cell of the rest has its place in the row before: an empty one, or text that it continues."""
    return ours is not None and (ours.value is None or (isinstance(ours.value, str) and _is_prose(rest)))


def _is_prose(entry: FieldEntry) -> bool:
    """Text that may run on: it has letters, and they outnumber its digits."""
    text = entry.value if isinstance(entry.value, str) else ""
    return sum(c.isalpha() for c in text) > sum(c.isdigit() for c in text)


def _top(row: Row) -> tuple[int, float] | None:
    places = [e.location for e in row.found().values() if e.location]
    return min(((p.page, _box(p).y0) for p in places), default=None)


def _glue(last: Row, rest: Row) -> Row:
    gains: dict[str, FieldEntry] = {}
    for tail, entry in rest.found().items():
        ours = last.fields.get(tail)
        gains[tail] = entry if ours is None or ours.value is None else _run_on(ours, entry)
    return _with_entries(last, gains)


def _run_on(head: FieldEntry, tail: FieldEntry) -> FieldEntry:
    """A text that goes on over the page; its place is that of its beginning."""
    raws = [raw for raw in (head.raw, tail.raw) if raw]
    sure = head.confidence is Confidence.HIGH and tail.confidence is Confidence.HIGH
    checked = head.box_check is not BoxCheck.UNCHECKED
    return replace(
        head,
        value=f"{head.value} {tail.value}",
        raw=" ".join(raws) or None,
        confidence=Confidence.HIGH if sure else Confidence.LOW,
        probability=min(head.probability, tail.probability) if head.probability and tail.probability else None,
        box_check=BoxCheck.PARTIAL if checked else BoxCheck.UNCHECKED,
        verdict=Verdict.FOUND,
    )


def _with_entries(row: Row, gains: dict[str, FieldEntry]) -> Row:
    value = row.value
    for tail, entry in gains.items():
        value = _put(value, tail.split("/")[1:], entry)
    return Row(value, row.fields | gains)


def _put(value: Json, tokens: list[str], entry: FieldEntry) -> Json:
    if not tokens:
        return entry.value
    name = unescape_pointer(tokens[0])
    if isinstance(value, dict):
        return {**value, name: _put(value.get(name), tokens[1:], entry)}
    if isinstance(value, list):
        at = int(name)
        return [*value[:at], _put(value[at], tokens[1:], entry), *value[at + 1 :]]
    return value
