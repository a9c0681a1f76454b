"""Read a range of pages into words with boxes; what was read is kept, whatever becomes of the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from service.domain.jobs import Job
from service.domain.pages import PageRange, PageText, Turns
from service.domain.steps import StepKind
from service.jobs.lifecycle import NewStep, is_to_read
from service.jobs.services import Services
from service.jobs.settle import Claim, Outcome
from service.storage.store import Rows

READ_AGAIN = "read_again"
"""Code of the issue that stands with a page whose picture a person wants read."""


@dataclass(frozen=True, slots=True)
class _How:
    """Which pages a person wants read by OCR, and which are turned."""

    pictured: Collection[int]
    turns: Turns


def read_pages(services: Services, claim: Claim) -> Outcome:
    """Read the step's pages, for as long as a step may take; the rest becomes a new step behind the others."""
    job, wanted = claim.job, claim.step.pages
    source_key = job.source_key or ""
    with services.store.read() as rows:
        known = rows.pages.sources(source_key)
        missing = tuple(n for n in wanted if is_to_read(known.get(n)))
        again = [n for n in missing if n in known]
        before = rows.pages.load(source_key, again) if again else ()
        turns = rows.pages.turns(source_key)
    pictured = frozenset(t.page for t in before if any(issue.code == READ_AGAIN for issue in t.issues))
    texts = tuple(_read_for_a_while(services, claim, missing, _How(pictured, turns)))
    read = {text.page for text in texts}
    rest = tuple(n for n in missing if n not in read)

    def keep(rows: Rows, job: Job) -> Job:
        rows.pages.put(job.tenant_id, source_key, texts)
        return job

    more = (NewStep(kind=StepKind.READ, ordinal=-1, pages=rest),) if rest else ()
    return Outcome(apply=keep, more=more)


def _read_for_a_while(services: Services, claim: Claim, pages: Sequence[int], how: _How) -> Iterator[PageText]:
    """Pages in order until the time of one step is used up, or the claim is lost; at least one."""
    started = services.clock()
    with services.blobs.local(claim.job.source_key or "") as path:
        for number in pages:
            by_picture = number in how.pictured
            yield from services.reader.read_pages(
                path, PageRange(number, number), by_picture=by_picture, turns=how.turns
            )
            over = services.clock() - started > services.limits.read_slice_s
            if over or not services.keeper.holds(claim.owner):
                return
