"""Columns of running text, so that a line of one column is not read into the next. Pure.

Tables and forms have columns too, but there a row is to be kept: only columns of whole sentences are parted.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_GUTTER = 0.9
"""Font sizes of white between two columns."""
_SENTENCE = 22
"""Letters: half of a column's pieces are at least this long when it is running text."""
_MIN_PIECES = 4
_BAND = 0.55
"""Font sizes of white, over the whole width, between a headline and the columns under it."""
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring words of one baseline; edges in points, `words` are the caller's own indexes."""

    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    letters: int
    words: tuple[int, ...]


def split_columns(stretches: Sequence[Stretch], depth: int = 0) -> list[list[Stretch]]:
    """The stretches in blocks, in reading order; one block when there are no columns."""
    whole = [list(stretches)]
    if len(stretches) < 2 * _MIN_PIECES or depth >= _MAX_DEPTH:
        return whole
    size = statistics.median(s.size for s in stretches)
    sides = _at_gutter(stretches, size)
    if sides is not None:
        return [block for side in sides for block in split_columns(side, depth + 1)]
    bands = _bands(stretches, size)
    if len(bands) < 2:
        return whole
    parts = [split_columns(band, depth + 1) for band in bands]
    if all(len(part) == 1 for part in parts):
        return whole
    return [block for part in parts for block in part]


def _at_gutter(stretches: Sequence[Stretch], size: float) -> tuple[list[Stretch], list[Stretch]] | None:
    """Both sides of the first white strip that parts two columns of running text."""
    right_edge = float("-inf")
    ordered = sorted(stretches, key=lambda s: s.x0)
    for number, stretch in enumerate(ordered):
        if stretch.x0 - right_edge > _GUTTER * size and _is_prose(ordered[:number]) and _is_prose(ordered[number:]):
            return ordered[:number], ordered[number:]
        right_edge = max(right_edge, stretch.x1)
    return None


def _is_prose(side: Sequence[Stretch]) -> bool:
    return len(side) >= _MIN_PIECES and statistics.median(s.letters for s in side) >= _SENTENCE


def _bands(stretches: Sequence[Stretch], size: float) -> list[list[Stretch]]:
    """Groups from the top, parted where a strip of white goes over the whole width."""
    bands: list[list[Stretch]] = []
    bottom = float("-inf")
    for stretch in sorted(stretches, key=lambda s: s.y0):
        if not bands or stretch.y0 - bottom > _BAND * size:
            bands.append([])
        bands[-1].append(stretch)
        bottom = max(bottom, stretch.y1)
    return bands
