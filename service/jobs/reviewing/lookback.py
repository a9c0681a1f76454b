"""What the approval of a job teaches: whether the model was right, and where its layouts have their values."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from service.domain.corrections import ReviewAction, ReviewEvent
from service.domain.jobs import Job
from service.domain.judgements import Judgement
from service.domain.memory import Memory
from service.domain.pages import PageText
from service.domain.records import Confidence, Record
from service.extraction.confidence.judging import judge
from service.extraction.learning.memory import Reviewed, landmarks, learn, title_of
from service.extraction.reviewing.overlay import lay_over
from service.jobs.doubts import find_doubts
from service.jobs.learned.memory import MOST_KNOWN, alike, first_worded
from service.jobs.results.current import Current, corrected, load_machine
from service.storage.store import Rows

_SEEN_WHOLE = ("sample", "always")
"""Reasons that say nothing against the machine's answer: a person saw it all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookback:
    """What an approval of a job as it was at `revision` teaches."""

    revision: int
    memories: tuple[Memory, ...]
    judgements: tuple[Judgement, ...]


def look_back(rows: Rows, job: Job, who: str, now: float) -> Lookback:
    """What a person's review of a job says about the model, and about the layouts of its documents.

    Args:
        rows: of an open transaction.
        job: whose run is over.
        who: approves it.
        now: the time of the approval.
    """
    events = rows.reviews.of_job(job.id)
    result = load_machine(rows, job)
    overlay = lay_over(result.records, events, job.parsed_schemas(), run=job.run, turns=result.turns)
    current = corrected(result, overlay)
    machine = {record.id: as_called(record, result.demoted.get(record.id, ())) for record in result.records}
    texts = _texts(rows, job, current)
    known: dict[str, tuple[Memory, ...]] = {}
    memories: list[Memory] = []
    judgements: list[Judgement] = []
    doubts, schema_of = find_doubts(job, result.records, result.coverage), job.parsed_schemas()
    for record in current.result.records:
        schema = schema_of(record.index)
        marks = current.marks.get(record.id, {})
        tallies, changed = judge(record, machine[record.id], marks)
        judgements.append(
            Judgement(
                job_id=job.id,
                tenant_id=job.tenant_id,
                record_index=record.index,
                schema_name=schema.name,
                model=result.model,
                at=now,
                by=who,
                seconds=_seconds(events, now),
                passed=all(doubt in _SEEN_WHOLE for doubt in doubts),
                sampled=bool(doubts) and all(doubt in _SEEN_WHOLE for doubt in doubts),
                changed=changed,
                tallies=tallies,
            )
        )
        reviewed = Reviewed(record=record, machine=machine[record.id], marks=marks, schema=schema, texts=texts)
        if marks or changed:
            if schema.name not in known:
                known[schema.name] = rows.memories.newest(job.tenant_id, schema.name, MOST_KNOWN)
            memories.extend(_memory(job, reviewed, known[schema.name], (who, now)))
    return Lookback(revision=job.revision, memories=tuple(memories), judgements=tuple(judgements))


def as_called(record: Record, demoted: Sequence[str]) -> Record:
    """A record with the confidence that the model gave, before reviews spoke against it."""
    called = {path: replace(record.fields[path], confidence=Confidence.HIGH) for path in demoted}
    return replace(record, fields={**record.fields, **called})


def keep_lookback(rows: Rows, job: Job, seen: Lookback) -> None:
    """Put what a review taught in the place of what an earlier one of the same job did."""
    forget_lookback(rows, job)
    rows.memories.put(seen.memories)
    rows.judgements.put(seen.judgements)


def forget_lookback(rows: Rows, job: Job) -> None:
    """As if the job had never been approved."""
    rows.memories.forget(job.id)
    rows.judgements.forget(job.id)


def _texts(rows: Rows, job: Job, current: Current) -> dict[int, PageText]:
    """The pages that the looked-at records are on."""
    pages = sorted({page for record in current.result.records for page in record.pages})
    return {text.page: text for text in rows.pages.load(job.source_key or "", pages)}


def _memory(job: Job, reviewed: Reviewed, known: Sequence[Memory], by: tuple[str, float]) -> Iterator[Memory]:
    """What a record teaches; nothing where it teaches nothing, or its first page has no words."""
    first = first_worded([reviewed.texts[page] for page in reviewed.record.pages if page in reviewed.texts])
    lessons, tables = learn(reviewed)
    if first is None or not (lessons or tables):
        return
    seen = landmarks(first)
    same = alike([memory for memory in known if memory.job_id != job.id], seen)
    who, now = by
    yield Memory(
        id=f"mem_{uuid.uuid4().hex}",
        tenant_id=job.tenant_id,
        schema_name=reviewed.schema.name,
        layout_id=same[0].layout_id if same else f"layout_{uuid.uuid4().hex}",
        job_id=job.id,
        record_index=reviewed.record.index,
        title=title_of(first),
        landmarks=seen,
        lessons=lessons,
        tables=tables,
        created_at=now,
        created_by=who,
    )


def _seconds(events: Sequence[ReviewEvent], now: float) -> float | None:
    claimed = [event.at for event in events if event.action is ReviewAction.CLAIM]
    return round(now - claimed[-1], 1) if claimed else None
