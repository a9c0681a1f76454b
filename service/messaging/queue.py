"""What every task queue is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from service.domain.jobs import Priority, QueueName


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """One message: steps that one worker of a queue is asked to look at."""

    queue: QueueName
    priority: Priority
    step_ids: tuple[str, ...]


class TaskQueue(Protocol):
    """Delivers rings to workers, sometimes late, twice or never."""

    def send(self, rings: Sequence[Ring]) -> bool:
        """Send what can be sent; False when the queue could not be reached. Never raises."""
        ...

    def is_reachable(self) -> bool:
        """Whether a ring would be delivered now; asked by probes. Never raises."""
        ...
