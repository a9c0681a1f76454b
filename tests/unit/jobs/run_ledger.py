"""What the simulated model is asked and answers, and the ledger of pages that follows from it."""

from __future__ import annotations

from service.domain.geometry import Point
from service.domain.jobs import Job
from service.domain.pages import TextSource
from service.domain.records import Confidence, FieldEntry, Fields, Location, PageCoverage, Verdict
from service.domain.steps import Step, StepKind, StepState
from service.extraction.merging.coverage import SplitCoverage, SplitOutcome, build_coverage
from service.jobs import lifecycle
from tests.fakes.memory_store import Tables

NAMES = ("number", "date", "total", "lines")


def asked(step: Step) -> tuple[tuple[int, str], ...]:
    """Pages and fields that a step asks for."""
    return tuple((page, name) for page in step.pages for name in step.fields or NAMES)


def ledger_of(tables: Tables, job: Job) -> tuple[PageCoverage, ...]:
    """Where each page ended; a model finds every field on the pages that gave words, and none elsewhere."""
    texts = {page: how for (key, page), how in tables.pages.items() if key == job.source_key}
    splits: list[SplitCoverage] = []
    fields: list[Fields] = []
    for number, step in enumerate(tables.of_run(job, StepKind.EXTRACT)):
        answered = step.id in tables.results
        outcome = SplitOutcome.DONE if answered else SplitOutcome.FAILED
        if answered or step.state is not StepState.DONE:  # one cut in halves counts by its halves
            pages = tuple(n for n in step.pages if answered or texts.get(n) is not TextSource.NONE)
            splits.append(SplitCoverage(index=number, pages=pages, outcome=outcome))
        found = [p for p in asked(step) if answered and texts.get(p[0]) in lifecycle.READABLE]
        fields += [{f"/{name}": _entry(page)} for page, name in found]
    return build_coverage(job.page_count or 0, texts, splits, fields)


def _entry(page: int) -> FieldEntry:
    corner = Point(0.0, 0.0)
    place = Location(page=page, coordinates=(corner, corner, corner, corner))
    return FieldEntry(value="x", verdict=Verdict.FOUND, confidence=Confidence.HIGH, location=place)
