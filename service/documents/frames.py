"""From a PDF page's own coordinates to fractions of the page as displayed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from service.domain.geometry import Box, Point
from service.domain.pages import PageSize


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """The part of a PDF page that is shown, and how it is turned.

    Edges in the page's own units, y upwards, after crop box and media box are met; any origin.
    """

    left: float
    bottom: float
    right: float
    top: float
    rotation: int = 0
    """Degrees clockwise: 0, 90, 180 or 270."""
    user_unit: float = 1.0
    """Points a unit of the page stands for."""

    @property
    def turned(self) -> bool:
        """Whether width and height change places."""
        return self.rotation in (90, 270)

    @property
    def width(self) -> float:
        """Points, as displayed."""
        return (self.top - self.bottom if self.turned else self.right - self.left) * self.user_unit

    @property
    def height(self) -> float:
        """Points, as displayed."""
        return (self.right - self.left if self.turned else self.top - self.bottom) * self.user_unit

    def size(self, page: int) -> PageSize:
        """The page's size in the form that leaves this room."""
        return PageSize(page, round(self.width, 2), round(self.height, 2), self.rotation)

    def point(self, x: float, y: float) -> Point:
        """A place in fractions, 0–1 when it is inside the shown part."""
        u = (x - self.left) / (self.right - self.left)
        v = (self.top - y) / (self.top - self.bottom)
        match self.rotation:
            case 90:
                return Point(1 - v, u)
            case 180:
                return Point(1 - u, 1 - v)
            case 270:
                return Point(v, 1 - u)
            case _:
                return Point(u, v)

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        """The upright rectangle around two opposite corners."""
        a, b = self.point(x0, y0), self.point(x1, y1)
        return Box(min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y))

    def to_points(self) -> tuple[float, float, float, float, float, float]:
        """The matrix (a, b, c, d, e, f) that takes a place (x, y) to points of the page as displayed, y downwards.

        The new x is `a * x + c * y + e`, the new y is `b * x + d * y + f`.
        """
        zero, right, up = self.point(0, 0), self.point(1, 0), self.point(0, 1)
        width, height = self.width, self.height
        return (
            (right.x - zero.x) * width,
            (right.y - zero.y) * height,
            (up.x - zero.x) * width,
            (up.y - zero.y) * height,
            zero.x * width,
            zero.y * height,
        )

    def direction(self, a: float, b: float) -> float:
        """The angle at which text with the matrix (a, b, …) runs on the displayed page: degrees clockwise, 0–360."""
        angle = -math.degrees(math.atan2(b, a)) + self.rotation
        return angle % 360


def clip(box: Box) -> Box | None:
    """The part of a box that is on the page; None when nothing of it is."""
    if 0.0 <= box.x0 < box.x1 <= 1.0 and 0.0 <= box.y0 < box.y1 <= 1.0:
        return box
    x0, y0, x1, y1 = max(0.0, box.x0), max(0.0, box.y0), min(1.0, box.x1), min(1.0, box.y1)
    return Box(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def rotate_box(box: Box, quarter_turns: int) -> Box:
    """Where a box lies after its page is turned clockwise by so many quarters."""
    for _ in range(quarter_turns % 4):
        box = Box(1 - box.y1, box.x0, 1 - box.y0, box.x1)
    return box
