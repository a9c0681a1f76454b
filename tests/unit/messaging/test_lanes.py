"""Where a broker keeps a ring, and who takes it."""

from __future__ import annotations

import pytest

from service.domain.steps import Priority, QueueName
from service.messaging.queue import Ring, lane_of, lanes_of


@pytest.mark.parametrize("queue", QueueName)
@pytest.mark.parametrize("priority", Priority)
def test_every_ring_is_taken_by_some_worker(queue: QueueName, priority: Priority):
    """What computes and can wait by the usual ones alone."""
    lane = lane_of(Ring(queue=queue, priority=priority, step_ids=("a",)))
    assert lane in lanes_of(queue)
    can_wait = queue is QueueName.CPU and priority in (Priority.LOW, Priority.BULK)
    assert (lane in lanes_of(queue, urgent=True)) is not can_wait
