"""Rows of steps: loaded, changed by compare-and-set, counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, Subquery, and_, bindparam, func, insert, or_, select, update

from service.domain.jobs import Job
from service.domain.steps import Step, StepKind, StepState, StepTally, Tallies
from service.domain.traffic import Waiting
from service.storage import tables
from service.storage.codec import from_json, pack, to_columns, unpack
from service.storage.rows.jobs import JOB_COLUMNS, job_from

T = TypeVar("T")
_NAMES = tuple(f.name for f in fields(Step))
_COLUMNS = [tables.steps.c[name] for name in _NAMES]
"""All but the result, which is large."""
_OPEN = (StepState.QUEUED, StepState.RUNNING)
_STOOD_S = 1.0
"""Who was taken sooner did not stand in line: its worker rang for nobody, or the line was empty."""
_IN_ORDER_S = 5.0
"""Messages of one lane come in order, but a worker holds several steps of a message while others go on."""
# Made once: building a statement takes longer than running it, and each step needs these several times.
_GET = select(*_COLUMNS).where(tables.steps.c.id.in_(bindparam("step_ids", expanding=True)))
_GET_WITH_JOBS = (
    select(*_COLUMNS, *JOB_COLUMNS)
    .join_from(tables.steps, tables.jobs)
    .where(tables.steps.c.id.in_(bindparam("step_ids", expanding=True)))
)
_OF_RUN = and_(tables.steps.c.job_id == bindparam("of_job"), tables.steps.c.run == bindparam("of_run"))
_TALLIES = (
    select(tables.steps.c.kind, tables.steps.c.state, func.count())
    .where(_OF_RUN)
    .group_by(tables.steps.c.kind, tables.steps.c.state)
)
_STEPS_OF_RUN = select(*_COLUMNS).where(_OF_RUN).order_by(tables.steps.c.kind, tables.steps.c.ordinal)
_STEPS_OF_KIND = _STEPS_OF_RUN.where(tables.steps.c.kind == bindparam("of_kind"))
_ORDINALS = select(tables.steps.c.ordinal).where(_OF_RUN, tables.steps.c.kind == bindparam("of_kind"))
_PUT_BACK = (
    select(tables.steps.c.waiting)
    .where(_OF_RUN, tables.steps.c.state == StepState.QUEUED, tables.steps.c.not_before > tables.steps.c.created_at)
    .order_by(tables.steps.c.not_before)
)
_RESULT = select(tables.steps.c.result).where(tables.steps.c.id == bindparam("step_id"))
_ADD = insert(tables.steps)
_CHANGING = (
    "state",
    "version",
    "owner",
    "attempt",
    "lease_until",
    "not_before",
    "rung_at",
    "fault",
    "waiting",
    "started_at",
    "finished_at",
)
"""The rest is as it was when the step was made; to write it again would make SQLite look at every key and index."""
_SWAP = update(tables.steps).where(
    tables.steps.c.id == bindparam("old_id"), tables.steps.c.version == bindparam("old_version")
)


class StepRows:
    """Steps of all runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, steps: Sequence[Step]) -> None:
        """Insert new steps; the unique key (job, run, kind, ordinal) refuses a second one."""
        if steps:
            self._connection.execute(_ADD, [to_columns(step) for step in steps])

    def get(self, step_ids: Collection[str]) -> tuple[Step, ...]:
        """The steps that exist, in no order."""
        rows = self._connection.execute(_GET, {"step_ids": tuple(step_ids)})
        return tuple(from_json(Step, row) for row in rows.mappings())

    def get_with_jobs(self, step_ids: Collection[str]) -> tuple[tuple[Step, Job], ...]:
        """The steps that exist, in no order, each with its job."""
        rows = self._connection.execute(_GET_WITH_JOBS, {"step_ids": tuple(step_ids)})
        size = len(_NAMES)
        return tuple(
            (from_json(Step, dict(zip(_NAMES, row[:size], strict=True))), job_from(row[size:])) for row in rows
        )

    def of_run(self, job: Job, kind: StepKind | None = None) -> tuple[Step, ...]:
        """The steps of a job's current run, by kind and ordinal."""
        query = _STEPS_OF_RUN if kind is None else _STEPS_OF_KIND
        rows = self._connection.execute(query, {"of_job": job.id, "of_run": job.run, "of_kind": kind})
        return tuple(from_json(Step, row) for row in rows.mappings())

    def tallies(self, job: Job) -> Tallies:
        """How many steps of the current run stand where."""
        counted: dict[StepKind, dict[str, int]] = {}
        for kind, state, count in self._connection.execute(_TALLIES, {"of_job": job.id, "of_run": job.run}):
            name = "open" if StepState(state) in _OPEN else state
            into = counted.setdefault(StepKind(kind), {})
            if name != StepState.CANCELLED:
                into[name] = into.get(name, 0) + count
        return {kind: StepTally(**counts) for kind, counts in counted.items()}

    def ordinals(self, job: Job, kind: StepKind) -> frozenset[int]:
        """Ordinals in use by the current run's steps of one kind."""
        found = self._connection.execute(_ORDINALS, {"of_job": job.id, "of_run": job.run, "of_kind": kind})
        return frozenset(found.scalars())

    def swap(self, old: Step, new: Step, result: object | None = None) -> bool:
        """Write a changed step if nobody changed it since it was loaded; whether it was written."""
        columns = to_columns(new)
        values = {name: columns[name] for name in _CHANGING} | {"old_id": old.id, "old_version": old.version}
        if result is not None:
            values["result"] = pack(result)
        return self._connection.execute(_SWAP, values).rowcount == 1

    def result(self, step_id: str, kind: type[T]) -> T | None:
        """What a finished step left, or None."""
        body = self._connection.execute(_RESULT, {"step_id": step_id}).scalar()
        return None if body is None else unpack(kind, body)

    def copy_result(self, from_step: str, to_step: str) -> None:
        """Carry a finished step's result over to its twin of the next run."""
        body = select(tables.steps.c.result).where(tables.steps.c.id == from_step).scalar_subquery()
        self._connection.execute(update(tables.steps).where(tables.steps.c.id == to_step).values(result=body))

    def renew(self, owners: Collection[str], lease_until: float) -> frozenset[str]:
        """Extend the leases of these claims; the owners that still hold their step."""
        self._lock(tables.steps.c.owner.in_(owners))
        held = and_(tables.steps.c.owner.in_(owners), tables.steps.c.state == StepState.RUNNING)
        query = update(tables.steps).where(held).values(lease_until=lease_until).returning(tables.steps.c.owner)
        return frozenset(owner for owner in self._connection.execute(query).scalars() if owner)

    def note_rung(self, step_ids: Collection[str], at: float) -> None:
        """Remember when messages were sent."""
        self._lock(tables.steps.c.id.in_(step_ids))
        query = update(tables.steps).where(tables.steps.c.id.in_(step_ids)).values(rung_at=at)
        self._connection.execute(query)

    def silent(self, now: float, most: int) -> tuple[Step, ...]:
        """Running steps whose lease is over."""
        step = tables.steps.c
        query = select(*_COLUMNS).where(step.state == StepState.RUNNING, step.lease_until < now).limit(most)
        return tuple(from_json(Step, row) for row in self._connection.execute(query).mappings())

    def unheard(self, now: float, patience_s: float, most: int) -> tuple[Step, ...]:
        """Waiting steps that may be claimed and whose message seems lost, the urgent and old ones first.

        Each ring doubles the patience with a step, so that a long queue is not filled with repeats; and one whose turn
        has not come yet, for those in front of it are being taken, is only late.
        """
        step, lane = tables.steps.c, _lanes_that_move(now - patience_s)
        due = and_(step.state == StepState.QUEUED, step.not_before <= now)
        passed_over = or_(lane.c.reached.is_(None), step.rung_at < lane.c.reached - _IN_ORDER_S)
        quiet = and_(2 * step.rung_at - step.created_at <= now - patience_s, passed_over)
        lost = or_(quiet, step.rung_at < step.not_before)
        same = and_(lane.c.queue == step.queue, lane.c.priority == step.priority)
        query = select(*_COLUMNS).join_from(tables.steps, lane, same, isouter=True).where(due, lost)
        rows = self._connection.execute(query.order_by(step.priority, step.created_at).limit(most))
        return tuple(from_json(Step, row) for row in rows.mappings())

    def first_put_back(self, job: Job) -> Waiting | None:
        """Why those steps of the current run wait that were put back; the one that goes on first."""
        found = self._connection.execute(_PUT_BACK, {"of_job": job.id, "of_run": job.run}).scalars()
        return next((from_json(Waiting, waiting) for waiting in found if waiting is not None), None)

    def open_of(self, job: Job) -> tuple[Step, ...]:
        """Steps of the current run that are not over, to be changed in this order."""
        step = tables.steps.c
        query = select(*_COLUMNS).where(step.job_id == job.id, step.run == job.run, step.state.in_(_OPEN))
        rows = self._connection.execute(query.order_by(step.id).with_for_update())
        return tuple(from_json(Step, row) for row in rows.mappings())

    def _lock(self, which: ColumnElement[bool]) -> None:
        """Lock rows in one order for all, so that no two transactions that change several wait for each other."""
        query = select(tables.steps.c.id).where(which).order_by(tables.steps.c.id)
        self._connection.execute(query.with_for_update())

    def count_open_by_queue(self) -> dict[str, int]:
        """How many steps of all tenants wait or run, by queue."""
        step = tables.steps.c
        query = select(step.queue, func.count()).where(step.state.in_(_OPEN)).group_by(step.queue)
        return {queue: count for queue, count in self._connection.execute(query)}


def _lanes_that_move(since: float) -> Subquery:
    """Queues and priorities of which a step that had stood in line was taken since then, and when that one was rung."""
    step = tables.steps.c
    taken = and_(step.state == StepState.RUNNING, step.started_at > since)
    stood = step.started_at - step.rung_at >= _STOOD_S
    reached = func.max(step.rung_at).label("reached")
    return select(step.queue, step.priority, reached).where(taken, stood).group_by(step.queue, step.priority).subquery()
