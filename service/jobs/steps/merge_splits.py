"""Fold the splits of a run into records, account for every page, and end the run."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from service.domain.errors import ErrorCode
from service.domain.jobs import Job, JobStatus, ReviewState
from service.domain.pages import TextSource, Turns
from service.domain.records import (
    NO_USAGE,
    Extraction,
    Issue,
    PageState,
    Processing,
    Record,
    SplitRows,
    Stage,
    Usage,
    join_processing,
)
from service.domain.results import LOST_PAGES, RunResult
from service.domain.steps import Fault, Step, StepKind, StepState
from service.extraction.checks.check import run_checks
from service.extraction.confidence.trust import weigh
from service.extraction.grounding.ground import ground
from service.extraction.merging.coverage import SplitCoverage, SplitOutcome, build_coverage
from service.extraction.merging.merge import merge
from service.extraction.reviewing.overlay import lay_over
from service.extraction.schema.narrow import narrow_schema
from service.extraction.schema.shape import blank_extraction
from service.extraction.splitting.boundaries import find_documents
from service.jobs import lifecycle
from service.jobs.doubts import find_doubts, left_out_pages, unrouted_documents, unrouted_issues
from service.jobs.learned.calibrate import calibrate
from service.jobs.services import Services
from service.jobs.settle import Claim, Outcome
from service.jobs.steps.second_opinion import Asked, ask_embedded
from service.jobs.unique import note_unique
from service.storage.codec import pack
from service.storage.store import Rows

_LOOKED_AT_PAGES = 20
_FAULTS = frozenset(code.value for code in ErrorCode)
"""Codes of issues that tell of something lost; the others are notices."""


@dataclass(frozen=True, slots=True)
class _Splits:
    """The extract steps of a run and what the finished ones gave."""

    steps: tuple[Step, ...]
    answers: Mapping[str, Extraction]
    texts: Mapping[int, TextSource]
    page_issues: tuple[Issue, ...]
    turns: Turns


def merge_splits(services: Services, claim: Claim) -> Outcome:
    """Make the records of a run; the run is over once this outcome is settled."""
    job = claim.job
    splits = _load(services, job)
    merged = _merge_documents(services, job, splits)
    calibrated = calibrate(services, job, merged.records)
    records = calibrated.records
    coverage = build_coverage(
        job.page_count or 0,
        splits.texts,
        _split_coverage(splits),
        [record.fields for record in records],
        left_out=left_out_pages(job),
    )
    result = RunResult(
        records=records,
        coverage=coverage,
        issues=(
            *job.issues,
            *splits.page_issues,
            *_split_issues(splits),
            *unrouted_issues(job),
            *_several_documents(services, job),
            *merged.issues,
            *calibrated.issues,
        ),
        usage=job.usage + _taken_over(splits),
        processing=join_processing((*job.processing, *merged.processing)),
        model=services.models.canonical(job.options.model),
        splits=tuple(sorted(merged.balance, key=lambda rows: rows.split)),
        demoted=calibrated.demoted,
        turns=splits.turns,
        curves=calibrated.curves,
    )
    body = pack(result)
    return Outcome(apply=lambda rows, job: _publish(rows, job, result, body, services.clock()))


def _taken_over(splits: _Splits) -> Usage:
    """What those answers cost that the run has from an earlier one: nobody claimed their steps."""
    kept = (splits.answers[s.id].usage for s in splits.steps if s.attempt == 0 and s.id in splits.answers)
    return sum(kept, NO_USAGE)


def _load(services: Services, job: Job) -> _Splits:
    with services.store.read() as rows:
        steps = rows.steps.of_run(job, StepKind.EXTRACT)
        found = {s.id: rows.steps.result(s.id, Extraction) for s in steps if s.state is StepState.DONE}
        texts = rows.pages.sources(job.source_key or "")
        issues = rows.pages.issues(job.source_key or "")
        turns = rows.pages.turns(job.source_key or "")
    answers = {step_id: answer for step_id, answer in found.items() if answer is not None}
    answers |= _grounded_now(services, job, [(s, a) for s in steps if (a := answers.get(s.id)) and not a.grounded])
    return _Splits(steps, answers, texts, issues, turns)


def _grounded_now(
    services: Services, job: Job, late: Sequence[tuple[Step, Extraction]]
) -> Iterator[tuple[str, Extraction]]:
    """Answers that came before their pages were read, by step: now all are."""
    schema_of = job.parsed_schemas()
    for step, answer in late:
        with services.store.read() as rows:
            texts = {text.page: text for text in rows.pages.load(job.source_key or "", answer.pages)}
        schema = narrow_schema(schema_of(step.document), step.fields)
        yield step.id, replace(ground(answer, schema, texts), grounded=True)


@dataclass(slots=True)
class _Merged:
    """What the documents of a file became."""

    records: list[Record] = field(default_factory=list[Record])
    balance: list[SplitRows] = field(default_factory=list[SplitRows])
    issues: list[Issue] = field(default_factory=list[Issue])
    processing: list[Processing] = field(default_factory=list[Processing])


def _merge_documents(services: Services, job: Job, splits: _Splits) -> _Merged:
    schema_of = job.parsed_schemas()
    done = _Merged()
    for index, document in enumerate(job.page_ranges()):
        if job.schema_of(index) is None:
            continue
        schema = schema_of(index)
        answered = [n for n, s in enumerate(splits.steps) if s.document == index and s.id in splits.answers]
        answers = [splits.answers[splits.steps[n].id] for n in answered]
        lost = any(s.document == index and s.state is StepState.FAILED for s in splits.steps)
        if not answers and lost:
            continue
        asked = ask_embedded(services, job, index, splits.texts) if answers else Asked()
        merged = merge(
            [weigh(answer, asked.opinion) for answer in answers] or [blank_extraction(schema, document.numbers())],
            schema,
            index=index,
            record_id=f"rec_{uuid.uuid5(uuid.NAMESPACE_OID, f'{job.id}/{job.run}/{index}').hex}",
        )
        done.balance += [
            SplitRows(split=n, pages=splits.steps[n].pages, rows_in=rows_in, rows_out=rows_out)
            for n, (rows_in, rows_out) in zip(answered, merged.report.splits, strict=False)
        ]
        record = replace(merged.record, pages=document.numbers())
        if asked.opinion is not None:
            record = replace(record, conflicts=(*record.conflicts, *asked.opinion.conflicts(record)))
        done.records.append(run_checks(record, schema))
        done.issues += [issue for answer in answers for issue in answer.issues]
        done.issues += [*merged.report.issues(), *asked.issues]
        done.processing += asked.processing
    return done


def _split_coverage(splits: _Splits) -> Sequence[SplitCoverage]:
    outcome = {StepState.DONE: SplitOutcome.DONE, StepState.FAILED: SplitOutcome.FAILED}
    return [
        SplitCoverage(
            index=index,
            pages=tuple(
                n for n in step.pages if splits.texts.get(n) is not TextSource.NONE or step.id in splits.answers
            ),
            outcome=outcome.get(step.state, SplitOutcome.OPEN),
        )
        for index, step in enumerate(splits.steps)
        if step.state is not StepState.DONE or step.id in splits.answers  # one cut in halves counts by its halves
    ]


def _split_issues(splits: _Splits) -> Iterator[Issue]:
    for index, step in enumerate(splits.steps):
        if step.state is StepState.FAILED and step.fault is not None:
            first = step.pages[0] if step.pages else None
            yield Issue(stage=Stage.EXTRACT, code=step.fault.code, message=step.fault.message, page=first, split=index)


def _several_documents(services: Services, job: Job) -> Iterator[Issue]:
    """A warning when a short file that was taken as one document looks like several."""
    if job.options.split_documents or not 1 < (job.page_count or 0) <= _LOOKED_AT_PAGES:
        return
    with services.store.read() as rows:
        texts = rows.pages.load(job.source_key or "")
    found = find_documents(texts) if texts else ()
    if len(found) > 1:
        ranges = ", ".join(map(str, found))
        yield Issue(
            stage=Stage.PLAN,
            code="several_documents",
            message=f"The file looks like {len(found)} documents (pages {ranges}); `split_documents` keeps them apart.",
        )


def _publish(rows: Rows, job: Job, result: RunResult, body: bytes, now: float) -> Job:
    """The run's end, in the transaction that stores its result."""
    tallies = rows.steps.tallies(job)
    lost = any(row.state in LOST_PAGES for row in result.coverage) or any(unrouted_documents(job))
    readable = any(row.state is not PageState.FAILED or row.fields > 0 for row in result.coverage)
    gave = any(row.state is PageState.EXTRACTED or row.fields > 0 for row in result.coverage)
    status = lifecycle.final_status(tallies, lost_pages=lost, readable=readable, gave=gave)
    reasons = _reasons(rows, job, result)
    rows.jobs.put_result(job, body)
    return replace(
        job,
        status=status,
        finished_at=now,
        revision=job.revision + 1,
        fault=_first_fault(result) if status is JobStatus.FAILED else None,
        usage=result.usage,
        review=ReviewState.NEEDED if reasons else ReviewState.NOT_NEEDED,
        review_reasons=reasons,
    )


def _reasons(rows: Rows, job: Job, result: RunResult) -> tuple[str, ...]:
    """Why a person should look at it, once what people corrected in earlier runs is done again."""
    events = rows.reviews.of_job(job.id)
    records = result.records
    if events:
        records = lay_over(records, events, job.parsed_schemas(), run=job.run, turns=result.turns).records()
    return find_doubts(job, note_unique(rows, job, records), result.coverage)


def _first_fault(result: RunResult) -> Fault:
    """Why a run gave nothing: the first fault of a split or a page, not what was merely noticed on one."""
    for issue in result.issues:
        if issue.stage in (Stage.EXTRACT, Stage.READ) and issue.code in _FAULTS:
            return Fault(code=issue.code, message=issue.message)
    return Fault(code=ErrorCode.DAMAGED_FILE, message="No page of the file could be read.")
