"""Rings inside one process, without a broker: for `fieldmark extract`, where no Redis is to be had, and in tests."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from service.domain.steps import QueueName
from service.messaging.queue import Ring

_Waiting = queue.PriorityQueue[tuple[int, int, Ring | None]]
_FIRST = -1


class InlineQueue:
    """A `TaskQueue` with its own worker threads; urgent rings first.

    Args:
        threads: how many work on each queue.
    """

    def __init__(self, threads: Mapping[QueueName, int]) -> None:
        self._threads = dict(threads)
        self._waiting: dict[QueueName, _Waiting] = {name: queue.PriorityQueue() for name in threads}
        self._order = itertools.count()
        self._workers: list[threading.Thread] = []

    def start(self, run: Callable[[Ring], None]) -> None:
        """Start the workers; `run` must not raise."""
        for name, count in self._threads.items():
            for number in range(count):
                worker = threading.Thread(
                    target=self._work, args=(self._waiting[name], run), name=f"{name}-{number}", daemon=True
                )
                worker.start()
                self._workers.append(worker)

    def send(self, rings: Sequence[Ring]) -> bool:
        """See `TaskQueue.send`."""
        for ring in rings:
            self._waiting[ring.queue].put((int(ring.priority), next(self._order), ring))
        return True

    def is_reachable(self) -> bool:
        """See `TaskQueue.is_reachable`."""
        return bool(self._workers)

    def close(self) -> None:
        """See `TaskQueue.close`; what waits here waits for the workers, until they are stopped."""

    def stop(self, timeout_s: float | None = None) -> bool:
        """End the workers after what they are doing; what waits stays undone.

        Args:
            timeout_s: longest wait; None: as long as it takes.

        Returns:
            Whether all have ended; one that has not goes on until the process ends.
        """
        for name, count in self._threads.items():
            for _ in range(count):
                self._waiting[name].put((_FIRST, next(self._order), None))
        until = None if timeout_s is None else time.monotonic() + timeout_s
        for worker in self._workers:
            worker.join(None if until is None else max(0.0, until - time.monotonic()))
        self._workers = [worker for worker in self._workers if worker.is_alive()]
        return not self._workers

    def _work(self, waiting: _Waiting, run: Callable[[Ring], None]) -> None:
        while True:
            _, _, ring = waiting.get()
            if ring is None:
                return
            run(ring)
