"""Settings → Services: the only place that chooses concrete classes, and hands a room what it needs from another."""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Sequence

from pydantic import SecretStr

from service import __version__
from service.clients.base import ExtractionClient, PagesReference
from service.clients.embedded import PROVIDER as EMBEDDED
from service.clients.embedded import EmbeddedClient, EmbeddedDoors
from service.clients.registry import ClientRegistry, Provider
from service.documents.reader import DocumentReader, ReadingLimits
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import PageText
from service.domain.records import Extraction
from service.embedded.model import MODEL_VERSION
from service.extraction.encode import CompletionHead, EncodeOptions, encode_completion
from service.jobs.keeper import ClaimKeeper
from service.jobs.lifecycle import LeaseRule
from service.jobs.services import JobLimits, LoopThread, Services
from service.messaging.queue import TaskQueue
from service.protocol.completion import ChatCompletion
from service.settings import Settings
from service.storage.blobs import BlobStore
from service.storage.blobs_folder import FolderBlobs
from service.storage.engine import Database
from service.storage.pictures import PictureCache
from service.storage.store import Store

READ_SLICE_S = 3.0
UPSTAGE, UPSTAGE_MODEL = "upstage", "information-extract"
"""As its client says; a test holds both together, since naming the client here would load it for everyone."""
_DAY_S = 86_400.0


def prepare(settings: Settings) -> None:
    """Make the home and bring the tables to this version; once before any process of an installation starts."""
    settings.home.mkdir(parents=True, exist_ok=True)
    settings.home.chmod(0o700)
    database = Database(settings.resolved_database_url)
    database.migrate()
    database.dispose()


def build_services(settings: Settings, *, role: str, queue: TaskQueue | None = None) -> Services:
    """Everything a process needs.

    Args:
        settings: of this process.
        role: `api`, `cpu`, `io` or `local`; told in the list of processes.
        queue: where rings go; None: Celery over the Redis of the settings.
    """
    store = Store(Database(settings.resolved_database_url))
    process_id = f"{role}-{os.uname().nodename[:20]}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
    return Services(
        store=store,
        blobs=_blobs(settings),
        pictures=PictureCache(settings.home / "pictures", max_bytes=settings.picture_cache_bytes),
        queue=queue or _broker_queue(settings),
        reader=DocumentReader(_reading_limits(settings)),
        models=_models(settings, store),
        loop=LoopThread(),
        keeper=ClaimKeeper(store, time.time, lease_s=settings.lease_s, process=(process_id, role)),
        slots=threading.BoundedSemaphore(settings.max_calls_in_flight),
        rule=LeaseRule(lease_s=settings.lease_s, max_attempts=settings.step_attempts),
        limits=JobLimits(
            max_file_bytes=settings.max_file_bytes,
            max_schema_chars=settings.max_schema_chars,
            max_properties=settings.max_properties,
            read_range_pages=settings.read_range_pages,
            read_slice_s=READ_SLICE_S,
            model_timeout_s=settings.model_timeout_s,
            retention_s=settings.retention_days * _DAY_S,
        ),
        clock=time.time,
        default_model=settings.model,
        process_id=process_id,
        engine=__version__,
    )


def close_services(services: Services) -> None:
    """Leave nothing running and no connection open; the last thing a process does with them."""
    services.keeper.stop()
    services.loop.submit(services.models.close()).result()
    services.loop.stop()
    services.reader.close()
    services.store.close()


def _broker_queue(settings: Settings) -> TaskQueue:
    from service.messaging.queue_celery import CeleryQueue, make_celery  # a process with its own queue needs no Celery

    return CeleryQueue(make_celery(settings.redis_url))


def _reading_limits(settings: Settings) -> ReadingLimits:
    return ReadingLimits(
        max_pages=settings.max_pages,
        max_page_pixels=settings.max_page_pixels,
        page_timeout_s=settings.page_timeout_s,
        ocr_page_timeout_s=settings.ocr_page_timeout_s,
        pdf_memory_bytes=settings.pdf_memory_bytes,
        ocr_memory_bytes=settings.ocr_memory_bytes,
    )


def _blobs(settings: Settings) -> BlobStore:
    if not settings.blobs_url:
        return FolderBlobs(settings.home / "blobs")
    from service.storage.blobs_s3 import S3Blobs  # boto3 is an extra

    return S3Blobs(settings.blobs_url, endpoint_url=settings.s3_endpoint_url or None)


def _models(settings: Settings, store: Store) -> ClientRegistry:
    def load_pages(reference: PagesReference) -> Sequence[PageText]:
        with store.read() as rows:
            return rows.pages.load(reference.source_key, reference.pages)

    def make_embedded() -> EmbeddedClient:
        return EmbeddedClient(EmbeddedDoors(load_pages=load_pages, encode=_encode))

    def make_upstage() -> ExtractionClient:
        from service.clients.upstage import UpstageClient, UpstageOptions  # half a second that only its users wait for

        return UpstageClient(
            UpstageOptions(
                base_url=settings.upstage_base_url,
                api_key=_require_key(settings.upstage_api_key, "FIELDMARK_UPSTAGE_API_KEY"),
                attempts=settings.model_attempts,
                max_connections=settings.max_calls_in_flight,
            )
        )

    return ClientRegistry(
        {
            EMBEDDED: Provider(make=make_embedded, default_model=MODEL_VERSION),
            UPSTAGE: Provider(make=make_upstage, default_model=UPSTAGE_MODEL),
        }
    )


def _encode(extraction: Extraction, completion_id: str, created: int, pages: tuple[int, ...]) -> ChatCompletion:
    head = CompletionHead(id=completion_id, created=created, model=extraction.model)
    options = EncodeOptions(location=True, granularity="all", confidence=True, additive=True, relative_to=pages)
    return encode_completion([extraction], head, options, extraction.usage)


def _require_key(key: SecretStr, name: str) -> SecretStr:
    if not key.get_secret_value():
        raise InputError(ErrorCode.UNKNOWN_MODEL, f"This model needs a key: set {name}.", param="model")
    return key
