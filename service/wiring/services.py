"""What a process needs, from its settings: stores, queue, reader, models, limits."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from service import __version__
from service.documents.reader import DocumentReader, ReadingLimits
from service.domain.egress import EgressPolicy, tenant_rule
from service.jobs.lifecycle import LeaseRule
from service.jobs.process.call_room import CallRoom
from service.jobs.process.keeper import ClaimKeeper
from service.jobs.process.loop_thread import LoopThread
from service.jobs.process.quiet_time import QuietTime
from service.jobs.services import JobLimits, Services
from service.messaging.bundling import BundlingQueue
from service.messaging.queue import TaskQueue
from service.settings import Settings
from service.storage.blobs.base import BlobStore
from service.storage.blobs.folder import FolderBlobs
from service.storage.engine import Database
from service.storage.pictures import PictureCache
from service.storage.store import Store
from service.wiring.models import make_registry, make_rules
from service.wiring.pages import PageSource

if TYPE_CHECKING:
    from celery import Celery

    from service.clients.urls.fetch import UrlFetcher
    from service.clients.urls.webhook_post import WebhookPoster

_READ_SLICE_S = 3.0
_DAY_S = 86_400.0


def prepare(settings: Settings) -> None:
    """Make the home and bring the tables to this version; once before any process of an installation starts."""
    settings.home.mkdir(parents=True, exist_ok=True)
    settings.home.chmod(0o700)
    database = Database(settings.resolved_database_url)
    database.migrate()
    database.dispose()


def build_services(
    settings: Settings, *, role: str, queue: TaskQueue | None = None, clock: Callable[[], float] = time.time
) -> Services:
    """Everything a process needs.

    Args:
        settings: of this process.
        role: `api`, `cpu`, `io` or `local`; told in the list of processes.
        queue: where rings go; None: Celery over the Redis of the settings.
        clock: unix seconds.
    """
    store = Store(Database(settings.resolved_database_url))
    process_id = f"{role}-{os.uname().nodename[:20]}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
    blobs, reader = _blobs(settings), DocumentReader(ReadingLimits.of(settings))
    pictures = PictureCache(settings.home / "pictures", max_bytes=settings.picture_cache_bytes)
    return Services(
        store=store,
        blobs=blobs,
        pictures=pictures,
        queue=queue or _broker_queue(settings),
        reader=reader,
        models=make_registry(settings, PageSource(store=store, blobs=blobs, pictures=pictures, reader=reader), clock),
        loop=LoopThread(),
        keeper=ClaimKeeper(store, clock, lease_s=settings.lease_s, process=(process_id, role)),
        calls=CallRoom(settings.max_calls_in_flight, settings.io_threads),
        quiet=QuietTime(),
        rule=LeaseRule(
            lease_s=settings.lease_s, max_attempts=settings.step_attempts, patience_s=settings.provider_patience_s
        ),
        limits=JobLimits(
            max_file_bytes=settings.max_file_bytes,
            max_archive_bytes=settings.max_archive_bytes,
            max_schema_chars=settings.max_schema_chars,
            max_properties=settings.max_properties,
            read_range_pages=settings.read_range_pages,
            read_slice_s=_READ_SLICE_S,
            model_timeout_s=settings.model_timeout_s,
            retention_s=settings.retention_days * _DAY_S,
            grace_s=settings.dropin_grace_s,
            webhook_timeout_s=settings.webhook_timeout_s,
        ),
        rules=make_rules(settings),
        open_fetcher=partial(_fetcher, settings),
        open_poster=partial(_poster, settings),
        clock=clock,
        default_model=settings.model,
        dropin_model=settings.dropin_model or settings.model,
        process_id=process_id,
        engine=__version__,
    )


def close_services(services: Services) -> None:
    """Leave nothing running and no connection open; the last thing a process does with them."""
    services.quiet.stop()
    services.calls.stop()
    services.keeper.stop()
    services.loop.submit(services.models.close()).result()
    services.loop.stop()
    services.reader.close()
    services.store.close()
    services.queue.close()


def open_celery(settings: Settings) -> tuple[Celery, str]:
    """The application that senders and workers share, and the name of its only task."""
    from service.messaging.queue_celery import TASK, make_celery  # a process with its own queue needs no Celery

    return make_celery(settings.redis_url), TASK


def _broker_queue(settings: Settings) -> TaskQueue:
    from service.messaging.queue_celery import CeleryQueue

    return BundlingQueue(CeleryQueue(open_celery(settings)[0]))


def _fetcher(settings: Settings, tenant_id: str) -> UrlFetcher:
    from service.clients.urls.addresses import named_hosts
    from service.clients.urls.fetch import FetchRule, UrlFetcher  # aiohttp: most commands fetch nothing

    return UrlFetcher(
        FetchRule(
            allowed=settings.fetch_urls,
            trusted_hosts=named_hosts(settings.fetch_hosts),
            max_bytes=settings.max_file_bytes,
            timeout_s=settings.fetch_timeout_s,
            egress=EgressPolicy(tenant_rule(settings.egress, tenant_id)),
        )
    )


def _poster(settings: Settings) -> WebhookPoster:
    from service.clients.urls.addresses import named_hosts
    from service.clients.urls.webhook_post import PostRule, WebhookPoster

    hosts = named_hosts(settings.webhook_hosts)
    return WebhookPoster(PostRule(trusted_hosts=hosts, timeout_s=settings.webhook_timeout_s))


def _blobs(settings: Settings) -> BlobStore:
    if not settings.blobs_url:
        return FolderBlobs(settings.home / "blobs")
    from service.storage.blobs.s3 import S3Blobs  # boto3 is an extra

    return S3Blobs(settings.blobs_url, endpoint_url=settings.s3_endpoint_url or None)
