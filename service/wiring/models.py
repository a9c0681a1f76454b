"""Which models there are: a client for each provider, the gate that its calls pass, prices, and where pages may go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from urllib.parse import urlsplit

from pydantic import SecretStr

from service.clients.base import ExtractionClient
from service.clients.embedded import PROVIDER as EMBEDDED
from service.clients.embedded import EmbeddedClient, EmbeddedDoors
from service.clients.registry import ClientRegistry, Provider
from service.domain.budget import FREE, Price, PriceTable
from service.domain.egress import tenant_rule
from service.domain.errors import ErrorCode, InputError
from service.domain.records import Extraction
from service.domain.traffic import RateLimit, TrafficGate
from service.embedded.version import MODEL_VERSION
from service.extraction.decoding.answer import parse_answer
from service.extraction.decoding.encode import CompletionHead, EncodeOptions, encode_completion
from service.jobs.services import ModelRules
from service.protocol.completion import ChatCompletion
from service.settings import Settings
from service.wiring.pages import PageSource

OPENAI = "openai"
UPSTAGE, UPSTAGE_MODEL = "upstage", "information-extract"
"""As its client says; a test holds both together, since naming the client here would load it for everyone."""
_DAY_S = 86_400.0
_TICKET_GRACE_S = 60.0
"""Time a call may take beside the model's, before its place counts as given up."""


def make_registry(settings: Settings, pages: PageSource, clock: Callable[[], float]) -> ClientRegistry:
    """The clients of all providers, none of them made yet."""
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


def make_rules(settings: Settings) -> ModelRules:
    """What holds for calls to models, whoever is called.

    Raises:
        InputError: `invalid_option`, a price or an allow-list cannot be read.
    """
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
