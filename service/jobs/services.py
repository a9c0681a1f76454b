"""What the use cases stand on, put together by wiring; one a process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from service.clients.registry import ClientRegistry
from service.documents.reader import DocumentReader
from service.domain.budget import PriceTable
from service.jobs.keeper import ClaimKeeper
from service.jobs.lifecycle import LeaseRule
from service.messaging.queue import TaskQueue
from service.storage.blobs import BlobStore
from service.storage.pictures import PictureCache
from service.storage.store import Store

if TYPE_CHECKING:
    from service.clients.url_fetch import UrlFetcher
    from service.clients.webhook_post import WebhookPoster

T = TypeVar("T")
_STOP_S = 10.0


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
        asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result(_STOP_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_STOP_S)
        loop.close()


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
    slots: threading.BoundedSemaphore
    """Model calls that may be in flight in this process."""
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
