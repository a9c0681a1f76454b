"""From a page's own coordinates to the page as displayed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.documents.frames import PageFrame, clip, rotate_box
from service.domain.geometry import Box

numbers = st.floats(-500, 500)
frames = st.builds(
    lambda left, bottom, width, height, rotation, unit: PageFrame(
        left=left, bottom=bottom, right=left + width, top=bottom + height, rotation=rotation, user_unit=unit
    ),
    numbers, numbers, st.floats(10, 2000), st.floats(10, 2000), st.sampled_from((0, 90, 180, 270)), st.floats(0.1, 10),
)  # fmt: skip


@given(frames, st.floats(0, 1), st.floats(0, 1))
def test_what_is_shown_lies_within_the_page(frame: PageFrame, u: float, v: float) -> None:
    """Any origin, rotation and unit: the shown part is exactly 0–1."""
    x, y = frame.left + u * (frame.right - frame.left), frame.bottom + v * (frame.top - frame.bottom)
    point = frame.point(x, y)
    assert -1e-9 <= point.x <= 1 + 1e-9
    assert -1e-9 <= point.y <= 1 + 1e-9


@given(frames, numbers, numbers)
def test_the_matrix_says_the_same_in_points(frame: PageFrame, x: float, y: float) -> None:
    """Both ways to a displayed place agree."""
    a, b, c, d, e, f = frame.to_points()
    point = frame.point(x, y)
    assert a * x + c * y + e == pytest.approx(point.x * frame.width, abs=1e-4)
    assert b * x + d * y + f == pytest.approx(point.y * frame.height, abs=1e-4)


def test_turning_a_page_clockwise_moves_its_head_to_the_right() -> None:
    """Top-left goes to top-right."""
    frame = PageFrame(left=0, bottom=0, right=100, top=200, rotation=90)
    assert frame.box(0, 190, 10, 200) == Box(0.95, 0.0, 1.0, 0.1)
    assert rotate_box(Box(0.0, 0.0, 0.1, 0.05), 1) == Box(0.95, 0.0, 1.0, 0.1)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(-8, 8))
def test_turning_back_gives_the_box_back(x: float, y: float, turns: int) -> None:
    """Any number of quarters and back."""
    box = Box(min(x, y), 0.2, max(x, y), 0.7)
    back = rotate_box(rotate_box(box, turns), -turns)
    assert (back.x0, back.y0, back.x1, back.y1) == pytest.approx((box.x0, box.y0, box.x1, box.y1))


def test_clipping_keeps_what_is_on_the_page() -> None:
    """Nothing is left of a box beside the page."""
    assert clip(Box(-0.5, 0.2, 0.5, 1.4)) == Box(0.0, 0.2, 0.5, 1.0)
    assert clip(Box(1.1, 0.2, 1.5, 0.4)) is None
