"""The rules of steps and runs, one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.errors import ErrorCode
from service.domain.jobs import JobStatus
from service.domain.pages import PageRange, TextSource
from service.domain.steps import Fault, Step, StepKind, StepState, StepTally, Tallies
from service.domain.traffic import ClosedRoad, Waiting, WaitReason
from service.extraction.splitting.plan import PlannedSplit, SplitKind
from service.jobs import lifecycle
from service.jobs.lifecycle import BACK_OFF_S, LeaseRule, RunView

RULE = LeaseRule(lease_s=15.0, max_attempts=3)
WAITING = Step(id="step", job_id="job", tenant_id="tenant", run=1, kind=StepKind.READ, ordinal=0)
HELD = replace(WAITING, state=StepState.RUNNING, owner="me", attempt=1, lease_until=115.0, version=1)
SLOW = Fault(code=ErrorCode.MODEL_TIMEOUT, message="Slow.", retryable=True)
DAMAGED = Fault(code=ErrorCode.DAMAGED_FILE, message="Damaged.")
DIGITAL = TextSource.DIGITAL


def test_claim_takes_a_waiting_step_for_one_lease() -> None:
    """The claim counts, and says who has it until when."""
    taken = lifecycle.claim(WAITING, owner="me", now=100.0, rule=RULE)
    assert taken == replace(HELD, started_at=100.0)


@pytest.mark.parametrize(
    "step",
    [
        replace(WAITING, not_before=100.5),
        replace(WAITING, attempt=3),
        replace(HELD, lease_until=100.0),
        *(replace(WAITING, state=state) for state in StepState if state.is_terminal),
    ],
)
def test_claim_leaves_a_step_that_is_not_to_be_had(step: Step) -> None:
    """Not due yet, claimed too often, in another's hands until this very moment, or over."""
    assert lifecycle.claim(step, owner="me", now=100.0, rule=RULE) is None


def test_claim_takes_over_from_a_silent_worker() -> None:
    """The old owner's token is worth nothing from then on."""
    taken = lifecycle.claim(replace(HELD, owner="other"), owner="me", now=115.1, rule=RULE)
    assert taken is not None
    assert (taken.owner, taken.attempt) == ("me", 2)
    assert lifecycle.finish(taken, owner="other", now=116.0) is None
    assert lifecycle.fail(taken, owner="other", now=116.0, fault=SLOW, rule=RULE) is None
    assert lifecycle.hand_back(taken, owner="other") is None


def test_finish_holds_after_the_lease_if_nobody_took_the_step() -> None:
    """Work that is done is not thrown away for being late."""
    done = lifecycle.finish(HELD, owner="me", now=1000.0)
    assert done is not None
    assert (done.state, done.owner, done.finished_at) == (StepState.DONE, None, 1000.0)


@pytest.mark.parametrize(("attempt", "wait"), [(1, BACK_OFF_S[0]), (2, BACK_OFF_S[1])])
def test_a_fault_that_may_pass_waits_longer_each_time(attempt: int, wait: float) -> None:
    """The step is claimed again after the wait."""
    given_back = lifecycle.fail(replace(HELD, attempt=attempt), owner="me", now=100.0, fault=SLOW, rule=RULE)
    assert given_back is not None
    assert (StepState.QUEUED, 100.0 + wait, SLOW) == (given_back.state, given_back.not_before, given_back.fault)


def test_a_model_that_says_when_is_not_asked_before() -> None:
    """Its word counts when it is longer than our own wait."""
    given_back = lifecycle.fail(HELD, owner="me", now=100.0, fault=SLOW, rule=RULE, retry_after_s=30.0)
    assert given_back is not None
    assert given_back.not_before == 130.0


@pytest.mark.parametrize(("attempt", "fault"), [(1, DAMAGED), (3, SLOW)])
def test_a_fault_is_final_by_its_kind_or_after_the_last_claim(attempt: int, fault: Fault) -> None:
    """Nobody tries again for ever."""
    ended = lifecycle.fail(replace(HELD, attempt=attempt), owner="me", now=100.0, fault=fault, rule=RULE)
    assert ended is not None
    assert (StepState.FAILED, fault) == (ended.state, ended.fault)


def test_handing_back_costs_no_claim() -> None:
    """A worker that shuts down does no harm to its step."""
    given_back = lifecycle.hand_back(HELD, owner="me")
    assert given_back is not None
    assert (given_back.state, given_back.attempt, given_back.owner) == (StepState.QUEUED, 0, None)


AWAY = ClosedRoad(reason=WaitReason.PROVIDER_UNAVAILABLE, wait_s=30.0, trouble_s=0.0)
LIMITED = ClosedRoad(reason=WaitReason.RATE_LIMITED, wait_s=30.0)


def put_off(step: Step, road: ClosedRoad, now: float) -> Step:
    """A step in hand that cannot go."""
    given = lifecycle.put_off(step, owner="me", now=now, rule=RULE, provider="upstage", road=road)
    assert given is not None
    return given


def test_a_step_that_cannot_go_now_waits_without_cost() -> None:
    """No claim is counted, and it is told why and until when."""
    waits = put_off(HELD, AWAY, 100.0)
    assert (waits.state, waits.attempt, waits.not_before, waits.owner) == (StepState.QUEUED, 0, 130.0, None)
    assert waits.waiting == Waiting(
        reason=WaitReason.PROVIDER_UNAVAILABLE, provider="upstage", until=130.0, since=100.0
    )


def test_patience_is_measured_from_when_the_provider_gave_nothing_while_the_step_waited() -> None:
    """A provider that is down for longer than the step waits costs no more than the step's own patience."""
    road = replace(AWAY, trouble_s=9_000.0)
    waits = put_off(HELD, road, 100.0)
    again = replace(HELD, waiting=waits.waiting)
    assert put_off(again, replace(road, trouble_s=12_500.0), 100.0 + RULE.patience_s - 1).state is StepState.QUEUED
    ended = put_off(again, replace(road, trouble_s=12_600.0), 100.0 + RULE.patience_s)
    assert ended.state is StepState.FAILED
    assert ended.fault is not None
    assert ended.fault.code == ErrorCode.PROVIDER_UNAVAILABLE
    assert put_off(again, replace(road, trouble_s=5.0), 100.0 + RULE.patience_s).state is StepState.QUEUED


def test_limits_of_our_own_end_no_step() -> None:
    """However long the queue is."""
    step = HELD
    for day in range(5):
        waits = put_off(step, LIMITED, 86_400.0 * day)
        assert waits.state is StepState.QUEUED
        step = replace(HELD, waiting=waits.waiting)


def test_a_step_that_takes_its_workers_with_it_fails() -> None:
    """The sweeper lets others try, until the claims are used up; then it says what happened."""
    again = lifecycle.expire(HELD, now=116.0, rule=RULE)
    assert again is not None
    assert again.state is StepState.QUEUED
    ended = lifecycle.expire(replace(HELD, attempt=3), now=116.0, rule=RULE)
    assert ended is not None
    assert ended.fault is not None
    assert (ended.state, ended.fault.code) == (StepState.FAILED, ErrorCode.ATTEMPTS_EXHAUSTED)
    assert lifecycle.expire(HELD, now=115.0, rule=RULE) is None


def test_cancel_ends_what_is_open_and_nothing_else() -> None:
    """Whoever holds the step loses it."""
    ended = lifecycle.cancel(HELD, now=100.0)
    assert ended is not None
    assert lifecycle.finish(ended, owner="me", now=101.0) is None
    assert lifecycle.cancel(ended, now=102.0) is None


@given(pages=st.sets(st.integers(1, 200)), most=st.integers(1, 20))
def test_page_ranges_cover_each_page_once(pages: set[int], most: int) -> None:
    """In order, none longer than allowed, the first page alone."""
    ranges = lifecycle.page_ranges(sorted(pages), most)
    assert sorted(pages) == [n for r in ranges for n in r.numbers()]
    assert all(len(r) <= most for r in ranges)
    assert all(r == PageRange(1, 1) for r in ranges if r.first == 1)


def _view(tallies: Tallies, **changes: object) -> RunView:
    view = RunView(status=JobStatus.READING, tallies={StepKind.OPEN: StepTally(done=1), **tallies}, planned=False)
    return replace(view, page_count=3, range_pages=2, **changes)


def _chunk(index: int, *pages: int) -> PlannedSplit:
    return PlannedSplit(index=index, pages=pages, document=0, kind=SplitKind.PAGE_CHUNK)


def test_reading_starts_once_the_file_is_open() -> None:
    """Ranges of the pages that nobody has read yet."""
    moves = lifecycle.advance(_view({}, pages={2: DIGITAL}))
    assert [step.pages for step in moves.steps] == [(1,), (3,)]
    assert moves.status is JobStatus.READING


def test_a_chunk_is_sent_as_soon_as_its_pages_are_read() -> None:
    """It does not wait for the end of reading, and is not sent twice."""
    reading = {StepKind.READ: StepTally(open=1, done=1)}
    chunks = (_chunk(0, 1), _chunk(1, 2, 3))
    moves = lifecycle.advance(_view(reading, pages={1: DIGITAL, 2: DIGITAL}, chunks=chunks))
    assert ([step.ordinal for step in moves.steps], moves.planned) == ([0], False)
    sent = {**reading, StepKind.EXTRACT: StepTally(open=1)}
    again = lifecycle.advance(_view(sent, pages={1: DIGITAL, 2: DIGITAL}, chunks=chunks, sent={0}))
    assert again.steps == ()


def test_a_blank_file_is_merged_without_a_model_call() -> None:
    """There is nothing to ask about."""
    blank = dict.fromkeys((1, 2, 3), TextSource.NONE)
    moves = lifecycle.advance(_view({StepKind.READ: StepTally(done=2)}, pages=blank, chunks=(_chunk(0, 1, 2, 3),)))
    assert [step.kind for step in moves.steps] == [StepKind.MERGE]


def test_a_run_whose_documents_cannot_be_found_fails() -> None:
    """It does not stay in reading for ever."""
    tallies = {StepKind.READ: StepTally(done=2), StepKind.PLAN: StepTally(failed=1)}
    moves = lifecycle.advance(_view(tallies, pages=dict.fromkeys((1, 2, 3), DIGITAL), laid_out=False))
    assert JobStatus.FAILED is moves.status


@pytest.mark.parametrize("status", [s for s in JobStatus if s.is_terminal])
def test_a_run_that_is_over_needs_nothing(status: JobStatus) -> None:
    """Whatever its tallies say."""
    moves = lifecycle.advance(_view({StepKind.READ: StepTally(done=2)}, status=status))
    assert (status, ()) == (moves.status, moves.steps)


@pytest.mark.parametrize(
    ("failed", "lost", "readable", "gave", "status"),
    [
        (0, False, True, True, JobStatus.SUCCEEDED),
        (0, False, True, False, JobStatus.SUCCEEDED),  # all blank
        (0, True, True, True, JobStatus.PARTIALLY_SUCCEEDED),
        (1, True, True, True, JobStatus.PARTIALLY_SUCCEEDED),
        (1, True, True, False, JobStatus.FAILED),  # a blank page does not make a success
        (0, True, False, False, JobStatus.FAILED),
    ],
)
def test_how_a_run_ends(failed: int, lost: bool, readable: bool, gave: bool, status: JobStatus) -> None:
    """Partial work is kept; a run that gave nothing is no success."""
    tallies = {StepKind.EXTRACT: StepTally(done=1, failed=failed)}
    assert status is lifecycle.final_status(tallies, lost_pages=lost, readable=readable, gave=gave)
