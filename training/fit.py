"""Boosted trees from examples, and the two lines that are drawn on their scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from service.domain.shares import Share
from service.embedded.evidence.families import FAMILIES
from service.embedded.evidence.features import NAMES
from service.embedded.evidence.trees import Forest
from training.examples import Examples
from training.forest import forest_of

RISING = frozenset({"score", "firm", "lead", "label", "least certain", "all certain", "legible", "agreeing", "concept",
                    "row certain", "certain rows", "row proven", "proven rows", "header", "+product",
                    "sum is total", "beside total", "row full", "order told", "role fits", "summed",
                    "adds to", "roads", "row runs", "free lead",
                    "period fits", "terms fit", "after payment", "tendered", "closes"})  # fmt: skip
"""Inputs of which more never makes a value less likely: what the trees may not unlearn from chance."""
FALLING = frozenset(
    {
        "close rivals",
        "rivals",
        "doubtful words",
        "narrowed",
        "claimed",
        "sums up",
        "brackets",
        "trimmed",
        "part of rival",
        "label says other",
        "role broken",
        "look-alikes",
        "odd signs",
    }
)
REAL_WEIGHT = 8.0
"""What an example of a real document weighs against an invented one."""
KNOTS = 64
LEAST = 0.98
"""How often `high` values must be right: among invented ones, in the mean of invented and real ones, and with 95 %
among both as one."""
LEAST_CHANCE, MOST_CHANCE = 0.01, 0.995
START = np.array([0.0, 1.0])
"""Shift and slope of the line of odds that changes nothing: a score is the log odds among what was learned from."""
HOLD = 0.001
"""How much the line holds to that; all examples of a family together weigh 1 or 2."""
LEAST_SLOPE = 0.1
ROUNDS, MOST_STEP, TINY = 60, 1.0, 1e-12
FEWEST = 50
"""Values that a line must rest on; a part with fewer has no say."""
FEWEST_ABOVE = 25
"""Values of each part that lie above a line."""
FOLDS = 4
WORTH = 0.15
"""Chance from which a guess is worth more than an empty field. Half the F1 that the rules reach would be 0.4, but texts
of a kind that was not trained on are righter than they look: 0.35 emptied receipts of good addresses, 0.25 forms of
good texts."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Size:
    """How much is learned."""

    trees: int = 200
    leaves: int = 12
    least: int = 80
    """Examples in a leaf."""
    rate: float = 0.05
    groves: int = 6
    """So many times as many trees are grown, each from a seed of its own, and their mean is taken: one seed alone moves
    the line of `high` amounts by a third."""


def train(examples: Examples, real: frozenset[str], size: Size, *, seed: int) -> Forest:
    """Trees that tell right values from wrong ones; the same for the same seed."""
    return forest_of([grow(examples, real, size, seed=seed + number) for number in range(size.groves)])


def grow(examples: Examples, real: frozenset[str], size: Size, *, seed: int) -> lightgbm.Booster:
    """One grove of such trees, as the trainer holds it."""
    weight = np.where(np.isin(examples.group, list(real)), REAL_WEIGHT, 1.0)
    constraints = [1 if name in RISING else -1 if name in FALLING else 0 for name in NAMES]
    parameters: dict[str, Any] = {
        "objective": "binary", "learning_rate": size.rate, "num_leaves": size.leaves, "min_data_in_leaf": size.least,
        "feature_fraction": 0.6, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5.0,
        "monotone_constraints": constraints, "seed": seed, "deterministic": True, "force_row_wise": True,
        "num_threads": 1, "verbose": -1, "max_bin": 127,
    }  # fmt: skip
    data = lightgbm.Dataset(
        examples.table,
        examples.right.astype(np.float64),
        weight=weight,
        feature_name=[f"f{i}" for i in range(len(NAMES))],
    )
    return lightgbm.train(parameters, data, num_boost_round=size.trees)


def left_out_scores(examples: Examples, real: frozenset[str], size: Size, *, seed: int) -> Floats:
    """The score of every example by trees that never saw its set, or of an invented one its document."""
    scores = np.zeros(len(examples))
    kept = np.isin(examples.group, list(real))
    folds = np.where(kept, examples.group, np.array([f"fold {n % FOLDS}" for n in examples.document], str))
    for fold in sorted(set(folds.tolist())):
        own = folds == fold
        forest = train(examples.where(~own), real, size, seed=seed)
        scores[own] = forest.scores(examples.table[own])
    return scores


def with_lines(forest: Forest, examples: Examples, scores: Floats, real: frozenset[str]) -> Forest:
    """The trees with what their scores mean, family by family, by the scores of what was left out.

    Real documents count as much as invented ones, however few they are.
    """
    told = [_meaning(examples, scores, examples.family == number, real) for number in range(len(FAMILIES))]
    return replace(
        forest,
        score=np.array([score for score, _, _ in told]),
        chance=np.array([chance for _, chance, _ in told]),
        high=np.array([high for _, _, high in told]),
        floor=WORTH,
    )


def _meaning(
    examples: Examples, scores: Floats, chosen: NDArray[np.bool_], real: frozenset[str]
) -> tuple[Floats, Floats, float]:
    """Some scores, the chance at each, and the line of `high`; infinite where nothing proves one."""
    known, score = examples.where(chosen), scores[chosen]
    if not len(known):
        return np.zeros(KNOTS), np.full(KNOTS, 0.5), np.inf
    shift, slope = _line_of_odds(score, known.right, _balance(known, real))
    places = np.linspace(score.min(), score.max(), KNOTS)
    high = max(_proven_line(known.right, score), _even_line(known, score, real)) if _is_known(known, real) else np.inf
    return places, np.clip(_chance(shift + slope * places), LEAST_CHANCE, MOST_CHANCE), high


def _line_of_odds(scores: Floats, right: NDArray[np.bool_], weights: Floats) -> tuple[float, float]:
    """Shift and slope of the line from scores to the log odds that the values are right (Newton's method).

    A curve that is free to bend followed two wrong values of the few real ones through a tenth of a family.
    """
    inputs = np.stack([np.ones(len(scores)), scores], axis=1)
    line = START.copy()
    for _ in range(ROUNDS):
        chance = _chance(inputs @ line)
        pull = inputs.T @ (weights * (chance - right)) + HOLD * (line - START)
        bend = (inputs * (weights * chance * (1 - chance))[:, None]).T @ inputs + HOLD * np.eye(2)
        step = np.linalg.solve(bend, pull)
        line = line - step * min(1.0, MOST_STEP / max(np.abs(step).max(), TINY))
        line[1] = max(line[1], LEAST_SLOPE)
    return float(line[0]), float(line[1])


def _chance(odds: Floats) -> Floats:
    """Of log odds."""
    return 1 / (1 + np.exp(-odds))


def _is_known(examples: Examples, real: frozenset[str]) -> bool:
    """Whether enough real examples stand for it, where there are any at all: invented ones prove nothing alone."""
    return not real or int(np.isin(examples.group, list(real)).sum()) >= FEWEST


def _parts(examples: Examples, real: frozenset[str]) -> tuple[NDArray[np.bool_], ...]:
    """Invented and real examples apart; all together where there are too few real ones."""
    own = np.isin(examples.group, list(real))
    return (~own, own) if own.sum() >= FEWEST else (np.ones(len(own), bool),)


def _balance(examples: Examples, real: frozenset[str]) -> Floats:
    weights = np.zeros(len(examples))
    for own in _parts(examples, real):
        weights[own] = 1.0 / own.sum()
    return weights


def _even_line(examples: Examples, scores: Floats, real: frozenset[str]) -> float:
    """The lowest score from which on enough values are right among invented ones, and on the mean of both kinds.

    Of real ones alone there are so few that a handful of wrong ones would move it by half of the values.
    """
    order = np.argsort(-scores, kind="stable")
    shares: list[Floats] = []
    for own in _parts(examples, real):
        kept = own[order]
        count = np.cumsum(kept)
        share = np.cumsum(kept & examples.right[order]) / np.maximum(1, count)
        shares.append(np.where(count >= FEWEST_ABOVE, share, 0.0))
    enough = np.nonzero((shares[0] >= LEAST) & (np.mean(shares, axis=0) >= LEAST))[0]
    return float(scores[order[enough[-1]]]) if len(enough) else np.inf


def _proven_line(right: NDArray[np.bool_], scores: Floats) -> float:
    """The lowest score from which on so many are right that chance is ruled out (95 %)."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(right[order]).tolist()
    proven = [n >= FEWEST and Share(hit, n).least >= LEAST for n, hit in enumerate(hits, start=1)]
    enough = np.nonzero(np.array(proven))[0]
    return float(scores[order[enough[-1]]]) if len(enough) else np.inf
