"""What the embedded model makes of a document that another model was asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.clients.base import PagesReference
from service.domain.errors import ServiceError
from service.domain.jobs import Job
from service.domain.pages import TextSource
from service.domain.records import Issue, Processing, Stage
from service.extraction.confidence.trust import Opinion
from service.extraction.decoding.decode import decode_choice
from service.jobs.lifecycle import READABLE
from service.jobs.services import Services
from service.jobs.steps.model_request import ask

_EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of asking; no opinion where nothing could be read, or where it failed."""

    opinion: Opinion | None = None
    issues: tuple[Issue, ...] = ()
    processing: tuple[Processing, ...] = ()


def ask_embedded(services: Services, job: Job, document: int, texts: Mapping[int, TextSource]) -> Asked:
    """The embedded model's extraction of one document, if the job or the installation wants it.

    It costs neither tokens nor requests. That it fails is told and ends nothing: the other model's answer stands.

    Args:
        document: 0-based; it has a schema.
        texts: how the words of each page came to be.
    """
    wanted = services.rules.second_opinion if job.options.second_opinion is None else job.options.second_opinion
    pages = tuple(n for n in job.page_ranges()[document].numbers() if texts.get(n) in READABLE)
    if not wanted or not pages or services.models.resolve(job.options.model)[0].capabilities.queue != "io":
        return Asked()
    client, model = services.models.resolve(_EMBEDDED)
    schema = job.parsed_schemas()(document)
    request = ask(model, PagesReference(job.source_key or "", pages).url(), schema.source, schema.name)
    try:
        work = client.complete(request, timeout_s=services.limits.model_timeout_s)
        answer = services.loop.submit(work).result()
        found = decode_choice(answer.choices[0], schema=schema, pages=pages, model=f"{_EMBEDDED}:{model}")
    except ServiceError as error:
        told = f"The second opinion could not be had, and the other model's answer stands alone: {error.message}"
        return Asked(issues=(Issue(stage=Stage.MERGE, code="no_second_opinion", message=told, page=pages[0]),))
    seen = Processing(pages=pages, provider=_EMBEDDED, host="", model=model, version=answer.model or "")
    return Asked(opinion=Opinion(found), processing=(seen,))
