"""Which of many places belongs to which row: rows stand in order, and the cells of one stand side by side."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from service.extraction.grounding.places import Place

_SAME_LINE = 0.6
"""Distance of two middles on one line, in line heights."""
_SAME_ROW = 3.5
"""Distance within a row whose cells are wrapped, in line heights."""
_STRONG = 0.35
"""Least weight of a position at which one of several rows with the same values may stand, as a share of the best."""
_MOST_BANDS = 64
_MOST_ANCHOR_PLACES = 4
_LONG_TEXT = 3


class PlaceList:
    """Places of one value in reading order, with their positions; cells of the same value share one."""

    __slots__ = ("ats", "places")

    def __init__(self, places: Iterable[Place] = ()) -> None:
        self.places = tuple(sorted(places, key=lambda place: place.at))
        self.ats = [place.at for place in self.places]

    def __len__(self) -> int:
        return len(self.places)

    def near(self, at: float, reach: float) -> tuple[Place, ...]:
        """Places within a distance of a position."""
        return self.places[bisect_left(self.ats, at - reach) : bisect_right(self.ats, at + reach)]


@dataclass(slots=True)
class Cell:
    """One value of a row and where it may stand."""

    column: str
    found: PlaceList
    is_number: bool = False
    fixed: bool = False
    """Whether its one place is certain, as when the model named it."""
    chosen: Place | None = None


def place_rows(rows: Sequence[Sequence[Cell]], line_height: float) -> None:
    """Set `chosen` of every cell that has a place.

    Two rows never share a place of one column while there are as many places as rows.

    Args:
        rows: in the order of the values; the cells of each in schema order.
        line_height: usual height of a line, as a fraction of the page.
    """
    twins = _twins(rows)
    bands = _choose_bands(rows, twins, line_height)
    used: defaultdict[str, set[tuple[int, tuple[int, ...]]]] = defaultdict(set)
    for reach in (_SAME_LINE * line_height, _SAME_ROW * line_height):
        _choose_single(rows, bands, reach, used)
        middles = _column_middles(rows)
        for row, at in zip(rows, bands, strict=True):
            if at is not None:
                _choose_among(row, at, reach, middles, used)
    for row, at, number in zip(rows, bands, range(len(rows)), strict=True):
        _choose_far(row, at, used, alone=number not in twins or any(cell.chosen for cell in row))


_Used = defaultdict[str, set[tuple[int, tuple[int, ...]]]]


def _spot(place: Place) -> tuple[int, tuple[int, ...]]:
    return place.page, place.words


def _take(cell: Cell, place: Place, used: _Used) -> None:
    cell.chosen = place
    used[cell.column].add(_spot(place))


def _choose_single(rows: Sequence[Sequence[Cell]], bands: Sequence[float | None], reach: float, used: _Used) -> None:
    """Cells that have one place in their band; they show where the columns are."""
    for row, at in zip(rows, bands, strict=True):
        if at is None:
            continue
        for cell in row:
            near = _free(cell, cell.found.near(at, reach), used) if cell.chosen is None else []
            rivals = sum(other is not cell and other.found is cell.found for other in row)
            if len(near) == 1 and not rivals:
                _take(cell, near[0], used)


def _free(cell: Cell, places: Sequence[Place], used: _Used) -> list[Place]:
    return [place for place in places if _spot(place) not in used[cell.column]]


def _column_middles(rows: Sequence[Sequence[Cell]]) -> dict[str, float]:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        for cell in row:
            if cell.chosen is not None:
                found[cell.column].append(cell.chosen.middle)
    return {column: median(middles) for column, middles in found.items()}


def _choose_among(row: Sequence[Cell], at: float, reach: float, middles: dict[str, float], used: _Used) -> None:
    taken = {_spot(cell.chosen) for cell in row if cell.chosen}
    for cell in row:
        near = _free(cell, cell.found.near(at, reach), used) if cell.chosen is None else []
        if not near:
            continue
        apart = [place for place in near if _spot(place) not in taken] or near
        middle = middles.get(cell.column)
        # Where no column is known yet, cells stand from left to right in the order of the schema.
        best = min(
            apart, key=lambda p: (abs(p.at - at) > reach / 2, p.rank, abs(p.middle - middle) if middle else p.middle)
        )
        taken.add(_spot(best))
        _take(cell, best, used)


def _choose_far(row: Sequence[Cell], at: float | None, used: _Used, *, alone: bool) -> None:
    """Texts that stand once for several rows, such as a day above its entries: the nearest place, rather above.

    Args:
        alone: whether the row may share a place: no other row has the same values, or it has a place of its own.
    """
    for cell in row:
        if cell.chosen is not None or not cell.found or (cell.is_number and at is not None):
            continue
        if at is None:
            free = _free(cell, cell.found.places, used) or (list(cell.found.places) if alone else [])
            if free:
                _take(cell, free[0], used)
        elif alone and len(cell.found.places[0].text) >= _LONG_TEXT:
            _take(cell, min(cell.found.places, key=lambda p: (p.at > at, abs(p.at - at))), used)


def _twins(rows: Sequence[Sequence[Cell]]) -> dict[int, tuple[int, int, int]]:
    """Rows with the same values as others: the first of those, the row's place among them from 0, and their number."""
    alike: defaultdict[tuple[tuple[str, int], ...], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        alike[tuple((cell.column, id(cell.found)) for cell in row)].append(number)
    groups = [group for group in alike.values() if len(group) > 1]
    return {number: (group[0], order, len(group)) for group in groups for order, number in enumerate(group)}


_Twins = Mapping[int, tuple[int, int, int]]


def _choose_bands(rows: Sequence[Sequence[Cell]], twins: _Twins, line_height: float) -> list[float | None]:
    """The position of each row: the chain of growing positions on which the most cells stand; None without places.

    Of rows with the same values no two have one position: more rows than are printed have none.
    """
    options = _options(rows, twins, line_height)
    chosen: list[float | None] = [None] * len(rows)
    for row, at in _best_chain(options, _SAME_LINE * line_height):
        chosen[row] = at
    taken = {at for at in chosen if at is not None}
    for number, scored in enumerate(options):
        if chosen[number] is None and scored:  # out of order, or beside another row: its best position that is free
            free = [s for s in scored if s[0] not in taken] or ([] if number in twins else scored)
            if not free:
                continue
            at, _ = max(free, key=lambda s: s[1])
            chosen[number] = at
            taken.add(at)
    return chosen


def _options(rows: Sequence[Sequence[Cell]], twins: _Twins, line_height: float) -> list[list[tuple[float, float]]]:
    """For each row the positions it may have, with the weight of the cells found there."""
    strong: dict[int, list[tuple[float, float]]] = {}
    options: list[list[tuple[float, float]]] = []
    for number, row in enumerate(rows):
        if number not in twins:
            options.append(_scored(row, line_height)[:_MOST_BANDS])
            continue
        first, order, count = twins[number]
        if first not in strong:
            scored = _scored(row, line_height)
            least = _STRONG * max((weight for _, weight in scored), default=0.0)
            strong[first] = [(at, weight) for at, weight in scored if weight >= least]
        # Of n like rows and m positions, the k-th can only have the k-th to the (m - n + k)-th.
        options.append(strong[first][order : max(order, len(strong[first]) - count + order) + 1][:_MOST_BANDS])
    return options


def _scored(row: Sequence[Cell], line_height: float) -> list[tuple[float, float]]:
    return [(at, _weight(row, at, line_height)) for at in _anchor_positions(row, line_height)]


def _anchor_positions(row: Sequence[Cell], line_height: float) -> list[float]:
    placed = [cell for cell in row if cell.found]
    if not placed:
        return []
    fewest = min(len(cell.found) for cell in placed)
    limit = max(_MOST_ANCHOR_PLACES, fewest)
    ats = sorted(at for cell in placed if len(cell.found) <= limit for at in cell.found.ats)
    merged: list[float] = []
    for at in ats:
        if not merged or at - merged[-1] > line_height / 2:
            merged.append(at)
    return merged


def _weight(row: Sequence[Cell], at: float, line_height: float) -> float:
    """How much of a row stands at a position; rare values tell more, and of equal positions the upper one wins."""
    total = -1e-6 * at
    for cell in row:
        if not cell.found:
            continue
        rarity = 0.3 + 0.7 / len(cell.found) + cell.fixed
        if near := cell.found.near(at, _SAME_LINE * line_height):
            total += rarity * (1 - 0.05 * min(place.rank for place in near))
        elif cell.found.near(at, _SAME_ROW * line_height):
            total += 0.4 * rarity
    return total


def _best_chain(options: Sequence[Sequence[tuple[float, float]]], step: float) -> list[tuple[int, float]]:
    """The heaviest choice of positions that grows from row to row by at least `step`; a row may be left out."""
    ats = sorted({at for scored in options for at, _ in scored})
    tree = _PrefixMaximum(len(ats))
    nodes: list[tuple[int, float, int]] = []  # row, position, node before it (-1: none)
    for row, scored in enumerate(options):
        for at, weight in sorted(scored, reverse=True):  # downwards, so that a row does not follow itself
            total, before = tree.best(bisect_right(ats, at - step))
            nodes.append((row, at, before))
            tree.raise_to(bisect_left(ats, at), total + max(weight, 0.0), len(nodes) - 1)
    chain: list[tuple[int, float]] = []
    _, node = tree.best(len(ats))
    while node >= 0:
        row, at, node = nodes[node]
        chain.append((row, at))
    return chain[::-1]


class _PrefixMaximum:
    """The best total among the first n positions, and the node that has it (a Fenwick tree of maxima)."""

    def __init__(self, size: int) -> None:
        self._cells: list[tuple[float, int]] = [(0.0, -1)] * (size + 1)

    def best(self, count: int) -> tuple[float, int]:
        found = (0.0, -1)
        while count > 0:
            if self._cells[count][0] > found[0]:
                found = self._cells[count]
            count -= count & -count
        return found

    def raise_to(self, position: int, total: float, node: int) -> None:
        at = position + 1
        while at < len(self._cells):
            if total > self._cells[at][0]:
                self._cells[at] = (total, node)
            at += at & -at
