"""Keeps the claims of a process alive, and tells a piece of work at once when its claim is gone.

One short transaction a second extends every lease of the process; a claim that did not come back was cancelled, or
taken by another, and its work is stopped. So cancelling needs no message.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from service.storage.store import Store

_log = logging.getLogger(__name__)
BEAT_S = 1.0
_STOP_S = 60.0
"""Twice what a beat may wait for a database: whoever goes on without it closes the store under it."""


class ClaimKeeper:
    """Renews leases in a thread of its own, and beats for the process."""

    def __init__(self, store: Store, clock: Callable[[], float], *, lease_s: float, process: tuple[str, str]) -> None:
        self._store = store
        self._clock = clock
        self._lease_s = lease_s
        self._process = process
        self._held: dict[str, Callable[[], object]] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def hold(self, owner: str, on_lost: Callable[[], object]) -> Generator[None]:
        """Keep a claim while its work goes on; `on_lost` is called once, from another thread, if it is gone.

        A process that ends keeps none: see `holds`.
        """
        with self._lock:
            if not self._ending.is_set():
                self._held[owner] = on_lost
            self._start()
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(owner, None)

    def holds(self, owner: str) -> bool:
        """Whether a claim is still this process's, as far as is known."""
        with self._lock:
            return owner in self._held

    @property
    def is_ending(self) -> bool:
        """Whether this process takes on no more work."""
        return self._ending.is_set()

    def let_go(self) -> None:
        """Stop all work under way and take on no more: the process ends, and others need not wait for its leases."""
        self._ending.set()
        with self._lock:
            stopped = tuple(self._held.values())
            self._held.clear()
        for on_lost in stopped:
            on_lost()

    def start(self) -> None:
        """Beat even while nothing is held."""
        with self._lock:
            self._start()

    def stop(self) -> None:
        """Stop beating and leave the list of processes."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(timeout=_STOP_S)
            self._leave()

    def _leave(self) -> None:
        try:
            with self._store.write() as rows:
                rows.upkeep.leave(self._process[0])
        except Exception:  # a courtesy: whoever is not heard of any more is forgotten all the same
            _log.exception("the list of processes could not be reached")

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="claim-keeper", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._beat()
            except Exception:  # the database may be away for a while; the leases then run out, and that is right
                _log.exception("leases could not be renewed")
            self._stopped.wait(BEAT_S)

    def _beat(self) -> None:
        with self._lock:
            owners = tuple(self._held)
        now = self._clock()
        with self._store.write() as rows:
            rows.upkeep.beat(*self._process, now)
            kept = rows.steps.renew(owners, now + self._lease_s) if owners else frozenset[str]()
        for owner in owners:
            if owner in kept:
                continue
            with self._lock:
                on_lost = self._held.pop(owner, None)
            if on_lost is not None:
                on_lost()
