"""Where the files of a batch stand, counted while it runs."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from service.cli.batch.entries import Work, WorkState

_WINDOW_S = 120.0
"""The rate is that of so long a time."""


@dataclass(slots=True)
class Tally:
    """Where files stand while the batch runs, and how quickly they get there."""

    found: int = 0
    succeeded: int = 0
    partial: int = 0
    failed: int = 0
    duplicate: int = 0
    unrouted: int = 0
    ignored: int = 0
    earlier: int = 0
    """Of those: done by an earlier run."""
    doubtful: int = 0
    pages: int = 0
    """Of files that were done in this run."""
    tokens: int = 0
    cost: float = 0.0
    in_work: int = 0
    done_here: int = 0
    """Files that were worked on, and not only looked at, in this run."""
    failed_here: int = 0
    _recent: deque[tuple[float, int, int]] = field(default_factory=deque[tuple[float, int, int]])
    """Moments, with files and pages done until then."""

    @property
    def ended(self) -> int:
        """Files of which it is known how they ended."""
        return self.succeeded + self.partial + self.failed + self.duplicate + self.unrouted + self.ignored

    def count_earlier(self, work: Work) -> None:
        """A content that an earlier run ended."""
        self.earlier += 1
        self._count(work)

    def count_ended(self, work: Work) -> None:
        """A content whose work has just ended."""
        self.done_here += 1
        self.failed_here += work.state is WorkState.FAILED
        self.pages += work.pages
        self._count(work)

    def _count(self, work: Work) -> None:
        """Doubtful is what has a result to look at, as in the books."""
        setattr(self, work.state.value, getattr(self, work.state.value) + 1)
        self.doubtful += work.doubtful and work.state.has_result
        self.tokens += work.tokens
        self.cost += work.cost or 0.0

    def rates(self, now: float) -> tuple[float, float]:
        """Files and pages a minute, of late; `now` is monotonic seconds."""
        self._recent.append((now, self.done_here, self.pages))
        while now - self._recent[0][0] > _WINDOW_S:
            self._recent.popleft()
        since, files, pages = self._recent[0]
        minutes = max(now - since, 1e-9) / 60
        return (self.done_here - files) / minutes, (self.pages - pages) / minutes

    def remaining_s(self, files_a_minute: float) -> float | None:
        """Seconds until the last file, at that rate; None while nothing is known."""
        left = self.found - self.ended
        return left / files_a_minute * 60 if files_a_minute > 0 else None
