"""So many of so many, and what that proves."""

from __future__ import annotations

import math
from dataclasses import dataclass

_Z = 1.96
"""Standard deviations of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Share:
    """`right` of `count`."""

    right: int = 0
    count: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.right + other.right, self.count + other.count)

    @property
    def value(self) -> float | None:
        """0–1; None of nothing."""
        return self.right / self.count if self.count else None

    @property
    def least(self) -> float:
        """The lower end of the 95 % interval (Wilson): what so few prove."""
        return self._end(-1)

    @property
    def most(self) -> float:
        """The upper end of the 95 % interval (Wilson)."""
        return self._end(1)

    def _end(self, sign: int) -> float:
        if not self.count:
            return 0.0 if sign < 0 else 1.0
        share, n = self.right / self.count, self.count
        middle = share + _Z * _Z / (2 * n)
        reach = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
        return min(1.0, max(0.0, (middle + sign * reach) / (1 + _Z * _Z / n)))
