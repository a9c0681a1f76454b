"""Find where one document of a file ends and the next begins, and which of the job's schemas each has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.domain.jobs import Job
from service.domain.pages import PageRange, PageText, TextSource
from service.domain.routes import Route
from service.extraction.splitting.boundaries import find_documents as find_boundaries
from service.jobs.services import Services
from service.jobs.settle import Claim, Outcome


def find_documents(services: Services, claim: Claim) -> Outcome:
    """Look at all pages of the file together."""
    job = claim.job
    with services.store.read() as rows:
        known = {text.page: text for text in rows.pages.load(job.source_key or "")}
        file = rows.files.get(job.tenant_id, job.file_id)
    sizes = file.page_sizes or () if file else ()
    texts = [known.get(size.page) or PageText(size=size, source=TextSource.FAILED) for size in sizes]
    found = job.documents or (find_boundaries(texts) if job.options.split_documents else job.page_ranges())
    given = job.routes or (None,) * len(found)
    routes = _routes(job, found, given, texts) if job.is_routed else None
    return Outcome(apply=lambda _rows, job: replace(job, documents=found, routes=routes))


def _routes(
    job: Job, documents: Sequence[PageRange], given: Sequence[Route | None], texts: Sequence[PageText]
) -> tuple[Route, ...]:
    """What a person chose, and for the other documents what fits."""
    from service.embedded.routing import Router  # late: for the few jobs that have several schemas

    router = Router([schema.parse() for schema in job.schemas])
    return tuple(
        route or router.route([texts[number - 1] for number in pages.numbers()])
        for pages, route in zip(documents, given, strict=True)
    )
