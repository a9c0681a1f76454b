"""What the use cases stand on, put together by wiring; one a process."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from service.clients.registry import ClientRegistry
from service.documents.reader import DocumentReader
from service.domain.budget import PriceTable
from service.jobs.keeper import ClaimKeeper
from service.jobs.lifecycle import LeaseRule
from service.jobs.quiet_time import QuietTime
from service.messaging.queue import TaskQueue
from service.storage.blobs.base import BlobStore
from service.storage.pictures import PictureCache
from service.storage.store import Store

if TYPE_CHECKING:
    from service.clients.urls.fetch import UrlFetcher
    from service.clients.urls.webhook_post import WebhookPoster

T = TypeVar("T")
_STOP_S, _LOOP_STOP_S = 10.0, 60.0
_log = logging.getLogger(__name__)


class LoopThread:
    """The one event loop of a process on which model clients live; the only bridge from threads to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def submit(self, work: Coroutine[None, None, T]) -> Future[T]:
        """Start work on the loop; cancelling the future cancels it there."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="model-loop", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """End the loop; what runs on it is cancelled."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result(_LOOP_STOP_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_LOOP_STOP_S)
        loop.close()


class CallRoom:
    """Room for the calls of a process to models elsewhere, and the few threads that settle them.

    A call that waits for its model has a place and no thread. No more answers wait to be settled than calls may be in
    flight, however slow settling is.
    """

    def __init__(self, in_flight: int, threads: int) -> None:
        self._most = in_flight
        self._change = threading.Condition()
        self._in_flight = 0
        self._begun = 0
        """In flight or not yet settled."""
        self._answered: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._most_threads = threads
        self._threads: list[threading.Thread] = []

    def enter(self, most: int) -> int:
        """Take places, at least one and up to `most` (≥ 1); waits for the first."""
        with self._change:
            self._change.wait_for(lambda: self._free() > 0)
            taken = min(most, self._free())
            self._in_flight += taken
            self._begun += taken
        return taken

    def _free(self) -> int:
        return min(self._most - self._in_flight, 2 * self._most - self._begun)

    def answered(self, settle: Callable[[], None]) -> None:
        """A call is over: another may begin, and one of the threads does what is left to do."""
        with self._change:
            self._in_flight -= 1
            self._change.notify_all()
            self._answered.put(settle)
            if len(self._threads) < self._most_threads:
                # A pool of the standard library would keep a process that ends from ending while one of them hangs.
                thread = threading.Thread(target=_settle_all, args=(self._answered,), name="settle", daemon=True)
                self._threads.append(thread)
                thread.start()

    def leave(self, places: int, *, called: bool) -> None:
        """Give places back: of calls that are settled, or of steps that were not `called` for."""
        with self._change:
            self._begun -= places
            self._in_flight -= 0 if called else places
            self._change.notify_all()

    def wait_settled(self, timeout_s: float) -> bool:
        """Wait until nothing is in flight and all is settled; whether it is."""
        with self._change:
            return self._change.wait_for(lambda: not self._begun, timeout_s)

    def stop(self, timeout_s: float = _STOP_S) -> bool:
        """End the threads after what there is to settle; what is answered later is settled by new ones.

        Returns:
            Whether all have ended in time; one that has not goes on until the process ends, and does not keep it.
        """
        with self._change:
            threads, self._threads = self._threads, []
            answered, self._answered = self._answered, SimpleQueue()
        for _ in threads:
            answered.put(None)
        until = time.monotonic() + timeout_s
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        hanging = sum(thread.is_alive() for thread in threads)
        if hanging:
            _log.warning("%d threads still settle an answer; their claims run out, and others do it again", hanging)
        return not hanging


def _settle_all(answered: SimpleQueue[Callable[[], None] | None]) -> None:
    while (settle := answered.get()) is not None:
        try:
            settle()
        except BaseException:  # whoever waits for the step has it too: this thread goes on with the next
            _log.exception("an answer was left")


async def _cancel_all() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRules:
    """What holds for calls to models, whoever is called."""

    prices: PriceTable
    egress: Mapping[str, Mapping[str, list[str]]]
    """Allow-lists of models and hosts by tenant, or `*`."""
    cache_s: float
    """How long an answer may serve again; 0: never."""
    second_opinion: bool = False
    """Whether the embedded model is asked too, where a job does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLimits:
    """What is refused at intake, and how a run is cut."""

    max_file_bytes: int
    max_archive_bytes: int
    max_schema_chars: int
    max_properties: int
    read_range_pages: int
    read_slice_s: float
    """Working time after which a reading step gives the rest of its pages back, so that other files come in between."""
    model_timeout_s: float
    retention_s: float
    grace_s: float
    """How long a job goes on after everybody who waited for its answer went away."""
    webhook_timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The stores, the readers, the models and the clock of one process."""

    store: Store
    blobs: BlobStore
    pictures: PictureCache
    queue: TaskQueue
    reader: DocumentReader
    models: ClientRegistry
    loop: LoopThread
    keeper: ClaimKeeper
    calls: CallRoom
    """For model calls that may be in flight in this process."""
    quiet: QuietTime
    """For what may wait until this process has begun the calls that it can."""
    rule: LeaseRule
    limits: JobLimits
    rules: ModelRules
    open_fetcher: Callable[[str], UrlFetcher]
    """For a tenant."""
    open_poster: Callable[[], WebhookPoster]
    clock: Callable[[], float]
    default_model: str
    dropin_model: str
    """What answers under the vendor's names of models."""
    process_id: str
    engine: str
