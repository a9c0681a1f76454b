"""Rows of steps, on every database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from service.domain.records import Issue, Stage
from service.domain.steps import Fault, Priority, QueueName, Step, StepKind, StepState, StepTally
from service.storage.store import Store
from tests.fakes.rows import a_job, a_step

JOB = a_job()
NOTE = Issue(stage=Stage.READ, code="noticed", message="A result that a step keeps.", page=3)


def _add(store: Store, *steps: Step) -> None:
    with store.write() as rows:
        rows.steps.add(steps)


def _get(store: Store, step_id: str = "step-1") -> Step:
    with store.read() as rows:
        (step,) = rows.steps.get([step_id])
    return step


def test_a_step_comes_back_as_it_was_stored(with_job: Store) -> None:
    """Every column of it."""
    step = a_step(
        kind=StepKind.EXTRACT,
        ordinal=1_000_007,
        pages=(3, 4),
        document=2,
        fields=("total", "größe"),
        queue=QueueName.IO,
        priority=Priority.LOW,
        state=StepState.RUNNING,
        version=5,
        owner="process:1",
        attempt=2,
        lease_until=1_796_000_000.125,
        not_before=3.5,
        rung_at=4.5,
        fault=Fault(code="model_timeout", message="Slow.", retryable=True),
        created_at=1.0,
        started_at=2.0,
        finished_at=3.0,
    )
    _add(with_job, step)
    assert step == _get(with_job)


def test_steps_are_found_by_id_and_by_run(with_job: Store) -> None:
    """Those of other runs are not this run's."""
    first, second = a_step("b", ordinal=1), a_step("a", ordinal=0)
    merge = a_step("c", kind=StepKind.MERGE)
    later = a_step("d", run=2)
    _add(with_job, first, second, merge, later)
    with with_job.read() as rows:
        assert {first, later} == {*rows.steps.get(["b", "d", "missing"])}
        assert rows.steps.get([]) == ()
        assert (merge, second, first) == rows.steps.of_run(JOB)
        assert (second, first) == rows.steps.of_run(JOB, StepKind.READ)
        assert (later,) == rows.steps.of_run(replace(JOB, run=2))
        assert frozenset({0, 1}) == rows.steps.ordinals(JOB, StepKind.READ)
        assert frozenset() == rows.steps.ordinals(JOB, StepKind.PLAN)


def test_a_second_step_of_the_same_place_is_refused(with_job: Store) -> None:
    """Whoever adds it; the whole transaction is undone."""
    _add(with_job, a_step())
    with pytest.raises(IntegrityError), with_job.write() as rows:
        rows.steps.add([a_step("other", ordinal=5), a_step("twin")])
    with with_job.read() as rows:
        assert (a_step(),) == rows.steps.of_run(JOB)


def test_tallies_count_the_current_run(with_job: Store) -> None:
    """Cancelled steps count nowhere."""
    states = [*StepState, StepState.QUEUED]
    steps = [a_step(f"s{n}", ordinal=n, state=state) for n, state in enumerate(states)]
    _add(with_job, *steps, a_step("m", kind=StepKind.MERGE, state=StepState.DONE), a_step("old", run=2))
    with with_job.read() as rows:
        read = StepTally(open=3, done=1, failed=1)
        assert {StepKind.READ: read, StepKind.MERGE: StepTally(done=1)} == rows.steps.tallies(JOB)
        assert rows.steps.tallies(replace(JOB, run=3)) == {}
    with with_job.write() as rows:
        assert [step.id for step in rows.steps.open_of(JOB)] == ["s0", "s1", "s5"]


def test_a_swap_needs_the_version_that_was_loaded(with_job: Store) -> None:
    """The second of two who loaded the same step changes nothing."""
    _add(with_job, a_step())
    mine = replace(a_step(), version=1, owner="me", state=StepState.RUNNING)
    theirs = replace(mine, owner="other")
    with with_job.write() as rows:
        assert rows.steps.swap(a_step(), mine)
        assert not rows.steps.swap(a_step(), theirs)
    assert mine == _get(with_job)
    with with_job.write() as rows:
        assert not rows.steps.swap(replace(a_step(), id="missing"), mine)


def test_a_result_is_kept_with_its_step_and_carried_over(with_job: Store) -> None:
    """Changing the step later does not lose it."""
    _add(with_job, a_step(), a_step("twin", run=2))
    done = replace(a_step(), version=1, state=StepState.DONE)
    with with_job.write() as rows:
        assert rows.steps.result("step-1", Issue) is None
        assert rows.steps.result("missing", Issue) is None
        assert rows.steps.swap(a_step(), done, NOTE)
        assert rows.steps.swap(done, replace(done, version=2))
        rows.steps.copy_result("step-1", "twin")
    with with_job.read() as rows:
        assert rows.steps.result("step-1", Issue) == NOTE
        assert rows.steps.result("twin", Issue) == NOTE


def test_renewing_tells_which_claims_still_hold(with_job: Store) -> None:
    """And does not stand in the way of the one who finishes: the version stays."""
    held = a_step("held", owner="me:1", state=StepState.RUNNING, lease_until=10.0)
    lost = a_step("lost", ordinal=1, owner="other:9", state=StepState.RUNNING, lease_until=10.0)
    over = a_step("over", ordinal=2, state=StepState.DONE)
    _add(with_job, held, lost, over)
    with with_job.write() as rows:
        assert {"me:1"} == rows.steps.renew(["me:1", "me:2"], 25.0)
        assert frozenset() == rows.steps.renew([], 99.0)
    assert replace(held, lease_until=25.0) == _get(with_job, "held")
    assert lost == _get(with_job, "lost")
    with with_job.write() as rows:
        assert rows.steps.swap(held, replace(held, version=1, state=StepState.DONE, owner=None))


def test_silent_steps_are_those_whose_lease_is_over(with_job: Store) -> None:
    """A lease holds until its last moment."""
    running = [
        a_step(f"s{n}", ordinal=n, state=StepState.RUNNING, owner=f"o{n}", lease_until=until)
        for n, until in enumerate([9.0, 10.0, 8.0])
    ]
    _add(with_job, *running, a_step("waiting", ordinal=9))
    with with_job.read() as rows:
        assert {"s0", "s2"} == {step.id for step in rows.steps.silent(10.0, 100)}
        assert len(rows.steps.silent(10.0, 1)) == 1


def _unheard(store: Store, now: float, most: int = 100) -> list[str]:
    with store.read() as rows:
        return [step.id for step in rows.steps.unheard(now, 6.0, most)]


def test_patience_with_a_silent_message_doubles(with_job: Store) -> None:
    """Rung at 0, again at 6, 18 and 42: each wait as long as all before it and the patience."""
    _add(with_job, a_step())
    for again_at in (6.0, 18.0, 42.0):
        assert _unheard(with_job, again_at - 0.5) == []
        assert _unheard(with_job, again_at) == ["step-1"]
        with with_job.write() as rows:
            rows.steps.note_rung(["step-1", "missing"], again_at)
    with with_job.write() as rows:
        rows.steps.note_rung([], 1.0)
    assert _get(with_job).rung_at == 42.0


def test_a_step_that_had_to_wait_is_rung_when_its_time_comes(with_job: Store) -> None:
    """However often it was rung before, but not early."""
    _add(with_job, a_step(rung_at=1000.0, not_before=1016.0))
    assert _unheard(with_job, 1015.0) == []
    assert _unheard(with_job, 1016.0) == ["step-1"]


def test_a_step_that_stands_in_a_moving_line_is_not_rung(with_job: Store) -> None:
    """Its message is there: those rung for before it are being taken; one that was passed over is rung."""
    _add(
        with_job,
        a_step("passed", ordinal=0, created_at=0.0, rung_at=0.0),
        a_step("taken", ordinal=1, created_at=9.0, rung_at=9.0, state=StepState.RUNNING, owner="me", started_at=98.0),
        a_step("behind", ordinal=2, created_at=9.1, rung_at=9.1),
        a_step("elsewhere", ordinal=3, created_at=9.1, rung_at=9.1, priority=Priority.BULK),
    )
    assert _unheard(with_job, 100.0) == ["passed", "elsewhere"]
    assert _unheard(with_job, 104.5) == ["passed", "behind", "elsewhere"]  # nothing was taken for a while


def test_a_step_that_was_taken_at_once_says_nothing_of_those_in_line(with_job: Store) -> None:
    """Its worker took it without a message."""
    _add(
        with_job,
        a_step("waiting", ordinal=0, created_at=5.0, rung_at=5.0),
        a_step(
            "at once", ordinal=1, created_at=98.0, rung_at=98.0, state=StepState.RUNNING, owner="a", started_at=98.1
        ),
        a_step("in line", ordinal=2, created_at=4.0, rung_at=4.0, state=StepState.RUNNING, owner="b", started_at=97.0),
    )
    assert _unheard(with_job, 100.0) == []


def test_urgent_and_old_steps_are_rung_first(with_job: Store) -> None:
    """Running ones not at all."""
    _add(
        with_job,
        a_step("bulk", ordinal=0, priority=Priority.BULK),
        a_step("young", ordinal=1, priority=Priority.HIGH, created_at=2.0, rung_at=2.0),
        a_step("old", ordinal=2, priority=Priority.HIGH, created_at=1.0, rung_at=1.0),
        a_step("busy", ordinal=3, state=StepState.RUNNING, owner="me"),
    )
    assert _unheard(with_job, 100.0) == ["old", "young", "bulk"]
    assert _unheard(with_job, 100.0, most=2) == ["old", "young"]
