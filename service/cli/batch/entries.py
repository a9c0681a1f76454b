"""What a batch knows of a file that it found, and of the work on a content."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PathState(StrEnum):
    """Where a file that was found stands."""

    ARRIVING = "arriving"
    """It is still being written."""
    WAITING = "waiting"
    """Nothing was done with it yet in this run."""
    TAKEN = "taken"
    """It is in the hands of the work on its content."""
    SETTLED = "settled"
    """That work is over, and all that follows from it is done."""
    IGNORED = "ignored"
    """Of no kind that is read."""
    FAILED = "failed"
    """It cannot be read from the disk."""


class WorkState(StrEnum):
    """Where the work on one content stands."""

    OPEN = "open"
    """Handed in, or about to be; its job may still run, or wait for the next start."""
    SUCCEEDED = "succeeded"
    PARTIAL = "partial"
    FAILED = "failed"
    UNROUTED = "unrouted"
    """None of the schemas fits it."""

    @property
    def has_result(self) -> bool:
        """Whether there are values to keep."""
        return self in (WorkState.SUCCEEDED, WorkState.PARTIAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPath:
    """A file that was found. Names are bytes: not every name of a file system is text."""

    label: bytes
    """Names it in books and results: its path, or, where a moved file had that, the path with a number."""
    path: bytes
    """Relative to the folder that is looked through."""
    size: int
    mtime_ns: int
    noted_at: float
    run: int
    state: PathState
    digest: bytes | None = None
    """SHA-256 of its content, once that is known."""
    code: str | None = None
    message: str | None = None
    moved_to: str | None = None
    """Where `--done-dir` or `--failed-dir` put it."""
    written: str | None = None
    """Which result lies under its name: that of which job, in which format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work on one content."""

    digest: bytes
    label: bytes
    """Of the file whose content was handed in; others with this content are its duplicates."""
    run: int
    """The last run that did something for it."""
    state: WorkState
    made: str
    """Schema, model, options and engine, as JSON."""
    desk: str
    """Who has the job."""
    submit_key: str
    """Handing in again under it makes no second job."""
    job_id: str | None = None
    pages: int = 0
    doubtful: bool = False
    """Whether a person should look at it."""
    tokens: int = 0
    cost: float | None = None
    """By the price table of whoever does the work; None: the model has no price."""
    schema: str | None = None
    """Of its records; several with commas between."""
    code: str | None = None
    message: str | None = None


def shown(name: bytes) -> str:
    """A name as text for books, tables and people."""
    return name.decode("utf-8", "replace")
