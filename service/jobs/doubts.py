"""Why a person should look at a job: doubts about its records, as their schemas weigh them, and what has no schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.domain.jobs import Job
from service.domain.pages import PageRange
from service.domain.records import Issue, PageCoverage, PageState, Record, Stage
from service.domain.routes import UnroutedReason
from service.extraction.reviewing.policy import apply_policy, limit_reasons, parse_policy
from service.extraction.reviewing.reasons import review_reasons

UNROUTED = "unrouted"
"""The reason, and the code of the issue, of a document that was given no schema."""
_WHY = {
    UnroutedReason.NO_TEXT: "nothing could be read on its pages",
    UnroutedReason.NO_FIT: "none of the job's schemas fits it well enough",
    UnroutedReason.SEVERAL_FIT: "several of the job's schemas fit it about as well",
}


def find_doubts(job: Job, records: Sequence[Record], coverage: Sequence[PageCoverage]) -> tuple[str, ...]:
    """Reasons as in `review_reasons`, each schema's by its own policy; then `unrouted:2`, the document's index."""
    documents = job.page_ranges()
    reasons: list[str] = []
    for index, schema in enumerate(job.schemas):
        mine = {n for n in range(len(documents)) if (route := job.route_of(n)) is not None and route.schema == index}
        if not mine:
            continue
        pages = {page for n in mine for page in documents[n].numbers()}
        policy, own = parse_policy(schema.parse()), [record for record in records if record.index in mine]
        several = len(records) > 1
        found = review_reasons(own, [row for row in coverage if row.page in pages], several=several)
        beyond = limit_reasons(policy, own, several=several)
        reasons += apply_policy(policy, (*found, *beyond), job_id=job.id)
    reasons += [f"{UNROUTED}:{index}" for index, _, _ in unrouted_documents(job)]
    return tuple(dict.fromkeys(reasons))


def unrouted_documents(job: Job) -> Iterator[tuple[int, PageRange, UnroutedReason]]:
    """Index, pages and reason of the documents that were given no schema; not of those that a person left out."""
    for index, pages in enumerate(job.page_ranges()):
        route = job.route_of(index)
        if route is not None and route.schema is None and route.reason is not UnroutedReason.IGNORED:
            yield index, pages, route.reason or UnroutedReason.NO_FIT


def left_out_pages(job: Job) -> dict[int, PageState]:
    """Pages of the documents that have no schema, and why nothing was asked about them."""
    found: dict[int, PageState] = {}
    for index, pages in enumerate(job.page_ranges()):
        route = job.route_of(index)
        if route is not None and route.schema is None:
            state = PageState.IGNORED if route.reason is UnroutedReason.IGNORED else PageState.UNROUTED
            found |= dict.fromkeys(pages.numbers(), state)
    return found


def unrouted_issues(job: Job) -> Iterator[Issue]:
    """What a reader of the result is told of them."""
    for _, pages, reason in unrouted_documents(job):
        is_one = pages.first == pages.last
        what, they = (f"Page {pages} was", "it has") if is_one else (f"Pages {pages} were", "they have")
        message = f"{what} not extracted: {_WHY[reason]}; run the job anew with the schema {they}."
        yield Issue(stage=Stage.PLAN, code=UNROUTED, message=message, page=pages.first)
