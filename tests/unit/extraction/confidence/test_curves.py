"""What a model's probabilities mean, from reviews: held to what is known, rising, and right in the long run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.judgements import Curve, Tally
from service.extraction.confidence.curves import FEWEST, fit_curve

CHANCES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98)


def reviews(count: int, meant: float) -> list[Tally]:
    """Values told with some chances, and right so many times as often as told."""
    each = count / len(CHANCES)
    return [
        Tally(
            field="/a",
            called="low",
            band=min(9, int(chance * 10)),
            looked_at=round(each),
            right=round(each * chance * meant),
            told=chance * round(each),
        )
        for chance in CHANCES
    ]


def untold(right: int, count: int) -> list[Tally]:
    """Values of a model that tells nothing."""
    return [Tally(field="/a", called="low", band=-1, looked_at=count, right=right)]


def test_too_few_reviews_change_nothing() -> None:
    """And nothing is made up for a model that tells no probability."""
    curve = fit_curve([*reviews(FEWEST - 5, 0.5), *untold(10, FEWEST - 1)], reviews(500, 0.5))
    assert curve == Curve()
    assert not curve.tells
    assert (curve.chance_of(0.83, "low"), curve.chance_of(None, "low")) == (0.83, None)


@pytest.mark.parametrize("meant", [0.6, 0.85, 1.0])
def test_many_reviews_are_believed(meant: float) -> None:
    """Whatever other schemas say: the mean of what is told comes to what was right."""
    seen = reviews(4000, meant)
    curve = fit_curve(seen, reviews(300, 0.3))
    told = sum((curve.chance_of((t.told or 0) / t.looked_at, "low") or 0.0) * t.looked_at for t in seen)
    assert told == pytest.approx(sum(t.right for t in seen), rel=0.03)
    assert curve.reviewed == sum(t.looked_at for t in seen)


def test_few_reviews_are_held_to_what_other_schemas_say() -> None:
    """Between what is told and what few saw."""
    few, wide = reviews(FEWEST + 5, 0.6), reviews(2000, 0.6)
    alone, held = (fit_curve(few, others).chance_of(0.9, "low") or 0.0 for others in ([], wide))
    assert abs(held - 0.54) < abs(alone - 0.54) < abs(0.9 - 0.54)


def test_a_model_that_tells_nothing_is_given_what_reviews_say() -> None:
    """Held to the same model's other schemas."""
    curve = fit_curve(untold(90, 100), [])
    assert curve.chance_of(None, "low") == pytest.approx(0.9)
    assert curve.chance_of(None, "high") is None
    held = fit_curve(untold(90, 100), untold(300, 1000)).chance_of(None, "low") or 0.0
    assert 0.7 < held < 0.9


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 200), st.floats(0, 1)), min_size=1, max_size=30))
def test_what_was_told_to_be_likelier_stays_so(rows: list[tuple[int, int, float]]) -> None:
    """Whatever people found, also nonsense."""
    seen = [
        Tally(field="/a", called="low", band=band, looked_at=count, right=round(count * share))
        for band, count, share in rows
    ]
    curve = fit_curve(seen, seen[:3])
    chances = [curve.chance_of(n / 20, "low") or 0.0 for n in range(21)]
    assert chances == sorted(chances)
    assert all(0 <= chance <= 1 for chance in chances)


def test_probabilities_that_mean_the_contrary_come_to_what_was_right() -> None:
    """In the mean, though what was told to be likelier stays so."""
    seen = [
        Tally(field="/a", called="low", band=1, looked_at=200, right=190, told=30.0),
        Tally(field="/a", called="high", band=9, looked_at=2000, right=600, told=1900.0),
    ]
    curve = fit_curve(seen, [])
    low, high = (curve.chance_of(told, "low") or 0.0 for told in (0.15, 0.95))
    assert low <= high
    assert (200 * low + 2000 * high) / 2200 == pytest.approx(790 / 2200, abs=0.02)
