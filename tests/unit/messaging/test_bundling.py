"""Every step that is rung for reaches the broker once, in few messages, and nobody is told more than is true."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from service.domain.steps import Priority, QueueName
from service.messaging.bundling import BundlingQueue
from service.messaging.queue import RING_GROUP, Ring, bundled


class Broker:
    """A `TaskQueue` that keeps its messages; the first one is held up until it may go."""

    def __init__(self) -> None:
        self.messages: list[Ring] = []
        self.is_up = True
        self.crashes = False
        self.first, self.go_on = threading.Event(), threading.Event()

    def send(self, rings: Sequence[Ring]) -> bool:
        """Keep them, if it is up."""
        self.first.set()
        assert self.go_on.wait(60)
        if self.crashes:
            self.crashes = False
            raise RuntimeError("a fault of the broker's client")
        if self.is_up:
            self.messages += rings
        return self.is_up

    def is_reachable(self) -> bool:
        """Whether it is up."""
        return self.is_up

    def close(self) -> None:
        """Nothing waits."""


def _upload(number: int) -> Ring:
    return Ring(queue=QueueName.IO, priority=Priority.NORMAL, step_ids=(f"step_{number}",), shares=True)


@given(
    st.lists(
        st.builds(
            Ring,
            queue=st.sampled_from(QueueName),
            priority=st.sampled_from(Priority),
            step_ids=st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=20, unique=True).map(tuple),
            shares=st.just(True),
        ),
        max_size=20,
    )
)
def test_a_bundle_has_each_step_once_in_its_queue_and_lane(rings: list[Ring]) -> None:
    """In messages that are short, and none of which could be saved."""
    made = bundled(rings)
    for lane in {(ring.queue, ring.priority) for ring in rings}:
        asked = [step for ring in rings if (ring.queue, ring.priority) == lane for step in ring.step_ids]
        groups = [ring.step_ids for ring in made if (ring.queue, ring.priority) == lane]
        assert [step for group in groups for step in group] == list(dict.fromkeys(asked))
        assert all(0 < len(group) <= RING_GROUP for group in groups)
        assert len(groups) == -(-len(set(asked)) // RING_GROUP)
    assert {(ring.queue, ring.priority) for ring in made} == {(ring.queue, ring.priority) for ring in rings}


def test_what_is_rung_while_a_message_goes_out_goes_together() -> None:
    """A lone one goes at once, and whoever closes the queue sends what waits."""
    broker = Broker()
    queue = BundlingQueue(broker)
    assert queue.send([_upload(0)])
    assert broker.first.wait(60)
    for number in range(1, 1 + RING_GROUP):
        assert queue.send([_upload(number)])
    broker.go_on.set()
    queue.close()
    sent = [message.step_ids for message in broker.messages]
    assert sent == [("step_0",), tuple(f"step_{n}" for n in range(1, 1 + RING_GROUP))]


def test_what_takes_long_has_a_message_of_its_own_at_once() -> None:
    """Reading the pages of one file must not wait in a worker for those of another."""
    broker = Broker()
    broker.go_on.set()
    queue = BundlingQueue(broker)
    readings = [Ring(queue=QueueName.CPU, priority=Priority.NORMAL, step_ids=(f"step_{n}",)) for n in range(3)]
    assert queue.send(readings)
    assert broker.messages == readings
    queue.close()


def test_callers_are_told_that_the_broker_is_away_until_it_is_back() -> None:
    """The sweeper counts as rung only what was sent; afterwards rings wait for one another again."""
    broker = Broker()
    broker.go_on.set()
    broker.is_up = False
    queue = BundlingQueue(broker)
    assert not queue.send([Ring(queue=QueueName.CPU, priority=Priority.NORMAL, step_ids=("step_read",))])
    assert not queue.send([_upload(1)])
    broker.is_up = True
    assert queue.send([_upload(2)])
    assert [message.step_ids for message in broker.messages] == [("step_2",)]
    queue.close()
    assert queue.send([_upload(3)])
    assert broker.messages[-1].step_ids == ("step_3",)


def test_a_crash_while_a_message_goes_out_costs_no_later_one() -> None:
    """The sweeper rings again for what was lost; what is rung meanwhile and afterwards goes out."""
    broker = Broker()
    broker.crashes = True
    queue = BundlingQueue(broker)
    assert queue.send([_upload(0)])
    assert broker.first.wait(60)
    assert queue.send([_upload(1)])
    broker.go_on.set()
    queue.close()
    assert [message.step_ids for message in broker.messages] == [("step_1",)]
