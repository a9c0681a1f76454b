"""What a run needs next: how far it is, its splits, and the steps that are made of them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from service.clients.base import Capabilities
from service.domain.jobs import Job
from service.domain.pages import TextSource
from service.domain.steps import FIRST_STEPS, QueueName, Step, StepKind
from service.extraction.splitting.plan import PlannedSplit, SchemaRoom, group_fields, plan_splits, split_by_fields
from service.jobs import lifecycle
from service.jobs.lifecycle import READABLE, NewStep, RunView
from service.jobs.services import Services
from service.storage.store import Rows

_FIRST_FREE_ORDINAL = 1_000_000
"""Above every planned split."""


def view_run(services: Services, rows: Rows, job: Job, more: Sequence[NewStep]) -> RunView:
    """The run as the state machine sees it, `more` counted as if it were already there."""
    tallies = dict(rows.steps.tallies(job))
    for new in more:
        tally = tallies.get(new.kind, lifecycle.EMPTY)
        tallies[new.kind] = replace(tally, open=tally.open + 1)
    if job.planned or job.status.is_terminal or job.page_count is None:
        return RunView(status=job.status, tallies=tallies, planned=job.planned, page_count=job.page_count)
    able = services.models.resolve(job.options.model)[0].capabilities
    pages = rows.pages.sources(job.source_key or "")
    return RunView(
        status=job.status,
        tallies=tallies,
        planned=False,
        page_count=job.page_count,
        laid_out=job.is_laid_out,
        pages=pages,
        chunks=plan_chunks(job, able),
        sent=rows.steps.ordinals(job, StepKind.EXTRACT) if StepKind.EXTRACT in tallies else (),
        queue=QueueName(able.queue),
        sendable=READABLE if able.pages_as == "reference" else READABLE | {TextSource.UNREADABLE, TextSource.FAILED},
        shows_unread=able.pages_as == "file" and not _has_memory(rows, job),
        range_pages=services.limits.read_range_pages,
    )


def _has_memory(rows: Rows, job: Job) -> bool:
    """Whether something was learned of its schemas: then the words of its pages tell what the model is told besides."""
    return any(rows.memories.newest(job.tenant_id, name, 1) for name in job.schema_names())


def schema_room(able: Capabilities) -> SchemaRoom:
    """How large a schema one request of a model holds."""
    return SchemaRoom(
        max_properties=able.max_properties,
        max_chars=able.max_schema_chars,
        max_name_chars=able.max_name_chars,
        flat=not able.nested_objects,
    )


def plan_chunks(job: Job, able: Capabilities) -> tuple[PlannedSplit, ...]:
    """The splits of a run over all its pages; the same at each call, so that it need not be stored."""
    if not job.is_laid_out:
        return ()
    wanted = job.options.pages_per_chunk or able.default_pages_per_chunk
    if able.max_pages is None:
        wanted = None  # it wants whole documents, however long
    elif wanted is not None:
        wanted = min(wanted, able.max_pages)
    documents = job.page_ranges()
    planned = plan_splits(range(1, (job.page_count or 1) + 1), documents, pages_per_chunk=wanted)
    used = [None if route is None else route.schema for route in map(job.route_of, range(len(documents)))]
    groups = {
        index: group_fields(job.schemas[index].parse(), schema_room(able)) for index in {*used} if index is not None
    }
    return split_by_fields(planned, [() if index is None else groups[index] for index in used])


def first_step(job: Job, now: float, queue: QueueName = QueueName.CPU) -> Step:
    """The step every run starts with."""
    return _new_step(job, NewStep(kind=StepKind.OPEN, ordinal=0, queue=queue), 0, now)


def new_steps(rows: Rows, job: Job, wanted: Sequence[NewStep], now: float) -> tuple[Step, ...]:
    """Steps that a run needs next, not yet stored."""
    free: dict[StepKind, int] = {}
    return tuple(_new_step(job, new, _ordinal(rows, job, new, free), now) for new in wanted)


def _ordinal(rows: Rows, job: Job, new: NewStep, free: dict[StepKind, int]) -> int:
    if new.ordinal >= 0:
        return new.ordinal
    if new.kind not in free:
        free[new.kind] = max([_FIRST_FREE_ORDINAL, *(n + 1 for n in rows.steps.ordinals(job, new.kind))])
    free[new.kind] += 1
    return free[new.kind] - 1


def _new_step(job: Job, new: NewStep, ordinal: int, now: float) -> Step:
    return Step(
        id=f"step_{uuid.uuid4().hex}",
        job_id=job.id,
        tenant_id=job.tenant_id,
        run=job.run,
        kind=new.kind,
        ordinal=ordinal,
        pages=new.pages,
        document=new.document,
        fields=new.fields,
        queue=new.queue,
        priority=job.options.priority.lane_of(ordinal if new.awaited else FIRST_STEPS),
        created_at=now,
        rung_at=now,
    )
