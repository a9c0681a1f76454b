"""What so many of so many prove."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.domain.shares import Share


@given(st.integers(1, 5000), st.floats(0, 1))
def test_the_interval_holds_the_share(count: int, part: float) -> None:
    """And stays between 0 and 1."""
    share = Share(int(count * part), count)
    assert share.value is not None
    assert 0 <= share.least <= share.value + 1e-9
    assert share.value <= share.most + 1e-9 <= 1 + 1e-9


def test_nothing_proves_nothing() -> None:
    """No value, and everything is possible."""
    assert (Share().value, Share().least, Share().most) == (None, 0.0, 1.0)


def test_more_values_prove_more() -> None:
    """The interval narrows."""
    assert Share(98, 100).least < Share(980, 1000).least < 0.98 < Share(980, 1000).most < Share(98, 100).most
