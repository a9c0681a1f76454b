"""Boosted trees that were trained elsewhere, read from a file and evaluated by NumPy alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WEIGHTS = "data/confidence.npz"
_AT_ONCE = 2000
"""Rows that are evaluated together."""
Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Forest:
    """Trees as flat lists of nodes, and what their sum means."""

    features: tuple[str, ...]
    """Names of the inputs, in order."""
    feature: Integers
    """Input that a node asks about; -1 for a leaf."""
    limit: Floats
    """A node goes left up to this value, right above it; a leaf's output."""
    left: Integers
    right: Integers
    missing_left: NDArray[np.bool_]
    """Whether a missing input goes left."""
    roots: Integers
    score: Floats
    """By family: sums of outputs at which the chance is known, rising."""
    chance: Floats
    """By family: how often values of such a score were right on kinds of documents that were not trained on."""
    high: Floats
    """By family: score from which a value is `high`."""
    floor: float
    """Chance below which nothing is filled rather than a guess."""

    def scores(self, table: Floats) -> Floats:
        """The sum of all trees for each row of inputs; NaN is missing."""
        parts = [self._scores(table[start : start + _AT_ONCE]) for start in range(0, len(table), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def chance_of(self, score: float, family: int) -> float:
        """The chance that a value is right, 0–1."""
        return float(np.interp(score, self.score[family], self.chance[family]))

    def _scores(self, table: Floats) -> Floats:
        at = np.repeat(self.roots[None, :], len(table), axis=0)
        rows = np.arange(len(table))[:, None]
        while True:
            asked = self.feature[at]
            if not (inner := asked >= 0).any():
                return self.limit[at].sum(axis=1)
            values = table[rows, np.maximum(asked, 0)]
            leftwards = np.where(np.isnan(values), self.missing_left[at], values <= self.limit[at])
            at = np.where(inner, np.where(leftwards, self.left[at], self.right[at]), at)


def read_forest(path: Path) -> Forest:
    """Trees from a file, as `write_forest` of the training writes it.

    Raises:
        OSError: there is no such file.
    """
    with np.load(path, allow_pickle=False) as held:
        return Forest(
            features=tuple(str(name) for name in held["features"]),
            feature=held["feature"].astype(np.int32),
            limit=held["limit"],
            left=held["left"].astype(np.int32),
            right=held["right"].astype(np.int32),
            missing_left=held["missing_left"],
            roots=held["roots"].astype(np.int32),
            score=held["score"],
            chance=held["chance"],
            high=held["high"],
            floor=float(held["floor"]),
        )


@lru_cache(maxsize=1)
def shipped() -> Forest:
    """The trees inside the package, read once a process."""
    with as_file(files("service.embedded").joinpath(WEIGHTS)) as path:
        return read_forest(path)
