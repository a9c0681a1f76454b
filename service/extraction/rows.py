"""Rows of one array from several splits: appended; a repeat on a shared page kept once, a row cut by an edge joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from service.domain.geometry import Box, quad_box, union_box
from service.domain.records import BoxCheck, Confidence, FieldEntry, Json, Location, Verdict
from service.domain.schema import FieldType, SchemaField
from service.extraction.text_key import match_key

_SAME_BOX = 0.5
"""Intersection over union from which two boxes are one place; splits render the same page alike, models round."""
_FEWEST_WHOLE_ROWS = 2
"""Other rows that must have a column before its absence says that a row is cut."""


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
    removed: list[tuple[Row, str]] = field(default_factory=list[tuple[Row, str]])


def join_rows(given: Sequence[list[Row]], pages: Sequence[tuple[int, ...]], items: SchemaField) -> JoinedRows:
    """Append the rows of splits in page order.

    Args:
        given: the rows of each split, in its own order.
        pages: the pages each split covered, 1-based.
        items: what one row is.
    """
    joined = JoinedRows([])
    origins: list[int] = []
    for number, rows in enumerate(given):
        fresh = _without_repeats(rows, number, pages, joined, origins)
        if fresh and items.type is FieldType.OBJECT and _follows(joined, origins, number, pages):
            whole = [*joined.rows[:-1], *fresh[1:]]
            if _is_cut(joined.rows[-1], fresh[0], whole):
                joined.rows[-1] = _glue(joined.rows[-1], fresh[0])
                joined.removed.append((fresh[0], "continued"))
                fresh = fresh[1:]
        joined.rows.extend(fresh)
        origins.extend([number] * len(fresh))
    return joined


def _without_repeats(
    rows: list[Row], number: int, pages: Sequence[tuple[int, ...]], joined: JoinedRows, origins: list[int]
) -> list[Row]:
    earlier = {page for before in pages[:number] for page in before}
    shared = earlier.intersection(pages[number])
    if not shared:
        return rows
    open_places = [
        position
        for position, row in enumerate(joined.rows)
        if row.page in shared and row.page in pages[number] and origins[position] != number
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


def _follows(joined: JoinedRows, origins: list[int], number: int, pages: Sequence[tuple[int, ...]]) -> bool:
    """Whether the last row so far ends the split just before, and this split begins on a later page."""
    if not joined.rows or not pages[number]:
        return False
    before = pages[origins[-1]]
    return origins[-1] == number - 1 and bool(before) and max(before) < min(pages[number])


def _is_cut(last: Row, first: Row, whole: Sequence[Row]) -> bool:
    """Whether a split's first row is the rest of the row before it.

    It lacks columns that all other rows have, at least half of them, and whatever it has either is missing in the row
    before or is text that can go on.
    """
    columns = [set(row.found()) for row in whole]
    if len(columns) < _FEWEST_WHOLE_ROWS or not _stands_first(first, whole):
        return False
    keys = set[str].intersection(*columns)
    ours, rest = last.found(), first.found()
    lacking = keys - rest.keys()
    if not rest or not lacking or 2 * len(lacking) < len(keys) or not any(key in ours for key in lacking):
        return False
    return all(_goes_on(last.fields.get(tail), entry) for tail, entry in rest.items())


def _goes_on(ours: FieldEntry | None, rest: FieldEntry) -> bool:
    """Whether a cell of the rest has its place in the row before: an empty one, or text that it continues."""
    return ours is not None and (ours.value is None or (isinstance(ours.value, str) and _is_prose(rest)))


def _is_prose(entry: FieldEntry) -> bool:
    """Text that may run on: it has letters, and they outnumber its digits."""
    text = entry.value if isinstance(entry.value, str) else ""
    return sum(c.isalpha() for c in text) > sum(c.isdigit() for c in text)


def _stands_first(first: Row, whole: Sequence[Row]) -> bool:
    """Whether no located row of its page stands above it; true where it has no place."""
    top = _top(first)
    return top is None or all(other is None or other[0] != top[0] or other[1] >= top[1] for other in map(_top, whole))


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
    name = tokens[0].replace("~1", "/").replace("~0", "~")
    if isinstance(value, dict):
        return {**value, name: _put(value.get(name), tokens[1:], entry)}
    if isinstance(value, list):
        at = int(name)
        return [*value[:at], _put(value[at], tokens[1:], entry), *value[at + 1 :]]
    return value
