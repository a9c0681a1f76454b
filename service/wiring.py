"""Settings → Services: the only place that chooses concrete classes, and hands a room what it needs from another."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from service import __version__
from service.clients.base import ExtractionClient, PagesReference
from service.clients.embedded import PROVIDER as EMBEDDED
from service.clients.embedded import EmbeddedClient, EmbeddedDoors
from service.clients.registry import ClientRegistry, Provider
from service.documents.reader import DocumentReader, ReadingLimits, RenderOptions
from service.domain.budget import FREE, Price, PriceTable
from service.domain.egress import EgressPolicy, tenant_rule
from service.domain.errors import ErrorCode, InputError
from service.domain.memory import NO_LESSONS, Lessons
from service.domain.pages import PageText
from service.domain.records import Extraction
from service.domain.traffic import RateLimit, TrafficGate
from service.embedded.version import MODEL_VERSION
from service.extraction.decoding.answer import parse_answer
from service.extraction.decoding.encode import CompletionHead, EncodeOptions, encode_completion
from service.jobs.learned.memory import lessons_of
from service.jobs.lifecycle import LeaseRule
from service.jobs.process.call_room import CallRoom
from service.jobs.process.keeper import ClaimKeeper
from service.jobs.process.loop_thread import LoopThread
from service.jobs.process.quiet_time import QuietTime
from service.jobs.services import JobLimits, ModelRules, Services
from service.messaging.bundling import BundlingQueue
from service.messaging.queue import TaskQueue
from service.protocol.completion import ChatCompletion
from service.settings import Settings
from service.storage.blobs.base import BlobStore
from service.storage.blobs.folder import FolderBlobs
from service.storage.engine import Database
from service.storage.pictures import PictureCache
from service.storage.store import Store

if TYPE_CHECKING:
    from celery import Celery

    from service.clients.openai_compatible.client import PagePicture
    from service.clients.urls.fetch import UrlFetcher
    from service.clients.urls.webhook_post import WebhookPoster

READ_SLICE_S = 3.0
OPENAI = "openai"
UPSTAGE, UPSTAGE_MODEL = "upstage", "information-extract"
"""As its client says; a test holds both together, since naming the client here would load it for everyone."""
_DAY_S = 86_400.0
_TICKET_GRACE_S = 60.0
"""Time a call may take beside the model's, before its place counts as given up."""


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
        models=_models(settings, PageSource(store=store, blobs=blobs, pictures=pictures, reader=reader), clock),
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
            read_slice_s=READ_SLICE_S,
            model_timeout_s=settings.model_timeout_s,
            retention_s=settings.retention_days * _DAY_S,
            grace_s=settings.dropin_grace_s,
            webhook_timeout_s=settings.webhook_timeout_s,
        ),
        rules=_model_rules(settings),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSource:
    """Where clients that take no files get pages from."""

    store: Store
    blobs: BlobStore
    pictures: PictureCache
    reader: DocumentReader

    def load(self, reference: PagesReference) -> Sequence[PageText]:
        """The words that were read."""
        with self.store.read() as rows:
            return rows.pages.load(reference.source_key, reference.pages)

    def lessons(self, reference: PagesReference) -> Lessons:
        """What is remembered of their layout."""
        if not reference.memories:
            return NO_LESSONS
        with self.store.read() as rows:
            return lessons_of(rows.memories.find(reference.memories))

    def draw(self, wanted: PagePicture) -> bytes:
        """A page as JPEG, drawn once and kept while there is room."""
        with self.store.read() as rows:
            turns = rows.pages.turns(wanted.source_key)
        how = f"{turns.get(wanted.page, 0)}/{wanted.dpi}/{'grey' if wanted.grey else 'colour'}"
        variant = f"{wanted.page}/{how}/jpeg"

        def drawn() -> bytes:
            with self.blobs.local(wanted.source_key) as path:
                options = RenderOptions(dpi=wanted.dpi, grey=wanted.grey)
                return self.reader.render_page(path, wanted.page, options, turns=turns)

        return self.pictures.drawn_once(wanted.source_key, variant, drawn)


def _models(settings: Settings, pages: PageSource, clock: Callable[[], float]) -> ClientRegistry:
    gates: list[TrafficGate] = []
    gate = partial(_gate_once, settings, gates, clock)

    def make_embedded() -> EmbeddedClient:
        return EmbeddedClient(EmbeddedDoors(load_pages=pages.load, load_lessons=pages.lessons, encode=_encode))

    return ClientRegistry(
        {
            EMBEDDED: Provider(make=make_embedded, default_model=MODEL_VERSION),
            OPENAI: Provider(make=partial(_openai_client, settings, pages, gate), default_model=settings.openai_model),
            UPSTAGE: Provider(make=partial(_upstage_client, settings, gate), default_model=UPSTAGE_MODEL),
        },
        aliases={"openai_compatible": OPENAI},
        beside=gates,
    )


def _openai_client(settings: Settings, pages: PageSource, gate: Callable[[], TrafficGate]) -> ExtractionClient:
    from service.clients.openai_compatible import client  # late, as below: time that only its users wait for
    from service.clients.openai_compatible.model_traits import TraitTable

    return client.OpenAiCompatibleClient(
        client.OpenAiOptions(
            base_url=settings.openai_base_url,
            api_key=_openai_key(settings),
            api_version=settings.openai_api_version,
            default_model=settings.openai_model,
            traits=TraitTable(settings.openai_models),
            attempts=settings.model_attempts,
            max_connections=settings.max_calls_in_flight,
            gate=gate(),
        ),
        client.PageDoors(load_pages=pages.load, draw_page=pages.draw, read_object=_read_object),
    )


def _upstage_client(settings: Settings, gate: Callable[[], TrafficGate]) -> ExtractionClient:
    from service.clients.upstage.client import UpstageClient, UpstageOptions  # half a second

    return UpstageClient(
        UpstageOptions(
            base_url=settings.upstage_base_url,
            api_key=_require_key(settings.upstage_api_key, "FIELDMARK_UPSTAGE_API_KEY"),
            attempts=settings.model_attempts,
            max_connections=settings.max_calls_in_flight,
            gate=gate(),
        )
    )


def _model_rules(settings: Settings) -> ModelRules:
    for tenant in settings.egress:
        tenant_rule(settings.egress, tenant)  # one that cannot be read stops the process, not a job
    prices = {name: _price(name, given) for name, given in settings.model_prices.items()}
    return ModelRules(
        prices=PriceTable({f"{EMBEDDED}:*": FREE, **prices}),
        egress=settings.egress,
        cache_s=settings.answer_cache_days * _DAY_S,
        second_opinion=settings.second_opinion,
    )


def _price(name: str, given: Mapping[str, float]) -> Price:
    if set(given) - {"input", "output", "page", "request"} or any(value < 0 for value in given.values()):
        raise InputError(
            ErrorCode.INVALID_OPTION,
            f"FIELDMARK_MODEL_PRICES: {name!r} takes `input`, `output`, `page` and `request`, none below 0.",
            param="model_prices",
        )
    return Price(**{part: Decimal(str(value)) for part, value in given.items()})


def _gate_once(settings: Settings, made: list[TrafficGate], clock: Callable[[], float]) -> TrafficGate:
    """The one gate of a process, made for the first client that calls anybody."""
    if not made:
        made.append(open_gate(settings, clock))
    return made[0]


def open_gate(settings: Settings, clock: Callable[[], float]) -> TrafficGate:
    """The gate that calls to providers pass: shared through Redis, or of this process where there is none."""
    from service.messaging.traffic_gate import Gate, LocalStates, RedisStates  # half a library that only callers need
    from service.messaging.traffic_rule import GateRule

    return Gate(
        RedisStates(settings.redis_url) if settings.redis_url else LocalStates(clock),
        {name: _rate_limit(name, given) for name, given in settings.provider_limits.items()},
        GateRule(
            failures=settings.provider_failures,
            first_pause_s=settings.provider_pause_s,
            longest_pause_s=settings.provider_longest_pause_s,
            ticket_s=settings.model_timeout_s + _TICKET_GRACE_S,
        ),
    )


def _rate_limit(name: str, given: Mapping[str, float]) -> RateLimit:
    unknown = set(given) - {"requests_per_minute", "tokens_per_minute", "in_flight"}
    if unknown or any(value <= 0 for value in given.values()):
        raise InputError(
            ErrorCode.INVALID_OPTION,
            f"FIELDMARK_PROVIDER_LIMITS: {name!r} takes `requests_per_minute`, `tokens_per_minute` and `in_flight`, "
            "each above 0.",
            param="provider_limits",
        )
    in_flight = given.get("in_flight")
    return RateLimit(
        requests_per_minute=given.get("requests_per_minute"),
        tokens_per_minute=given.get("tokens_per_minute"),
        in_flight=None if in_flight is None else max(1, int(in_flight)),
    )


def _openai_key(settings: Settings) -> SecretStr:
    """Servers of one's own need none."""
    if urlsplit(settings.openai_base_url).hostname == "api.openai.com":
        return _require_key(settings.openai_api_key, "FIELDMARK_OPENAI_API_KEY")
    return settings.openai_api_key


def _read_object(text: str, known: Sequence[str]) -> Mapping[str, object]:
    return parse_answer(text, known).values


def _encode(extraction: Extraction, completion_id: str, created: int, pages: tuple[int, ...]) -> ChatCompletion:
    head = CompletionHead(id=completion_id, created=created, model=extraction.model)
    return encode_completion([extraction], head, EncodeOptions(relative_to=pages), extraction.usage)


def _require_key(key: SecretStr, name: str) -> SecretStr:
    if not key.get_secret_value():
        raise InputError(ErrorCode.UNKNOWN_MODEL, f"This model needs a key: set {name}.", param="model")
    return key
