"""Places on a page, as fractions of the page as displayed.

Origin top-left, x to the right, y downwards, 0–1; crop box and rotation are already applied by the readers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A corner, in fractions of the page."""

    x: float
    y: float


Quad = tuple[Point, Point, Point, Point]
"""Four corners, clockwise from the top-left one."""


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle: `x0 <= x1`, `y0 <= y1`, fractions of the page."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Fraction of the page's width."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Fraction of the page's height."""
        return self.y1 - self.y0

    @property
    def center(self) -> Point:
        """The middle."""
        return Point((self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2)

    def quad(self) -> Quad:
        """The four corners on the wire, rounded to four decimals."""
        x0, y0, x1, y1 = (round(v, 4) for v in (self.x0, self.y0, self.x1, self.y1))
        return (Point(x0, y0), Point(x1, y0), Point(x1, y1), Point(x0, y1))

    def intersection(self, other: Box) -> float:
        """Shared area, 0 when the boxes do not meet."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(0.0, width) * max(0.0, height)

    def overlap(self, other: Box) -> float:
        """Intersection over union, 0–1."""
        shared = self.intersection(other)
        union = self.width * self.height + other.width * other.height - shared
        return shared / union if union > 0 else 0.0

    def contains(self, point: Point) -> bool:
        """Whether the point lies inside or on the edge."""
        return self.x0 <= point.x <= self.x1 and self.y0 <= point.y <= self.y1


def turn_quad(quad: Quad, quarters: int) -> Quad:
    """Where four corners lie after their page is turned clockwise by so many quarters."""
    for _ in range(quarters % 4):
        quad = tuple(Point(round(1 - quad[n].y, 4), quad[n].x) for n in (3, 0, 1, 2))  # pyright: ignore[reportAssignmentType] - four of four
    return quad


def union_box(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them.

    Raises:
        ValueError: there is no box.
    """
    found = tuple(boxes)
    if not found:
        raise ValueError("union of no boxes")
    return Box(min(b.x0 for b in found), min(b.y0 for b in found), max(b.x1 for b in found), max(b.y1 for b in found))


def quad_box(quad: Quad) -> Box:
    """The upright rectangle around a quadrilateral."""
    xs, ys = [p.x for p in quad], [p.y for p in quad]
    return Box(min(xs), min(ys), max(xs), max(ys))
