"""The state machine of steps and runs: pure functions, no clock, no store.

Every change of a step or a run is decided here; the stores only apply it by compare-and-set. So the same functions run
under SQL and under the simulated crashes of the tests.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from service.domain.errors import ErrorCode
from service.domain.jobs import JobStatus
from service.domain.pages import PageRange, TextSource
from service.domain.steps import Fault, QueueName, Step, StepKind, StepState, StepTally, Tallies
from service.domain.traffic import ClosedRoad, Waiting
from service.extraction.splitting.plan import PlannedSplit

EMPTY = StepTally()
BACK_OFF_S = (1.0, 4.0, 16.0)
"""Wait before the second, third, … claim of a step that failed in a way that may pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRule:
    """How long a claim holds, and how often a step may be claimed."""

    lease_s: float
    max_attempts: int
    patience_s: float = 3600.0
    """How long a step waits for a provider that gives nothing."""


def claim(step: Step, *, owner: str, now: float, rule: LeaseRule) -> Step | None:
    """Take a step that is waiting, or whose owner went silent; None if it is not to be had."""
    waiting = step.state is StepState.QUEUED and step.not_before <= now
    if not (waiting or _is_silent(step, now)) or step.attempt >= rule.max_attempts:
        return None
    return _next(
        step,
        state=StepState.RUNNING,
        owner=owner,
        attempt=step.attempt + 1,
        lease_until=now + rule.lease_s,
        started_at=now,
    )


def finish(step: Step, *, owner: str, now: float) -> Step | None:
    """End a step well; None if the claim was lost, and then nothing of the work may be stored."""
    if step.state is not StepState.RUNNING or step.owner != owner:
        return None
    return _next(step, state=StepState.DONE, owner=None, finished_at=now)


def fail(
    step: Step, *, owner: str, now: float, fault: Fault, rule: LeaseRule, retry_after_s: float = 0.0
) -> Step | None:
    """Give a step back: to be claimed again if the fault may pass and claims are left, else failed for good."""
    if step.state is not StepState.RUNNING or step.owner != owner:
        return None
    if fault.retryable and step.attempt < rule.max_attempts:
        wait = max(retry_after_s, BACK_OFF_S[min(step.attempt, len(BACK_OFF_S)) - 1])
        return _next(step, state=StepState.QUEUED, owner=None, not_before=now + wait, fault=fault, waiting=None)
    return _next(step, state=StepState.FAILED, owner=None, finished_at=now, fault=fault)


def hand_back(step: Step, *, owner: str) -> Step | None:
    """Give a step back unharmed (a worker that shuts down): the claim does not count."""
    if step.state is not StepState.RUNNING or step.owner != owner:
        return None
    return _next(step, state=StepState.QUEUED, owner=None, attempt=step.attempt - 1)


def put_off(step: Step, *, owner: str, now: float, rule: LeaseRule, provider: str, road: ClosedRoad) -> Step | None:
    """Give a step back that cannot go now: the claim does not count, unless its provider gave nothing for too long.

    Limits alone end no step: patience is measured from when the provider began to give nothing while this step waited.
    """
    if step.state is not StepState.RUNNING or step.owner != owner:
        return None
    since = None
    until = now + road.wait_s
    if road.trouble_s is not None:
        known = step.waiting.since if step.waiting is not None else None
        since = max(now - road.trouble_s, now if known is None else known)
        if now - since >= rule.patience_s:
            fault = Fault(
                code=ErrorCode.PROVIDER_UNAVAILABLE,
                message=f"{provider} gave no answer for {rule.patience_s:.0f} s; no step waits longer for it.",
            )
            return _next(step, state=StepState.FAILED, owner=None, finished_at=now, fault=fault)
        until = min(until, since + rule.patience_s)
    waiting = Waiting(reason=road.reason, provider=provider, until=until, since=since)
    return _next(step, state=StepState.QUEUED, owner=None, attempt=step.attempt - 1, not_before=until, waiting=waiting)


def expire(step: Step, *, now: float, rule: LeaseRule) -> Step | None:
    """What the sweeper does with a step: None if all is well with it.

    A silent owner's step waits again; one that was claimed too often fails, since it takes its workers with it.
    """
    if not _is_silent(step, now):
        return None
    if step.attempt < rule.max_attempts:
        return _next(step, state=StepState.QUEUED, owner=None)
    fault = Fault(
        code=ErrorCode.ATTEMPTS_EXHAUSTED,
        message=f"The {step.kind} step was started {step.attempt} times and its worker ended each time.",
    )
    return _next(step, state=StepState.FAILED, owner=None, finished_at=now, fault=fault)


def cancel(step: Step, *, now: float) -> Step | None:
    """End a step whose run was cancelled; None if it is already over."""
    if step.state.is_terminal:
        return None
    return _next(step, state=StepState.CANCELLED, owner=None, finished_at=now)


def _is_silent(step: Step, now: float) -> bool:
    return step.state is StepState.RUNNING and step.lease_until < now


def _next(step: Step, **changes: object) -> Step:
    return replace(step, version=step.version + 1, **changes)  # pyright: ignore[reportArgumentType] - fields of Step


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStep:
    """A step that a run needs next."""

    kind: StepKind
    ordinal: int
    """-1: the next free one of its kind."""
    pages: tuple[int, ...] = ()
    document: int = 0
    fields: tuple[str, ...] = ()
    queue: QueueName = QueueName.CPU
    awaited: bool = True
    """Whether something waits for it already; what is not goes a lane lower, so that other files are opened first."""


def is_to_read(known: TextSource | None) -> bool:
    """Whether a run reads a page: it was not read yet, or an earlier run's reading of it failed, which may pass."""
    return known is None or known is TextSource.FAILED


READABLE = frozenset({TextSource.DIGITAL, TextSource.OCR})
"""Pages that gave words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """All that decides how a run goes on."""

    status: JobStatus
    tallies: Tallies
    planned: bool
    page_count: int | None = None
    laid_out: bool = True
    """Whether the documents inside the file and their schemas are known."""
    pages: Mapping[int, TextSource] | None = None
    """Pages read so far; may be left out once `planned`."""
    chunks: Sequence[PlannedSplit] = ()
    """The plan, as far as it is known; may be left out once `planned`."""
    sent: Collection[int] = ()
    """Ordinals of the chunks that have a step or need none."""
    queue: QueueName = QueueName.CPU
    """Where the model's calls belong."""
    sendable: frozenset[TextSource] = READABLE
    """Pages that the model is shown, by how they were read."""
    shows_unread: bool = False
    """Whether the model may be shown pages that are not read yet: it is given the file; only its answer needs words."""
    range_pages: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """How a run goes on: steps to add, and its new status and plan."""

    steps: tuple[NewStep, ...] = ()
    status: JobStatus
    planned: bool = False


def advance(run: RunView) -> Moves:
    """What a run needs next; asking twice without a change in between gives the same answer."""
    if run.status.is_terminal:
        return Moves(status=run.status, planned=run.planned)
    opened = run.tallies.get(StepKind.OPEN, EMPTY)
    if opened.failed:
        return Moves(status=JobStatus.FAILED, planned=run.planned)
    if opened.open or not opened.done or run.page_count is None:
        return Moves(status=JobStatus.QUEUED)
    if not run.planned:
        return _advance_reading(run)
    return _advance_extracting(run)


def _advance_reading(run: RunView) -> Moves:
    pages = run.pages or {}
    reads = run.tallies.get(StepKind.READ, EMPTY)
    missing = [n for n in range(1, (run.page_count or 0) + 1) if is_to_read(pages.get(n))]
    if missing and reads.total == 0:
        ranges = page_ranges(missing, run.range_pages)
        steps = tuple(NewStep(kind=StepKind.READ, ordinal=i, pages=r.numbers()) for i, r in enumerate(ranges))
        if run.shows_unread and run.chunks:
            asked = _chunk_steps(run, pages, {TextSource.FAILED, None, *run.sendable})
            later = (replace(step, awaited=False) for step in steps)
            return Moves(steps=(*asked, *later), status=JobStatus.EXTRACTING, planned=True)
        return Moves(steps=steps, status=JobStatus.READING)
    reading_over = reads.open == 0
    if not run.laid_out:
        plans = run.tallies.get(StepKind.PLAN, EMPTY)
        if plans.failed:
            return Moves(status=JobStatus.FAILED)
        wanted = reading_over and plans.total == 0
        steps = (NewStep(kind=StepKind.PLAN, ordinal=0),) if wanted else ()
        return Moves(steps=steps, status=JobStatus.READING)
    return _send_chunks(run, pages, reading_over)


def _send_chunks(run: RunView, pages: Mapping[int, TextSource], reading_over: bool) -> Moves:
    """Extract steps for the chunks whose pages are read; a page that gave nothing is not sent."""
    ready = [c for c in run.chunks if reading_over or not any(is_to_read(pages.get(n)) for n in c.pages)]
    steps = _chunk_steps(replace(run, chunks=ready), pages, run.sendable)
    extracts = run.tallies.get(StepKind.EXTRACT, EMPTY)
    if reading_over and not steps and extracts.open == 0:
        return _merge(planned=True, run=run)
    status = JobStatus.EXTRACTING if steps or extracts.total else JobStatus.READING
    return Moves(steps=steps, status=status, planned=reading_over)


def _chunk_steps(
    run: RunView, pages: Mapping[int, TextSource], shown: Collection[TextSource | None]
) -> tuple[NewStep, ...]:
    """Extract steps for the chunks that have none, with their pages that are known in one of these ways (None: not)."""
    steps: list[NewStep] = []
    for chunk in run.chunks:
        within = tuple(n for n in chunk.pages if pages.get(n) in shown)
        if within and chunk.index not in run.sent:
            new = NewStep(
                kind=StepKind.EXTRACT,
                ordinal=chunk.index,
                pages=within,
                document=chunk.document,
                fields=chunk.fields,
                queue=run.queue,
            )
            steps.append(new)
    return tuple(steps)


def _advance_extracting(run: RunView) -> Moves:
    if any(run.tallies.get(kind, EMPTY).open for kind in (StepKind.READ, StepKind.EXTRACT)):
        return Moves(status=JobStatus.EXTRACTING, planned=True)
    return _merge(planned=True, run=run)


def _merge(*, planned: bool, run: RunView) -> Moves:
    merges = run.tallies.get(StepKind.MERGE, EMPTY)
    if merges.failed:
        return Moves(status=JobStatus.FAILED, planned=planned)
    steps = () if merges.total else (NewStep(kind=StepKind.MERGE, ordinal=0),)
    return Moves(steps=steps, status=JobStatus.MERGING, planned=planned)


def page_ranges(pages: Sequence[int], most: int) -> tuple[PageRange, ...]:
    """Cover pages with ranges of neighbours that end at multiples of `most`.

    The file's first page is a range of its own, so that its model call starts early.
    """
    ranges: list[PageRange] = []
    for page in pages:
        last = ranges[-1] if ranges else None
        goes_on = last is not None and page == last.last + 1 and (page - 1) % most and last.last > 1
        if last is not None and goes_on:
            ranges[-1] = PageRange(last.first, page)
        else:
            ranges.append(PageRange(page, page))
    return tuple(ranges)


def final_status(tallies: Tallies, *, lost_pages: bool, readable: bool, gave: bool) -> JobStatus:
    """How a run ends once it is merged.

    Args:
        tallies: the steps of the run.
        lost_pages: whether a page could not be read or was not extracted.
        readable: whether any page ended otherwise than failed, or has values though not all that was asked of it came.
        gave: whether any page was extracted or has values. The steps cannot tell: one that was cut in halves is done,
            and gave nothing.
    """
    failed = tallies.get(StepKind.EXTRACT, EMPTY).failed > 0
    if not readable or (failed and not gave):
        return JobStatus.FAILED
    if failed or lost_pages:
        return JobStatus.PARTIALLY_SUCCEEDED
    return JobStatus.SUCCEEDED
