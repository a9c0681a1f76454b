"""How far two things on a page stand over each other."""

from __future__ import annotations

from typing import Protocol


class Across(Protocol):
    """Something with a left and a right edge, points or fractions of the page."""

    @property
    def x0(self) -> float:
        """Left edge."""
        ...

    @property
    def x1(self) -> float:
        """Right edge."""
        ...


def shared_width(one: Across, other: Across) -> float:
    """What two things share from left to right, in their unit; below 0 it is the gap between them."""
    return min(one.x1, other.x1) - max(one.x0, other.x0)
