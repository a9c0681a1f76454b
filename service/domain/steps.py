"""Steps: the pieces of a job's run, and the only thing that workers claim.

Opening the file, reading page ranges, finding document boundaries, extracting splits, merging.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from service.domain.traffic import Waiting


class Priority(IntEnum):
    """Lanes of the queues; a lower number goes first."""

    HIGH = 0
    NORMAL = 3
    LOW = 6
    BULK = 9

    def lane_of(self, ordinal: int) -> Priority:
        """The lane of one step: the mass of a large job goes a lane lower, so that a small one passes it."""
        return Priority(min(self + 3, Priority.BULK)) if ordinal >= FIRST_STEPS else self


FIRST_STEPS = 4
"""Steps of a kind that go in the job's own lane."""


class QueueName(StrEnum):
    """`cpu` reads, merges and runs the embedded model; `io` waits for models elsewhere."""

    CPU = "cpu"
    IO = "io"


class StepKind(StrEnum):
    """What a step does; in this order they are the pipeline."""

    OPEN = "open"
    READ = "read"
    PLAN = "plan"
    """Finds the documents inside the file (`split_documents`) and which of several schemas each has."""
    EXTRACT = "extract"
    MERGE = "merge"


class StepState(StrEnum):
    """Where a step stands; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        """Whether nobody will work on it any more."""
        return self not in (StepState.QUEUED, StepState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a step or job failed, fit for a caller."""

    code: str
    message: str
    retryable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A piece of a run that one worker does at a time. Times are Unix seconds."""

    id: str
    job_id: str
    tenant_id: str
    run: int
    kind: StepKind
    ordinal: int
    """Unique within its run and kind; for planned extract steps the 0-based index of the chunk."""
    pages: tuple[int, ...] = ()
    """1-based pages of the file it covers."""
    document: int = 0
    """0-based index of the document the pages belong to (extract steps)."""
    fields: tuple[str, ...] = ()
    """Properties of the schema's root that are asked for (extract steps); empty: all."""
    queue: QueueName = QueueName.CPU
    priority: Priority = Priority.NORMAL
    state: StepState = StepState.QUEUED
    version: int = 0
    """Grows with each change; the compare of compare-and-set."""
    owner: str | None = None
    attempt: int = 0
    lease_until: float = 0.0
    not_before: float = 0.0
    rung_at: float = 0.0
    """When a message for it was last sent."""
    fault: Fault | None = None
    waiting: Waiting | None = None
    """Why it was put back, until it is claimed again; what a later wait must know of an earlier one stays."""
    created_at: float = 0.0
    started_at: float | None = None
    finished_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTally:
    """How many steps of one kind stand where."""

    open: int = 0
    """Queued or running."""
    done: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All but the cancelled ones."""
        return self.open + self.done + self.failed


Tallies = Mapping[StepKind, StepTally]
