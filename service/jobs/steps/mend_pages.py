"""Pages that mislead are turned, or read anew from their picture, in the job's next run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from service.domain.corrections import ReviewAction, ReviewEvent
from service.domain.errors import ErrorCode, InputError
from service.domain.jobs import Job
from service.domain.pages import NO_TURNS, PageText, TextSource, Turns
from service.domain.records import Issue, JsonObject, Stage
from service.jobs.steps.read_pages import READ_AGAIN
from service.storage.store import Rows

_TURNED = "turned"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWishes:
    """What a person says of pages of a file, 1-based, before a new run."""

    read_again: Collection[int] = ()
    """Their picture is read by OCR, whatever text they hold."""
    turn: Turns = field(default_factory=lambda: NO_TURNS)
    """By degrees clockwise from how they are shown now."""
    by: str = ""
    """Who says so."""

    @property
    def pages(self) -> list[int]:
        """All that are named, in order."""
        return sorted({*self.read_again, *self.turn})


def mend_pages(rows: Rows, job: Job, wishes: PageWishes, now: float) -> None:
    """Put pages back among those that are not read, with a word on how they are to be read; the history tells it.

    Other jobs of the same bytes get the new words with their own next run.

    Args:
        rows: of the transaction that starts the run.
        job: locked, still in the run that is over.
        wishes: what is wanted.
        now: Unix seconds.

    Raises:
        InputError: the file was never opened, or has no such page.
    """
    beyond = [page for page in wishes.pages if not 1 <= page <= (job.page_count or 0)]
    if job.source_key is None or beyond:
        named = f"page {beyond[0]}" if beyond else "pages that were opened"
        param = "turn" if {*beyond} & {*wishes.turn} else "read_again"
        raise InputError(ErrorCode.INVALID_REQUEST, f"The file does not have {named}.", param=param)
    known = rows.pages.load(job.source_key, wishes.pages)
    rows.pages.turn(job.source_key, wishes.turn)
    rows.pages.put(job.tenant_id, job.source_key, [_waiting(text, wishes) for text in known])
    rows.answers.forget_source(job.source_key)
    rows.reviews.append([_event(job, wishes, now)])


def _waiting(text: PageText, wishes: PageWishes) -> PageText:
    """The page as one that is to be read; words that came from its picture come from there again."""
    pictured = text.page in wishes.read_again or text.source is TextSource.OCR
    code, how = (READ_AGAIN, "again by OCR") if pictured else (_TURNED, "as it was turned")
    issue = Issue(stage=Stage.READ, code=code, message=f"The page waits to be read {how}.", page=text.page)
    size = text.size.turned(wishes.turn.get(text.page, 0))
    return PageText(size=size, source=TextSource.FAILED, issues=(issue,))


def _event(job: Job, wishes: PageWishes, now: float) -> ReviewEvent:
    detail: JsonObject = {
        "turned": {str(page): degrees for page, degrees in sorted(wishes.turn.items())},
        "read_again": [*sorted(wishes.read_again)],
    }
    return ReviewEvent(
        job_id=job.id,
        tenant_id=job.tenant_id,
        run=job.run,
        revision=job.revision + 1,
        action=ReviewAction.MEND,
        by=wishes.by,
        at=now,
        detail=detail,
    )
