"""Pages whose text misleads are read anew from their picture, in the job's next run."""

from __future__ import annotations

from collections.abc import Collection

from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.pages import PageText, TextSource
from service.domain.records import Issue, Stage
from service.jobs.queries import get_job
from service.jobs.read_pages import READ_AGAIN
from service.jobs.services import Services


def mark_to_read(services: Services, tenant_id: str, job_id: str, pages: Collection[int]) -> None:
    """Put pages back among those that are not read, with a word that their picture is to be read.

    Other jobs of the same file get the new words with their own next run.

    Args:
        services: of this process.
        tenant_id: whose job it is.
        job_id: a job whose run is over, and which is run anew next.
        pages: 1-based.

    Raises:
        StateError: there is no such job, or its run is not over (`wrong_state`).
        InputError: the file was never opened, or has no such page.
    """
    job = get_job(services, tenant_id, job_id)
    if not job.status.is_terminal:
        raise StateError(ErrorCode.WRONG_STATE, f"The job {job_id!r} is {job.status}; cancel it or wait.")
    beyond = sorted(page for page in pages if not 1 <= page <= (job.page_count or 0))
    if job.source_key is None or beyond:
        named = f"page {beyond[0]}" if beyond else "pages that were opened"
        raise InputError(ErrorCode.INVALID_REQUEST, f"The file does not have {named}.", param="read_again")
    with services.store.write() as rows:
        known = rows.pages.load(job.source_key, sorted(pages))
        rows.pages.put(tenant_id, job.source_key, [_marked(text) for text in known])


def _marked(text: PageText) -> PageText:
    message = "The page waits to be read again by OCR."
    issue = Issue(stage=Stage.READ, code=READ_AGAIN, message=message, page=text.page)
    return PageText(size=text.size, source=TextSource.FAILED, issues=(issue,))
