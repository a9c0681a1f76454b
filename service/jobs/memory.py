"""Learning from approved documents, and what was learned brought to the next document of the same layout."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from service.domain.corrections import ReviewAction, ReviewEvent
from service.domain.errors import ErrorCode, StateError
from service.domain.jobs import Job
from service.domain.judgements import Judgement
from service.domain.memory import Landmark, Lessons, Memory
from service.domain.pages import PageText
from service.domain.records import Confidence, Record
from service.extraction.confidence.judging import judge
from service.extraction.learning.memory import SAME_LAYOUT, Reviewed, landmarks, learn, likeness, title_of
from service.extraction.reviewing.overlay import lay_over
from service.jobs.current import Current, corrected, load_machine
from service.jobs.doubts import find_doubts
from service.jobs.services import Services
from service.jobs.settle import Claim
from service.storage.store import Rows

MOST_LISTED = 500
_MOST_KNOWN = 300
"""Memories of a schema that are looked through, the newest."""
_MOST_COMPARED = 40
"""Of these, those that are compared place by place: the ones that share most words."""
_MOST_USED = 5
_WORSE = 0.15
"""How much less alike than the best one another memory may be."""
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
                known[schema.name] = rows.memories.newest(job.tenant_id, schema.name, _MOST_KNOWN)
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


def recall(rows: Rows, claim: Claim) -> tuple[Memory, ...]:
    """The memories of the layout of a split's document, the newest first; none where nothing like it was seen."""
    job = claim.job
    schema_name = job.parsed_schemas()(claim.step.document).name
    known = rows.memories.newest(job.tenant_id, schema_name, _MOST_KNOWN)
    if not known:
        return ()
    document = job.page_ranges()[claim.step.document]
    first = _first_worded(rows.pages.load(job.source_key or "", document.numbers()[:3]))
    return () if first is None else alike(known, landmarks(first))


def alike(known: Sequence[Memory], seen: Sequence[Landmark]) -> tuple[Memory, ...]:
    """Those of the memories that are of the layout, in their order."""
    words = {mark.text for mark in seen}
    shared = sorted(known, key=lambda memory: -len(words.intersection(m.text for m in memory.landmarks)))
    scored = {memory.id: likeness(memory.landmarks, seen) for memory in shared[:_MOST_COMPARED]}
    least = max(SAME_LAYOUT, max(scored.values(), default=0.0) - _WORSE)
    return tuple(memory for memory in known if scored.get(memory.id, 0.0) >= least)[:_MOST_USED]


def lessons_of(memories: Sequence[Memory]) -> Lessons:
    """All that some memories say, the newest first."""
    return Lessons(
        fields=tuple(lesson for memory in memories for lesson in memory.lessons),
        tables=tuple(table for memory in memories for table in memory.tables),
    )


def list_memories(services: Services, tenant_id: str, schema_name: str | None) -> tuple[Memory, ...]:
    """What is remembered, the newest first."""
    with services.store.read() as rows:
        return rows.memories.newest(tenant_id, schema_name, MOST_LISTED)


def delete_memory(services: Services, tenant_id: str, memory_id: str) -> None:
    """Forget one document's lessons.

    Raises:
        StateError: `job_not_found`-like: there is no such memory.
    """
    with services.store.write(durable=True) as rows:
        if not rows.memories.remove(tenant_id, memory_id):
            raise StateError(ErrorCode.MEMORY_NOT_FOUND, f"There is no memory {memory_id[:60]!r}; it may be forgotten.")
    services.store.forget_deleted()


def _texts(rows: Rows, job: Job, current: Current) -> dict[int, PageText]:
    """The pages that the looked-at records are on."""
    pages = sorted({page for record in current.result.records for page in record.pages})
    return {text.page: text for text in rows.pages.load(job.source_key or "", pages)}


def _memory(job: Job, reviewed: Reviewed, known: Sequence[Memory], by: tuple[str, float]) -> Iterator[Memory]:
    """What a record teaches; nothing where it teaches nothing, or its first page has no words."""
    first = _first_worded([reviewed.texts[page] for page in reviewed.record.pages if page in reviewed.texts])
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


def _first_worded(texts: Sequence[PageText]) -> PageText | None:
    return next((text for text in texts if text.words), None)


def _seconds(events: Sequence[ReviewEvent], now: float) -> float | None:
    claimed = [event.at for event in events if event.action is ReviewAction.CLAIM]
    return round(now - claimed[-1], 1) if claimed else None
