"""Letters that are drawn twice, as fake bold or a shadow: found so that each is kept once. Pure."""

from __future__ import annotations

from math import floor

import numpy as np

from service.documents.text.pieces import Floats, Ints, Letters

_TWICE = 0.12
"""The same letter within this many font sizes is one letter drawn twice; two l in a row stand 0.2 apart."""
_SPACE = 32
_ROWS = 2
"""Rows of letters are told apart by the half of a font size."""
_STEPS = 64
"""Places along a row are told apart by this part of a font size."""
_FIELD = 1 << 20
"""Rows and steps beyond this, either way, count as this."""

_Seen = dict[tuple[int, int, int], list[tuple[float, float]]]
"""A letter and the cell of the page it stands in → where in it."""


def drawn_again(letters: Letters) -> Ints:
    """Indexes of the letters that stand where the same letter already stands."""
    sizes = letters.sizes()
    able = np.flatnonzero((sizes > 0) & (letters.codes != _SPACE))
    able = able[~_same_sign(letters, able)]
    x0, y0, x1, y1 = letters.edges[:, able]
    x, y = (x0 + x1) / 2 / sizes[able], (y0 + y1) / 2 / sizes[able]
    codes = letters.codes[able]
    near = _near_ones(codes, x, y)
    seen: _Seen = {}
    again: list[int] = []
    for code, at_x, at_y, index in zip(*(c[near].tolist() for c in (codes, x, y, able)), strict=True):
        if _is_taken(seen, code, at_x, at_y):
            again.append(index)
        else:
            seen.setdefault((code, floor(at_x), floor(at_y)), []).append((at_x, at_y))
    return np.array(again, np.int64)


def _same_sign(letters: Letters, indexes: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether a letter is of one printed sign with the one before it: a ligature, such as ffi, taken apart."""
    x0, y0, x1, _ = letters.edges[:, indexes]
    same = np.zeros(len(indexes), np.bool_)
    same[1:] = np.diff(letters.style_of[indexes]) == 0
    for edge in (x0, x1, y0):
        same[1:] &= edge[1:] == edge[:-1]
    return same


def _near_ones(codes: Ints, x: Floats, y: Floats) -> Ints:
    """Positions of all letters that may have the same letter within reach, and of a few that have not, in order.

    Sorted by letter, row and place, letters within reach are neighbours; the second pass has its rows half a row lower,
    so that no two letters are parted by the edge of a row in both.
    """
    found = np.zeros(len(codes), np.bool_)
    place = _bounded(x * _STEPS)
    for shift in (0.0, 0.5):
        keys = (codes << 42) | (_bounded(y * _ROWS + shift) << 21) | place
        if (np.diff(np.sort(keys)) > _TWICE * _STEPS + 1).all():  # nearly always, and told in half the time
            continue
        order = np.argsort(keys)
        close = np.flatnonzero(np.diff(keys[order]) <= _TWICE * _STEPS + 1)
        found[order[close]] = True
        found[order[close + 1]] = True
    return np.flatnonzero(found)


def _bounded(cells: Floats) -> Ints:
    low = np.floor(np.clip(np.nan_to_num(cells), 1 - _FIELD, _FIELD - 1))
    return low.astype(np.int64) + _FIELD


def _is_taken(seen: _Seen, code: int, x: float, y: float) -> bool:
    for column in _near(x):
        for row in _near(y):
            for there_x, there_y in seen.get((code, column, row), ()):
                if abs(there_x - x) < _TWICE and abs(there_y - y) < _TWICE:
                    return True
    return False


def _near(place: float) -> tuple[int, ...]:
    """Cells of side 1 that lie within reach of a place."""
    cell = floor(place)
    part = place - cell
    return (cell, cell - 1) if part < _TWICE else (cell, cell + 1) if part > 1 - _TWICE else (cell,)
