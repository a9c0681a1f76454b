"""A world of jobs, workers, messages and a sweeper with a clock of its own.

The product's functions decide everything (`lifecycle`, `settle`); the world only chooses what happens next, and states
what must never happen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

from service.clients.base import Capabilities
from service.domain.errors import ClientError, ErrorCode, InputError, ServiceError
from service.domain.jobs import Job, JobOptions, JobStatus
from service.domain.pages import TextSource
from service.domain.records import JsonObject, PageState
from service.domain.routes import JobSchema
from service.domain.steps import Fault, Step, StepKind, StepState
from service.extraction.splitting.plan import PlannedSplit, SplitKind, halve
from service.jobs import lifecycle
from service.jobs.control.ending import end_cancelled
from service.jobs.control.retry import retry_job
from service.jobs.lifecycle import LeaseRule, NewStep
from service.jobs.planning import plan_chunks
from service.jobs.services import Services
from service.jobs.settle import (
    Claim,
    Outcome,
    claim_steps,
    go_on,
    ring,
    settle,
    settle_and_take,
    settle_failure,
)
from service.messaging.queue import Ring
from tests.fakes.memory_store import MemoryStore, Tables
from tests.unit.jobs.run_ledger import NAMES, asked, ledger_of
from tests.unit.jobs.run_setup import Setup

SOURCE: JsonObject = {"type": "object", "properties": {name: {"type": "string"} for name in NAMES}}
RULE = LeaseRule(lease_s=15.0, max_attempts=3)
LONGEST_RETRY_AFTER_S = 60.0
CALM_STEP_S = 5.0
CALM_ROUNDS = 30
"""Rounds of `CALM_STEP_S` in which every run must end once faults stop: a lease, the longest wait, and each stage."""
LOST = (PageState.FAILED, PageState.SKIPPED_LIMIT, PageState.NOT_REACHED, PageState.UNREADABLE)


@dataclass(slots=True)
class Hand:
    """A claim in a worker's hands."""

    claim: Claim
    paused: bool = False
    """A worker that stands still renews nothing."""


@dataclass(slots=True)
class Client:
    capabilities: Capabilities


@dataclass(slots=True)
class Models:
    setups: dict[str, Setup]

    def resolve(self, name: str) -> tuple[Client, str]:
        setup = self.setups[name]
        able = Capabilities(
            queue="io" if setup.io else "cpu",
            pages_as="file" if setup.io else "reference",
            max_pages=20 if setup.io else None,
            default_pages_per_chunk=7 if setup.io else None,
            max_properties=2 if setup.narrow else 100,
            max_schema_chars=10_000,
            max_file_bytes=1,
            nested_objects=True,
        )
        return Client(able), name


@dataclass(slots=True)
class MessageBag:
    """A `TaskQueue` whose messages lie in a heap until somebody takes one out."""

    rings: list[Ring] = field(default_factory=list)

    def send(self, rings: Sequence[Ring]) -> bool:
        self.rings += rings
        return True


class World:
    """Tables, messages, hands and the clock."""

    def __init__(self, setups: Sequence[Setup]) -> None:
        self.now = 1000.0
        self.setups = {f"model-{n}": setup for n, setup in enumerate(setups)}
        self.store = MemoryStore(self._watch)
        self.bag = MessageBag()
        self.hands: list[Hand] = []
        self.merged: Counter[tuple[str, int]] = Counter()
        parts = SimpleNamespace(
            store=self.store,
            queue=self.bag,
            models=Models(self.setups),
            rule=RULE,
            limits=SimpleNamespace(read_range_pages=5),
            clock=lambda: self.now,
            process_id="process",
        )
        self.services = cast(Services, parts)  # only what settling a step asks for
        for name in self.setups:
            self._submit(name)

    @property
    def tables(self) -> Tables:
        return self.store.tables

    # what may happen

    def _submit(self, model: str) -> None:
        setup = self.setups[model]
        job = Job(
            id=f"job-{model}",
            tenant_id="tenant",
            file_id="file",
            status=JobStatus.QUEUED,
            run=1,
            revision=1,
            schemas=(JobSchema(source=SOURCE, name="invoice", version=None),),
            options=JobOptions(model=model, split_documents=setup.split, pages_per_chunk=setup.chunk),
            engine="test",
            external_id=None,
            metadata={},
            created_at=self.now,
        )
        self._start_run(job)

    def _start_run(self, job: Job) -> None:
        with self.store.write() as rows:
            rows.jobs.save(job)
            added = go_on(self.services, cast(Any, rows), job, job, [NewStep(kind=StepKind.OPEN, ordinal=0)])
        ring(self.services, added)

    def retry(self, job: Job) -> None:
        """A new run does what failed; messages and workers of the old one are still about."""
        if job.status.is_terminal and job.status is not JobStatus.SUCCEEDED and job.run < 4:
            retry_job(self.services, job.tenant_id, job.id)

    def deliver(self, message: Ring, *, again: bool = False) -> None:
        """A worker takes a message; with `again` the queue keeps it and delivers it once more."""
        if not again:
            self.bag.rings.remove(message)
        self.hands += [Hand(claim) for claim in claim_steps(self.services, message.step_ids)]

    def drop(self, message: Ring) -> None:
        """A message is lost."""
        self.bag.rings.remove(message)

    def tick(self, seconds: float) -> None:
        """Time goes by; workers that are awake renew their leases."""
        self.now += seconds
        awake = [h.claim.owner for h in self.hands if not h.paused]
        with self.store.write() as rows:
            rows.steps.renew(awake, self.now + RULE.lease_s)

    def crash(self, hand: Hand) -> None:
        """A worker ends without a word."""
        self.hands.remove(hand)

    def hand_back(self, hand: Hand) -> None:
        """A worker is told to shut down."""
        self.hands.remove(hand)
        with self.store.write() as rows:
            (step,) = rows.steps.get([hand.claim.step.id])
            given = lifecycle.hand_back(step, owner=hand.claim.owner)
            if given is not None:
                assert rows.steps.swap(step, given)
        if given is not None:
            ring(self.services, [given])

    def finish(self, hand: Hand, *, most_pages: int | None = None, rung: bool = True, takes: bool = False) -> None:
        """The work is done: `most_pages` of a reading step, and with `rung` off the worker dies before it rings.

        With `takes` it goes on with the first step that follows.
        """
        most = 1 if takes else 0

        def store() -> tuple[Step, ...]:
            outcome = self._work(hand.claim, most_pages)
            settled = settle_and_take(self.services, hand.claim, outcome, lambda steps: next(iter(steps[:most]), None))
            self.hands += [Hand(settled.mine)] if settled.mine is not None else []
            return settled.following

        self._settle(hand, store, rung)

    def truncate(self, hand: Hand, *, rung: bool = True) -> None:
        """The model's answer was cut off."""
        if hand.claim.step.kind is StepKind.EXTRACT:
            self._settle(hand, lambda: settle(self.services, hand.claim, _halves(hand.claim.step)), rung)

    def fail(self, hand: Hand, *, retryable: bool, retry_after_s: float = 0.0, rung: bool = True) -> None:
        """The work went wrong."""
        error: ServiceError = InputError(ErrorCode.DAMAGED_FILE, "The file is damaged.")
        if retryable:
            error = ClientError(ErrorCode.MODEL_TIMEOUT, "Slow.", retryable=True, retry_after_s=retry_after_s)
        self._settle(hand, lambda: settle_failure(self.services, hand.claim, error), rung)

    def _settle(self, hand: Hand, store: Callable[[], tuple[Step, ...]], rung: bool) -> None:
        self.hands.remove(hand)
        before = self.tables
        job, step = before.jobs[hand.claim.job.id], before.steps[hand.claim.step.id]
        holds = step.state is StepState.RUNNING and step.owner == hand.claim.owner
        added = store()
        if not holds or job.status.is_terminal or job.run != step.run:
            assert (before, ()) == (self.tables, added), f"a lost claim of {step} stored something"
        if rung:
            ring(self.services, added)

    def cancel(self, job: Job) -> None:
        """The caller cancels."""
        if job.status.is_terminal:
            return
        with self.store.write() as rows:
            end_cancelled(cast(Any, rows), job, self.now)

    def sweep(self, *, rings: bool = True) -> None:
        """The sweeper: silent steps expire, and what may be claimed is rung."""
        added: list[Step] = []
        with self.store.write() as rows:
            for step in rows.steps.silent(self.now):
                ended = lifecycle.expire(step, now=self.now, rule=RULE)
                assert ended is not None
                assert rows.steps.swap(step, ended)
                job = rows.jobs.get(step.job_id)
                if ended.state.is_terminal and job and job.run == step.run and not job.status.is_terminal:
                    added += go_on(self.services, cast(Any, rows), job, job)
        if rings:
            ring(self.services, [*added, *self._due()])

    def _due(self) -> Iterable[Step]:
        known = {step_id for message in self.bag.rings for step_id in message.step_ids}
        waiting = (s for s in self.tables.steps.values() if s.state is StepState.QUEUED and s.id not in known)
        return [s for s in waiting if s.not_before <= self.now]

    def calm_down(self) -> None:
        """No more faults: whoever worked is dead, messages arrive, the sweeper sweeps."""
        self.hands.clear()
        for _ in range(CALM_ROUNDS):
            self.sweep()
            for message in tuple(self.bag.rings):
                self.deliver(message)
            for hand in tuple(self.hands):
                self.finish(hand)
            self.tick(CALM_STEP_S)

    # what the work gives

    def _work(self, claim: Claim, most_pages: int | None) -> Outcome:
        setup, step, key = self.setups[claim.job.options.model], claim.step, claim.job.options.model
        if step.kind is StepKind.OPEN:
            if setup.slow and step.ordinal == 0:
                return Outcome(more=(NewStep(kind=StepKind.OPEN, ordinal=-1),))
            count = len(setup.pages)
            return Outcome(apply=lambda _rows, job: replace(job, source_key=key, page_count=count))
        if step.kind is StepKind.READ:
            return self._read(key, setup, step, most_pages)
        if step.kind is StepKind.PLAN:
            return Outcome(apply=lambda _rows, job: replace(job, documents=setup.boundaries()))
        if step.kind is StepKind.EXTRACT:
            shown = self._without_blank_ends(setup, step, claim.job.run)
            return Outcome(result=asked(shown) if shown.pages else None)
        return Outcome(apply=self._merge)

    @staticmethod
    def _without_blank_ends(setup: Setup, step: Step, run: int) -> Step:
        """What a model elsewhere is shown of a step's pages, which may not have been read yet."""
        inked = [n for n in step.pages if setup.read_as(n, run) is not TextSource.NONE]
        within = (n for n in step.pages if setup.io and inked and inked[0] <= n <= inked[-1])
        return replace(step, pages=tuple(within)) if setup.io else step

    def _read(self, key: str, setup: Setup, step: Step, most_pages: int | None) -> Outcome:
        missing = [n for n in step.pages if (key, n) not in self.tables.pages]
        read, rest = missing[:most_pages], missing[most_pages:] if most_pages is not None else []

        def keep(rows: Any, job: Job) -> Job:
            rows.pages.tables.pages.update({(key, n): setup.read_as(n, job.run) for n in read})
            return job

        return Outcome(apply=keep, more=(NewStep(kind=StepKind.READ, ordinal=-1, pages=tuple(rest)),) if rest else ())

    def _merge(self, rows: Any, job: Job) -> Job:
        tables: Tables = rows.steps.tables
        self.merged[job.id, job.run] += 1
        ledger = ledger_of(tables, job)
        status = lifecycle.final_status(
            rows.steps.tallies(job),
            lost_pages=any(row.state in LOST for row in ledger),
            readable=any(row.state is not PageState.FAILED or row.fields > 0 for row in ledger),
            gave=any(row.state is PageState.EXTRACTED or row.fields > 0 for row in ledger),
        )
        return replace(job, status=status, finished_at=self.now)

    # what must never happen

    def _watch(self, before: Tables, after: Tables) -> None:
        """Holds for every single transaction."""
        for job_id, job in before.jobs.items():
            new = after.jobs[job_id]
            if new is not job and job.status.is_terminal and job.run == new.run:
                assert job == new, "a run that is over changed"
        for step_id, new_step in after.steps.items():
            step = before.steps.get(step_id)
            if new_step is step:
                continue
            if step is not None:
                assert not step.state.is_terminal, "a step that is over changed"
                assert new_step.version >= step.version
            assert 0 <= new_step.attempt <= RULE.max_attempts
            assert (new_step.owner is not None) == (new_step.state is StepState.RUNNING)
        for step_id in after.results.keys() - before.results.keys():
            step = after.steps[step_id]
            assert step.state is StepState.DONE
            if step_id not in before.steps:
                continue  # carried over into a new run
            assert before.steps[step_id].state is StepState.RUNNING
            assert not before.jobs[step.job_id].status.is_terminal, "a result was stored after the run's end"

    def check_ended(self) -> None:
        """Holds once every run is over."""
        for job in self.tables.jobs.values():
            assert job.status.is_terminal, f"{job.status} for ever: {self.tables.of_run(job)}"
            assert not [s for s in self.tables.of_run(job) if not s.state.is_terminal], job.status
            merges = self.tables.of_run(job, StepKind.MERGE)
            assert len(merges) <= 1
            if any(s.state is StepState.DONE for s in merges):
                assert self.merged[job.id, job.run] == 1
                self._check_merged(job)
            else:
                assert job.status in (JobStatus.FAILED, JobStatus.CANCELLED)
                assert job.status is JobStatus.CANCELLED or job.fault is not None

    def _check_merged(self, job: Job) -> None:
        tables, setup = self.tables, self.setups[job.options.model]
        numbers = range(1, len(setup.pages) + 1)
        read = {n: tables.pages.get((job.source_key or "", n)) for n in numbers}
        lost = {n for s in tables.of_run(job, StepKind.READ) if s.state is StepState.FAILED for n in s.pages}
        assert all(how is not None or n in lost for n, how in read.items()), "a page is neither read nor failed"
        sendable = {n for n, how in read.items() if how in self._sendable(setup)}
        extracts = tables.of_run(job, StepKind.EXTRACT)
        able = self.services.models.resolve(job.options.model)[0].capabilities
        planned = {c.index for c in plan_chunks(job, able) if sendable & {*c.pages}}
        sent = {s.ordinal for s in extracts if s.ordinal < 1_000_000}
        assert planned <= sent, "a chunk was not sent"
        done = [p for s in extracts if s.id in tables.results for p in asked(s)]
        failed = [p for s in extracts if s.state is StepState.FAILED for p in asked(s)]
        whole = {(page, name) for page in sendable for name in NAMES}
        counted = Counter([*done, *failed])
        assert set(counted.values()) <= {1}, "a field of a page is asked for twice"
        assert whole <= {*counted}, "a field of a page is not asked for"
        if job.run == 1:  # a model elsewhere may have seen a page in an earlier run that cannot be read again
            unread = {n for n, how in read.items() if how in (None, TextSource.NONE) and setup.io}
            assert {page for page, _name in {*counted} - whole} <= unread, "a blank page that was read is asked for"
            assert setup.io or planned == sent
        if job.status is JobStatus.SUCCEEDED:
            assert not failed
            assert lost <= {page for page, _name in done}
        if any(read[page] in lifecycle.READABLE for page, _name in done):
            assert job.status is not JobStatus.FAILED
        if failed and not done:
            assert job.status is JobStatus.FAILED, "nothing was extracted"

    @staticmethod
    def _sendable(setup: Setup) -> set[TextSource]:
        return {*lifecycle.READABLE, TextSource.UNREADABLE, TextSource.FAILED} if setup.io else {*lifecycle.READABLE}


def _halves(step: Step) -> Outcome:
    split = PlannedSplit(
        index=0, pages=step.pages, document=step.document, kind=SplitKind.PAGE_CHUNK, fields=step.fields
    )
    halves = halve(split, first_index=0)
    if not halves:
        return Outcome(fault=Fault(code=ErrorCode.OUTPUT_TRUNCATED, message="Cut off on a single page."))
    more = (
        NewStep(
            kind=StepKind.EXTRACT, ordinal=-1, pages=h.pages, document=h.document, fields=h.fields, queue=step.queue
        )
        for h in halves
    )
    return Outcome(more=tuple(more))
