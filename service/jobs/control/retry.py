"""Retry a job: a new run of what failed, which takes over what is good."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import replace

from service.domain.errors import ErrorCode, StateError
from service.domain.jobs import Job, JobStatus
from service.domain.pages import TextSource
from service.domain.steps import Step, StepKind, StepState
from service.jobs.control.next_run import next_run, restart
from service.jobs.doubts import unrouted_documents
from service.jobs.planning import plan_chunks
from service.jobs.queries import lock_job
from service.jobs.services import Services
from service.jobs.settle import go_on, ring
from service.storage.store import Rows

_READ_AGAIN = (TextSource.FAILED, TextSource.UNREADABLE)


def retry_job(services: Services, tenant_id: str, job_id: str) -> Job:
    """Start a new run that takes over what is good and does only what failed.

    Raises:
        StateError: there is no such job, or nothing of it failed (`wrong_state`).
    """
    with services.store.write(durable=True) as rows:
        old = lock_job(rows, tenant_id, job_id)
        if not old.status.is_terminal or old.status is JobStatus.SUCCEEDED:
            raise StateError(
                ErrorCode.WRONG_STATE, f"The job {job_id!r} is {old.status}: there is nothing to retry; `rerun` it."
            )
        now = services.clock()
        unread = _unread_strangers(rows, old)
        rows.pages.let_read(old.source_key or "")
        if old.source_key is None or unread:
            routes = tuple(None if n in unread else route for n, route in enumerate(old.routes or ()))
            job, step = restart(rows, replace(old, routes=routes or None), now)
            waiting: tuple[Step, ...] = (step,)
        else:
            anew = _asked_anew(services, rows, old)
            new = next_run(old, now)
            waiting = _carry_over(rows, old, new, anew)
            waiting = (*waiting, *go_on(services, rows, new, old))
            job = lock_job(rows, tenant_id, job_id)
    ring(services, waiting)
    return job


def _unread_strangers(rows: Rows, job: Job) -> frozenset[int]:
    """Documents that may have been given no schema because pages of them could not be read."""
    sources = rows.pages.sources(job.source_key or "")
    unread = {page for page, source in sources.items() if source in _READ_AGAIN}
    return frozenset(n for n, pages, _ in unrouted_documents(job) if unread & {*pages.numbers()})


def _asked_anew(services: Services, rows: Rows, job: Job) -> frozenset[int]:
    """Pages of the chunks that were asked without a page which is read now, again or for the first time."""
    sources = rows.pages.sources(job.source_key or "")
    kept = {page for page, source in sources.items() if source not in _READ_AGAIN}
    read_again = {*range(1, (job.page_count or 0) + 1)} - kept
    asked = {page for step in rows.steps.of_run(job, StepKind.EXTRACT) for page in step.pages}
    able = services.models.resolve(job.options.model)[0].capabilities
    lacking = (chunk for chunk in plan_chunks(job, able) if (read_again - asked) & set(chunk.pages))
    return frozenset(page for chunk in lacking for page in chunk.pages)


def _carry_over(rows: Rows, old: Job, new: Job, anew: Collection[int]) -> tuple[Step, ...]:
    """The old run's opening and splits as steps of the new one: what was done stays done, the rest waits again.

    Splits of the pages `anew` are left out: they are planned again.
    """
    steps: list[Step] = []
    splits = (s for s in rows.steps.of_run(old, StepKind.EXTRACT) if not set(s.pages) & set(anew))
    for step in (*rows.steps.of_run(old, StepKind.OPEN), *splits):
        done = step.state is StepState.DONE
        twin = _twin(step, new, done=done)
        steps.append(twin)
        rows.steps.add([twin])
        if done:
            rows.steps.copy_result(step.id, twin.id)
    return tuple(step for step in steps if step.state is StepState.QUEUED)


def _twin(step: Step, new: Job, *, done: bool) -> Step:
    now = new.started_at or 0.0
    return replace(
        step,
        id=f"step_{uuid.uuid4().hex}",
        run=new.run,
        state=StepState.DONE if done else StepState.QUEUED,
        version=0,
        owner=None,
        attempt=0,
        fault=None,
        not_before=0.0,
        rung_at=now,
        created_at=now,
    )
