"""Lets a process look less often for objects in loops. Standard library only."""

from __future__ import annotations

import gc

_AFTER = (100_000, 20, 20)


def collect_seldom() -> None:
    """Let the collector of loops look less often, and not at what stays. Call it once the process is ready.

    Requests, pages, answers and records are thousands of small objects without loops; looking for loops at the usual
    rate takes a quarter of a worker's time.
    """
    gc.freeze()
    gc.set_threshold(*_AFTER)
