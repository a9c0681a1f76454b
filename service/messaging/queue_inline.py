"""Rings inside one process, without a broker: for `fieldmark extract`, a batch on one machine, and tests."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Sequence

from service.messaging.queue import Ring


class InlineQueue:
    """A `TaskQueue` with its own worker threads; urgent rings first."""

    def __init__(self, threads: int) -> None:
        self._waiting: queue.PriorityQueue[tuple[int, int, tuple[str, ...]]] = queue.PriorityQueue()
        self._order = itertools.count()
        self._threads = threads
        self._workers: list[threading.Thread] = []

    def start(self, run: Callable[[tuple[str, ...]], None]) -> None:
        """Start the workers; `run` is given the step ids of each ring and must not raise."""
        for number in range(self._threads):
            worker = threading.Thread(target=self._work, args=(run,), name=f"inline-{number}", daemon=True)
            worker.start()
            self._workers.append(worker)

    def send(self, rings: Sequence[Ring]) -> bool:
        """See `TaskQueue.send`."""
        for ring in rings:
            self._waiting.put((int(ring.priority), next(self._order), ring.step_ids))
        return True

    def stop(self) -> None:
        """End the workers after what they are doing."""
        for _ in self._workers:
            self._waiting.put((-1, next(self._order), ()))
        for worker in self._workers:
            worker.join()
        self._workers.clear()

    def _work(self, run: Callable[[tuple[str, ...]], None]) -> None:
        while True:
            _, _, step_ids = self._waiting.get()
            if not step_ids:
                return
            run(step_ids)
