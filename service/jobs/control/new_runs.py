"""Retry and rerun a job: new runs, of what failed or with what is changed."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.jobs import Job, JobOptions, JobStatus, ReviewState, Step, StepKind, StepState
from service.domain.pages import PageRange, TextSource
from service.domain.records import NO_USAGE
from service.domain.routes import JobSchema, Route, UnroutedReason
from service.jobs.doubts import unrouted_documents
from service.jobs.events.webhooks import check_webhook
from service.jobs.intake.model_rules import check_model_rules
from service.jobs.intake.schemas import ChosenSchemas
from service.jobs.intake.submit import check_schemas
from service.jobs.planning import first_step, plan_chunks
from service.jobs.queries import get_job, lock_job
from service.jobs.services import Services
from service.jobs.settle import go_on, ring, save_status
from service.jobs.steps.mend_pages import PageWishes, mend_pages
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
            job, step = _restart(rows, replace(old, routes=routes or None), now)
            waiting: tuple[Step, ...] = (step,)
        else:
            anew = _asked_anew(services, rows, old)
            new = _next_run(old, now)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenDocument:
    """A document inside the file, as a person sees it."""

    pages: PageRange
    schema: JobSchema | None = None
    """None: the job's only one, or the one of several that it fits."""
    is_ignored: bool = False
    """Whether nothing is to be extracted from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a person says of a file before a new run."""

    documents: Sequence[GivenDocument] | None = None
    """The documents inside it, which must cover its pages; None: found anew."""
    pages: PageWishes = field(default_factory=PageWishes)


NOTHING_GIVEN = Given()


def rerun_job(
    services: Services,
    tenant_id: str,
    job_id: str,
    *,
    schemas: ChosenSchemas | None = None,
    options: JobOptions | None = None,
    given: Given = NOTHING_GIVEN,
) -> Job:
    """Start a new run of everything but the reading of pages that need none, with what is changed.

    Args:
        services: of this process.
        tenant_id: whose job it is.
        job_id: the job.
        schemas: another schema, or several to choose from; None: the same.
        options: other options; None: the same.
        given: what a person says of the file.

    Raises:
        StateError: there is no such job, or its run is not over (`wrong_state`).
        InputError: what is changed cannot be taken.
    """
    old = get_job(services, tenant_id, job_id)
    wanted = options or old.options
    chosen = schemas or ChosenSchemas(schemas=old.schemas, is_routed=old.is_routed)
    laid_out = _laid_out(chosen, given.documents)
    check_schemas(services, laid_out.schemas, wanted.model)
    check_model_rules(services, tenant_id, wanted, laid_out.schemas)
    check_webhook(services, wanted)
    with services.store.write(durable=True) as rows:
        old = lock_job(rows, tenant_id, job_id)
        if not old.status.is_terminal:
            raise StateError(ErrorCode.WRONG_STATE, f"The job {job_id!r} is {old.status}; cancel it or wait.")
        if laid_out.documents is not None:
            _check_documents(laid_out.documents, old.page_count)
        if given.pages.pages:
            mend_pages(rows, old, given.pages, services.clock())
        split = wanted.split_documents or given.documents is not None
        changed = replace(
            old,
            schemas=laid_out.schemas,
            is_routed=laid_out.is_routed,
            options=replace(wanted, split_documents=split),
            documents=laid_out.documents,
            routes=laid_out.routes,
        )
        job, step = _restart(rows, changed, services.clock())
    ring(services, [step])
    return job


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """What a run starts with of its schemas and documents; see `Job`."""

    schemas: tuple[JobSchema, ...]
    is_routed: bool
    documents: tuple[PageRange, ...] | None = None
    routes: tuple[Route | None, ...] | None = None


def _laid_out(chosen: ChosenSchemas, given: Sequence[GivenDocument] | None) -> _Layout:
    """A schema that a person gave to a document is a route that is not looked for; the others are found as usual."""
    if given is None:
        return _Layout(schemas=chosen.schemas, is_routed=chosen.is_routed)
    schemas = list(chosen.schemas)
    for document in given:
        if document.schema is not None and document.schema not in schemas:
            schemas.append(document.schema)
    documents = tuple(document.pages for document in given)
    if all(document.is_ignored for document in given):
        raise _boundary_fault("nothing is left to extract from")
    ignored = Route(schema=None, reason=UnroutedReason.IGNORED)
    if len(schemas) == 1 and not chosen.is_routed:
        kept = tuple(ignored if document.is_ignored else Route(schema=0) for document in given)
        routes = kept if ignored in kept else None
        return _Layout(schemas=chosen.schemas, is_routed=False, documents=documents, routes=routes)
    usual = None if chosen.is_routed else Route(schema=0)
    found = tuple(usual if d.schema is None else Route(schema=schemas.index(d.schema)) for d in given)
    routes = tuple(ignored if d.is_ignored else route for d, route in zip(given, found, strict=True))
    return _Layout(schemas=tuple(schemas), is_routed=True, documents=documents, routes=routes)


def _check_documents(documents: tuple[PageRange, ...], page_count: int | None) -> None:
    """Refuse boundaries that would lose a page, or give it to two documents.

    Raises:
        InputError: `invalid_request_body`, with the first page that is wrong.
    """
    wanted = 1
    for number, document in enumerate(documents):
        if document.first != wanted:
            raise _boundary_fault(f"document {number + 1} must begin at page {wanted}, behind the one before it")
        wanted = document.last + 1
    if page_count is None:
        raise _boundary_fault("the file was never opened, so that its pages are not known")
    if wanted != page_count + 1:
        raise _boundary_fault(f"the last document must end at page {page_count}, the file's last")


def _boundary_fault(why: str) -> InputError:
    return InputError(
        ErrorCode.INVALID_REQUEST, f"The documents cannot be taken: {why}. Each page is in one.", param="documents"
    )


def _next_run(job: Job, now: float) -> Job:
    return replace(
        job,
        run=job.run + 1,
        status=JobStatus.QUEUED,
        started_at=now,
        finished_at=None,
        planned=False,
        fault=None,
        usage=NO_USAGE,
        review=ReviewState.NOT_NEEDED,
        review_reasons=(),
        claimed_by=None,
        claimed_until=0.0,
        decided_by=None,
        decided_at=None,
        revision=job.revision + 1,
    )


def _restart(rows: Rows, new: Job, now: float) -> tuple[Job, Step]:
    """A run from its first step; pages that were read are not read again."""
    job = _next_run(new, now)
    step = first_step(job, now)
    rows.steps.add([step])
    save_status(rows, job, now)
    return job, step


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
