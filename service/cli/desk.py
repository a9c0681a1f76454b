"""Where a command hands in its files: a running `serve`, or this process itself. Both look the same from here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from service.domain.jobs import JobStatus, Priority
from service.domain.records import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One file, and what is wanted of it."""

    path: Path
    schema: JsonObject
    model: str | None = None
    """None: the default of whoever does the work."""
    split_documents: bool = False
    pages_per_chunk: int | None = None
    priority: Priority = Priority.NORMAL
    password: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """How a job stands."""

    status: JobStatus
    pages_total: int | None = None
    pages_read: int = 0
    splits_total: int = 0
    splits_done: int = 0
    fault_code: str | None = None
    fault_message: str | None = None


class Desk(Protocol):
    """Takes orders and gives results. Errors are `ServiceError`s, whichever side they come from."""

    where: Literal["here", "serve"]

    def submit(self, order: Order) -> str:
        """Hand in a file; the id of its job."""
        ...

    def look(self, job_id: str) -> JobView:
        """How a job stands."""
        ...

    def result(self, job_id: str) -> JsonObject:
        """The full result of a job whose run is over."""
        ...

    def cancel(self, job_id: str) -> None:
        """End a job; nothing happens if it is over."""
        ...

    def close(self) -> None:
        """Leave nothing running here."""
        ...
