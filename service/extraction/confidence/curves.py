"""What a model's probabilities mean, learned from reviews: a line through the log odds, held back by what is known."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from service.domain.judgements import Curve, Tally, log_odds, odds_to_chance
from service.domain.shares import Share

FEWEST = 50
"""Values that people looked at before anything is said of a schema."""
_HOLD = 20.0
"""How much the line holds to the one it starts from: so much as eighty values with even odds pull at it."""
_LEAST_SLOPE = 0.1
"""What was told to be likelier stays so."""
_STEPS = 50
_ENOUGH = 1e-6
_MOST_STEP = 2.0
_BANDS = 10
_Points = list[tuple[float, Share]]
"""Log odds of what was told, and how many were right."""


def fit_curve(tallies: Sequence[Tally], others: Sequence[Tally]) -> Curve:
    """The curve of one model on one schema; one that changes nothing, where too little was looked at.

    Args:
        tallies: of documents of that schema.
        others: of the same model on other schemas: what is taken to be so until the schema's own reviews differ.
    """
    points = _points(tallies)
    reviewed = sum(share.count for _, share in points)
    slope, shift = 1.0, 0.0
    if reviewed >= FEWEST:
        slope, shift = _fit(points, _fit(_points(others), (1.0, 0.0)))
    return Curve(
        slope=slope, shift=shift, reviewed=reviewed if reviewed >= FEWEST else 0, untold=_untold(tallies, others)
    )


def _points(tallies: Sequence[Tally]) -> _Points:
    bands: dict[int, Share] = defaultdict(Share)
    told: dict[int, float] = defaultdict(float)
    for tally in tallies:
        if tally.band >= 0:
            middle = (tally.band + 0.5) / _BANDS * tally.looked_at
            bands[tally.band] += Share(tally.right, tally.looked_at)
            told[tally.band] += middle if tally.told is None else tally.told
    return [(log_odds(told[band] / share.count), share) for band, share in sorted(bands.items()) if share.count]


def _fit(points: _Points, start: tuple[float, float]) -> tuple[float, float]:
    """The likeliest slope and shift, each held to where it starts (Newton's method)."""
    slope, shift = start
    for _ in range(_STEPS):
        by_slope, by_shift = _HOLD * (slope - start[0]), _HOLD * (shift - start[1])
        slope_2, both, shift_2 = _HOLD, 0.0, _HOLD
        for odds, share in points:
            chance = odds_to_chance(slope * odds + shift)
            off, spread = share.count * chance - share.right, share.count * chance * (1 - chance)
            by_slope, by_shift = by_slope + off * odds, by_shift + off
            slope_2, both, shift_2 = slope_2 + spread * odds * odds, both + spread * odds, shift_2 + spread
        whole = slope_2 * shift_2 - both * both
        steps = ((shift_2 * by_slope - both * by_shift) / whole, (slope_2 * by_shift - both * by_slope) / whole)
        if slope == _LEAST_SLOPE and steps[0] > 0:  # it may not fall further; the shift alone goes on
            steps = (0.0, by_shift / shift_2)
        size = math.hypot(*steps)
        held = min(1.0, _MOST_STEP / size) if size else 1.0
        slope, shift = max(_LEAST_SLOPE, slope - held * steps[0]), shift - held * steps[1]
        if size < _ENOUGH:
            break
    return slope, shift


def _untold(tallies: Sequence[Tally], others: Sequence[Tally]) -> Mapping[str, tuple[float, int]]:
    """How often values without a probability are right, held to how often they are on other schemas."""
    own, wide = _shares(tallies), _shares(others)
    found: dict[str, tuple[float, int]] = {}
    for called, share in own.items():
        if share.count >= FEWEST:
            usual = wide.get(called, Share()) + share
            chance = (share.right + FEWEST / 2 * usual.right / usual.count) / (share.count + FEWEST / 2)
            found[called] = (round(chance, 4), share.count)
    return found


def _shares(tallies: Sequence[Tally]) -> Mapping[str, Share]:
    found: dict[str, Share] = defaultdict(Share)
    for tally in tallies:
        if tally.band < 0 and tally.called != "missing":
            found[tally.called] += Share(tally.right, tally.looked_at)
    return found
