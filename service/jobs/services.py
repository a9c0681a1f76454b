"""What the use cases stand on, put together by wiring; one a process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.clients.registry import ClientRegistry
from service.documents.reader import DocumentReader
from service.domain.budget import PriceTable
from service.jobs.lifecycle import LeaseRule
from service.jobs.process.call_room import CallRoom
from service.jobs.process.keeper import ClaimKeeper
from service.jobs.process.loop_thread import LoopThread
from service.jobs.process.quiet_time import QuietTime
from service.messaging.queue import TaskQueue
from service.storage.blobs.base import BlobStore
from service.storage.pictures import PictureCache
from service.storage.store import Store

if TYPE_CHECKING:
    from service.clients.urls.fetch import UrlFetcher
    from service.clients.urls.webhook_post import WebhookPoster


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
