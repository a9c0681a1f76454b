"""What every task queue is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from service.domain.steps import Priority, QueueName


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """One message: steps that one worker of a queue is asked to look at."""

    queue: QueueName
    priority: Priority
    step_ids: tuple[str, ...]
    shares: bool = False
    """Whether others' steps may come in the same message: these are over in a moment, or wait for what others do."""


RING_GROUP = 4
"""Steps that one message carries: few enough to spread over workers, enough to save messages."""


def bundled(rings: Sequence[Ring]) -> list[Ring]:
    """The same steps in few messages of about one size, each step once and in its order."""
    steps: dict[tuple[QueueName, Priority], dict[str, None]] = {}
    for ring in rings:
        steps.setdefault((ring.queue, ring.priority), {}).update(dict.fromkeys(ring.step_ids))
    return [
        Ring(queue=queue, priority=priority, step_ids=group, shares=True)
        for (queue, priority), ids in steps.items()
        for group in _groups(tuple(ids))
    ]


def _groups(ids: tuple[str, ...]) -> list[tuple[str, ...]]:
    count = -(-len(ids) // RING_GROUP)
    return [ids[len(ids) * n // count : len(ids) * (n + 1) // count] for n in range(count)]


_LATER = "cpu_later"
"""What computes and can wait: batches, and the mass of large jobs."""


def lane_of(ring: Ring) -> str:
    """Where a broker keeps a ring: what can wait lies apart, so that a worker may leave it alone."""
    can_wait = ring.queue is QueueName.CPU and ring.priority >= Priority.LOW
    return _LATER if can_wait else str(ring.queue)


def lanes_of(queue: QueueName, *, urgent: bool = False) -> list[str]:
    """The lanes of a queue, the first one first.

    Args:
        queue: which one.
        urgent: without what can wait.
    """
    return [str(queue), _LATER] if queue is QueueName.CPU and not urgent else [str(queue)]


class TaskQueue(Protocol):
    """Delivers rings to workers, sometimes late, twice or never."""

    def send(self, rings: Sequence[Ring]) -> bool:
        """Send what can be sent; False when the queue could not be reached. Never raises."""
        ...

    def is_reachable(self) -> bool:
        """Whether a ring would be delivered now; asked by probes. Never raises."""
        ...

    def close(self) -> None:
        """Send what still waits, if anything does; the last thing a process does with it. Never raises."""
        ...
