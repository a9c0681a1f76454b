"""Find where one document of a file ends and the next begins (`split_documents`)."""

from __future__ import annotations

from dataclasses import replace

from service.domain.pages import PageText, TextSource
from service.extraction.boundaries import find_documents as find_boundaries
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
    documents = find_boundaries(texts)
    return Outcome(apply=lambda _rows, job: replace(job, documents=documents))
