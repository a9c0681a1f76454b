"""What a step does to have its model's answer: look whether it may, whether the answer is known, and ask."""

from __future__ import annotations

import hashlib
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from service.clients.base import ExtractionClient
from service.clients.door.scope import CallScope, within
from service.domain.egress import EgressPolicy, schema_rule, tenant_rule
from service.domain.records import Processing, Usage, join_processing
from service.jobs.services import Services
from service.jobs.settle import Claim, Spent
from service.jobs.steps.budget import requests_left
from service.jobs.steps.extract_split import build_request, covered_pages
from service.protocol.completion import ChatCompletion
from service.protocol.json_text import canonical_json
from service.protocol.request import ExtractionRequest
from service.storage.codec import pack, unpack


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAnswer:
    """An answer as it is kept."""

    completion: str
    """JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call under way, or an answer that was known."""

    claim: Claim
    answer: Future[ChatCompletion]
    scope: CallScope = field(default_factory=CallScope)
    key: str | None = None
    """Under which the answer is kept; None: it is not."""
    cached: bool = False


def start_call(services: Services, claim: Claim) -> ModelCall:
    """Ask the model of a step, unless its answer is known; the call of a claim that is lost is cancelled.

    Raises:
        ServiceError: the request cannot be built, or may not be sent.
    """
    client, _ = services.models.resolve(claim.job.options.model)
    left = requests_left(services, claim) if client.capabilities.queue == "io" else None
    request = build_request(services, claim)
    key = _key(services, claim, client, request)
    known = None if key is None else _known(services, claim, key)
    if known is not None:
        answer: Future[ChatCompletion] = Future()
        answer.set_result(known)
        return ModelCall(claim=claim, answer=answer, cached=True)
    if not services.keeper.holds(claim.owner):  # lost while the request was built: it is not sent
        gone: Future[ChatCompletion] = Future()
        gone.cancel()
        return ModelCall(claim=claim, answer=gone)
    scope = CallScope(egress=egress_of(services, claim), requests_left=left)
    timeout_s = services.limits.model_timeout_s

    def call() -> Coroutine[None, None, ChatCompletion]:
        return within(scope, client.complete(request, timeout_s=timeout_s))

    work = services.calls.in_turn(call) if client.capabilities.queue == "io" else call()
    return ModelCall(claim=claim, answer=services.loop.submit(work), scope=scope, key=key)


def egress_of(services: Services, claim: Claim) -> EgressPolicy:
    """Where a step's pages may go."""
    schema = claim.job.schema_of(claim.step.document)
    of_schema = () if schema is None else schema_rule(schema.source)
    return EgressPolicy((*tenant_rule(services.rules.egress, claim.job.tenant_id), *of_schema))


def spent_by(services: Services, call: ModelCall, answer: ChatCompletion | None) -> Spent:
    """What a call that is over used, and who saw its pages.

    Args:
        services: of this process.
        call: that is over.
        answer: None: it failed.
    """
    client, model = services.models.resolve(call.claim.job.options.model)
    pages = covered_pages(call.claim, client)
    if call.cached:
        return Spent(usage=Usage(pages=len(pages), cached=1))
    canonical = services.models.canonical(call.claim.job.options.model)
    tokens = answer.usage if answer else None
    usage = Usage(
        prompt_tokens=tokens.prompt_tokens if tokens else 0,
        completion_tokens=tokens.completion_tokens if tokens else 0,
        total_tokens=tokens.total_tokens if tokens else 0,
        pages=len(pages) if answer else 0,
        requests=max(call.scope.requests, 1) if answer else call.scope.requests,
    )
    price = services.rules.prices.find(canonical)
    version = answer.model or "" if answer else ""
    hosts = [to.host for to in call.scope.sent_to] or ([""] if answer else [])
    seen = [
        Processing(pages=pages, provider=canonical.partition(":")[0], host=host, model=model, version=version)
        for host in sorted(hosts)
    ]
    cost = None if price is None else price.of(usage)
    return Spent(usage=replace(usage, cost=cost), processing=join_processing(seen))


def kept_answer(answer: ChatCompletion) -> bytes:
    """An answer as it is stored."""
    return pack(KnownAnswer(completion=answer.model_dump_json(exclude_none=True)))


def _known(services: Services, claim: Claim, key: str) -> ChatCompletion | None:
    since = services.clock() - services.rules.cache_s
    with services.store.read() as rows:
        body = rows.answers.get(claim.job.tenant_id, key, since=since)
    return None if body is None else ChatCompletion.model_validate_json(unpack(KnownAnswer, body).completion)


def _key(services: Services, claim: Claim, client: ExtractionClient, request: ExtractionRequest) -> str | None:
    """Names a request by content, pages, schema, model and options; None: the answer is not to be kept.

    A model in this process costs less than looking.
    """
    job = claim.job
    if client.capabilities.queue != "io" or not job.options.cache or not services.rules.cache_s:
        return None
    parts = [
        services.engine,
        job.source_key,
        list(claim.step.pages),
        services.models.canonical(job.options.model),
        request.model_dump(mode="json", exclude={"messages"}),
    ]
    return hashlib.sha256(canonical_json(parts)).hexdigest()
