"""What a run gave, as it is stored; a step makes it, a result is read from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.domain.judgements import Curve
from service.domain.pages import Turns
from service.domain.records import Issue, PageCoverage, PageState, Processing, Record, SplitRows, Usage

LOST_PAGES = frozenset({PageState.FAILED, PageState.SKIPPED_LIMIT, PageState.NOT_REACHED, PageState.UNREADABLE})
"""Pages whose values a result may lack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a run gave; immutable, corrections lie over it."""

    records: tuple[Record, ...]
    coverage: tuple[PageCoverage, ...]
    issues: tuple[Issue, ...]
    usage: Usage
    model: str
    processing: tuple[Processing, ...] = ()
    """Who saw which pages, in all runs."""
    splits: tuple[SplitRows, ...] = ()
    """One entry for each split that was answered, in order."""
    demoted: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Record id → pointers of values that the model called `high` and that are `low` all the same."""
    turns: Turns = field(default_factory=dict[int, int])
    """How pages were turned when their words were read: places are on them as they were shown then."""
    curves: Mapping[str, Curve] = field(default_factory=dict[str, Curve])
    """Schema name → what the model's probabilities mean; the records have them as the model told them."""
