"""Batches: jobs that were handed in together, so that they can be counted, ended and fetched together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from service.domain.records import JsonObject


class BatchState(StrEnum):
    """Where a batch stands."""

    OPEN = "open"
    """Takes jobs."""
    CLOSED = "closed"
    """Takes no more; some of its jobs are not over yet."""
    FINISHED = "finished"
    """Closed, and every job is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Jobs that belong together. Times are Unix seconds."""

    id: str
    tenant_id: str
    name: str
    external_id: str | None
    metadata: JsonObject
    defaults: JsonObject
    """Options of a job, as a caller writes them, that hold for every job that says nothing else."""
    created_at: float
    created_by: str
    closed_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedEntry:
    """A file of an archive that no job could be made of."""

    path: str
    """Inside the archive."""
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCounts:
    """The books of a batch: `total` is the sum of `jobs`, `deleted` and `refused`."""

    jobs: Mapping[str, int] = field(default_factory=dict[str, int])
    """Status → how many."""
    review: Mapping[str, int] = field(default_factory=dict[str, int])
    """Review state → how many."""
    pages: int = 0
    """Of the files that are open."""
    deleted: int = 0
    refused: int = 0

    @property
    def total(self) -> int:
        """Every file that was handed in."""
        return sum(self.jobs.values()) + self.deleted + self.refused
