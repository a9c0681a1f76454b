"""Jobs, steps and pages in memory: what `service.jobs.settle` asks of a store, in transactions that are all or nothing.

Values are immutable, so a transaction works on copies of the dictionaries and one assignment commits it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from service.domain.events import EventType
from service.domain.jobs import Job
from service.domain.pages import TextSource
from service.domain.records import JsonObject
from service.domain.steps import Step, StepKind, StepState, StepTally, Tallies


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that is stored at one moment."""

    jobs: dict[str, Job] = field(default_factory=dict)
    steps: dict[str, Step] = field(default_factory=dict)
    results: dict[str, object] = field(default_factory=dict)
    """By step."""
    pages: dict[tuple[str, int], TextSource] = field(default_factory=dict)
    """By source and page."""
    events: dict[int, tuple[str, JsonObject]] = field(default_factory=dict)
    """By position: the job and what is told."""

    def copy(self) -> Tables:
        """Tables that may be written without changing these."""
        return Tables(dict(self.jobs), dict(self.steps), dict(self.results), dict(self.pages), dict(self.events))

    def of_run(self, job: Job, kind: StepKind | None = None) -> tuple[Step, ...]:
        """The steps of a job's current run."""
        mine = (s for s in self.steps.values() if s.job_id == job.id and s.run == job.run)
        return tuple(s for s in mine if kind is None or s.kind is kind)


@dataclass(frozen=True, slots=True)
class MemorySteps:
    """See `service.storage.rows.steps.StepRows`."""

    tables: Tables

    def add(self, steps: Sequence[Step]) -> None:
        keys = {(s.job_id, s.run, s.kind, s.ordinal) for s in self.tables.steps.values()}
        for step in steps:
            key = (step.job_id, step.run, step.kind, step.ordinal)
            assert key not in keys, f"the unique key refuses a second step {key}"
            keys.add(key)
            self.tables.steps[step.id] = step

    def get(self, step_ids: Collection[str]) -> tuple[Step, ...]:
        return tuple(self.tables.steps[i] for i in dict.fromkeys(step_ids) if i in self.tables.steps)

    def get_with_jobs(self, step_ids: Collection[str]) -> tuple[tuple[Step, Job], ...]:
        return tuple((step, self.tables.jobs[step.job_id]) for step in self.get(step_ids))

    def of_run(self, job: Job, kind: StepKind | None = None) -> tuple[Step, ...]:
        return self.tables.of_run(job, kind)

    def tallies(self, job: Job) -> Tallies:
        counted: dict[StepKind, StepTally] = {}
        for step in self.tables.of_run(job):
            tally = counted.setdefault(step.kind, StepTally())
            if not step.state.is_terminal:
                counted[step.kind] = replace(tally, open=tally.open + 1)
            elif step.state is StepState.DONE:
                counted[step.kind] = replace(tally, done=tally.done + 1)
            elif step.state is StepState.FAILED:
                counted[step.kind] = replace(tally, failed=tally.failed + 1)
        return counted

    def ordinals(self, job: Job, kind: StepKind) -> frozenset[int]:
        return frozenset(s.ordinal for s in self.tables.of_run(job, kind))

    def swap(self, old: Step, new: Step, result: object | None = None) -> bool:
        if old.id not in self.tables.steps or self.tables.steps[old.id].version != old.version:
            return False
        self.tables.steps[old.id] = new
        if result is not None:
            self.tables.results[old.id] = result
        return True

    def open_of(self, job: Job) -> tuple[Step, ...]:
        return tuple(s for s in self.tables.of_run(job) if not s.state.is_terminal)

    def copy_result(self, from_step: str, to_step: str) -> None:
        if from_step in self.tables.results:
            self.tables.results[to_step] = self.tables.results[from_step]

    def renew(self, owners: Collection[str], lease_until: float) -> frozenset[str]:
        kept: set[str] = set()
        for step in tuple(self.tables.steps.values()):
            if step.owner in owners and step.state is StepState.RUNNING:
                self.tables.steps[step.id] = replace(step, lease_until=lease_until)
                kept.add(step.owner or "")
        return frozenset(kept)

    def silent(self, now: float) -> tuple[Step, ...]:
        running = (s for s in self.tables.steps.values() if s.state is StepState.RUNNING)
        return tuple(s for s in running if s.lease_until < now)


@dataclass(frozen=True, slots=True)
class MemoryJobs:
    """See `service.storage.rows.jobs.JobRows`."""

    tables: Tables

    def get(self, job_id: str, *, lock: bool = False) -> Job | None:
        return self.tables.jobs.get(job_id)

    def find(self, tenant_id: str, job_id: str, *, lock: bool = False) -> Job | None:
        return self.tables.jobs.get(job_id)

    def save(self, job: Job) -> None:
        self.tables.jobs[job.id] = job

    def save_told(self, job: Job) -> int:
        self.save(job)
        return 0

    def forget_password(self, job_id: str) -> None:
        assert job_id in self.tables.jobs


@dataclass(frozen=True, slots=True)
class MemoryPages:
    """See `service.storage.rows.files.PageRows`."""

    tables: Tables

    def sources(self, source_key: str) -> dict[int, TextSource]:
        return {page: how for (key, page), how in sorted(self.tables.pages.items()) if key == source_key}

    def let_read(self, source_key: str) -> None:
        for (key, page), how in self.tables.pages.items():
            if key == source_key and how is TextSource.UNREADABLE:
                self.tables.pages[key, page] = TextSource.FAILED


@dataclass(frozen=True, slots=True)
class MemoryEvents:
    """See `service.storage.rows.events.EventRows`."""

    tables: Tables

    def append(self, job: Job, kind: EventType, data: JsonObject, at: float, *, seq: int | None = None) -> None:
        self.tables.events[len(self.tables.events)] = (job.id, {"type": kind, **data})


class MemoryMemories:
    """See `service.storage.rows.memory.MemoryRows`; nothing was ever learned."""

    def newest(self, tenant_id: str, schema_name: str, most: int) -> tuple[()]:
        return ()


@dataclass(frozen=True, slots=True)
class MemoryRows:
    """The rows of one open transaction."""

    jobs: MemoryJobs
    steps: MemorySteps
    pages: MemoryPages
    events: MemoryEvents
    memories: MemoryMemories


class MemoryStore:
    """A store of one process without threads.

    Args:
        on_commit: is given the tables before and after each transaction, and may refuse it by raising.
    """

    def __init__(self, on_commit: Callable[[Tables, Tables], None]) -> None:
        self.tables = Tables()
        self._on_commit = on_commit

    @contextmanager
    def read(self) -> Generator[MemoryRows]:
        yield _rows(self.tables)

    @contextmanager
    def write(self, *, durable: bool = False) -> Generator[MemoryRows]:
        draft = self.tables.copy()
        yield _rows(draft)
        self._on_commit(self.tables, draft)
        self.tables = draft


def _rows(tables: Tables) -> MemoryRows:
    return MemoryRows(
        MemoryJobs(tables), MemorySteps(tables), MemoryPages(tables), MemoryEvents(tables), MemoryMemories()
    )
