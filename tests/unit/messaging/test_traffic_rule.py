"""The rule of the gate, without a clock: limits, pauses and the call that goes first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.traffic import CallEnd, CallReport, ClosedRoad, RateLimit, Ticket, WaitReason
from service.messaging.traffic_rule import GateRule, LaneState, enter, leave

RULE = GateRule(failures=3, first_pause_s=10.0, longest_pause_s=60.0)
FREE = RateLimit()
NOW = 1_000_000.0
FAILED = CallReport(end=CallEnd.FAILED)
ANSWERED = CallReport(end=CallEnd.ANSWERED)


class Lane:
    """A lane whose clock the test moves."""

    def __init__(self, limit: RateLimit = FREE) -> None:
        self.limit, self.now, self.state, self.asked = limit, NOW, LaneState(), 0

    def enter(self) -> Ticket | ClosedRoad:
        self.asked += 1
        self.state, told = enter(self.state, self.limit, RULE, now=self.now, ticket_id=f"t{self.asked}")
        return told

    def ticket(self) -> Ticket:
        told = self.enter()
        assert isinstance(told, Ticket), told
        return told

    def road(self) -> ClosedRoad:
        told = self.enter()
        assert isinstance(told, ClosedRoad), told
        return told

    def leave(self, ticket: Ticket, report: CallReport) -> ClosedRoad | None:
        self.state, told = leave(self.state, self.limit, RULE, now=self.now, ticket=ticket, report=report)
        return told

    def call(self, report: CallReport) -> ClosedRoad | None:
        return self.leave(self.ticket(), report)


def test_without_limits_every_call_goes_at_once() -> None:
    """Two hundred in flight, none waits."""
    lane = Lane()
    assert {lane.ticket().wait_s for _ in range(200)} == {0.0}


@given(st.floats(1, 6_000), st.lists(st.floats(0, 30), min_size=1, max_size=120))
def test_no_minute_has_more_requests_than_it_may(rate: float, gaps: list[float]) -> None:
    """Whenever calls ask: the moments they are given keep to the rate, a second's worth at once apart."""
    lane = Lane(RateLimit(requests_per_minute=rate))
    moments: list[float] = []
    for gap in gaps:
        lane.now += gap
        told = lane.enter()
        if isinstance(told, Ticket):
            moments.append(lane.now + told.wait_s)
    for start in moments:
        within = [m for m in moments if start <= m < start + 60 - 1e-6]
        assert len(within) <= rate + max(1.0, rate / 60) + 1


def test_calls_whose_moment_is_near_wait_for_it_and_the_others_come_back_one_by_one() -> None:
    """At one a second: six are given the next seconds, the rest their own later ones."""
    lane = Lane(RateLimit(requests_per_minute=60))
    told = [lane.enter() for _ in range(12)]
    assert [t.wait_s for t in told] == pytest.approx([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    assert [isinstance(t, Ticket) for t in told] == [True] * 6 + [False] * 6
    assert isinstance(told[-1], ClosedRoad)
    assert (told[-1].reason, told[-1].trouble_s) == (WaitReason.RATE_LIMITED, None)


def test_tokens_are_reckoned_by_experience_and_put_right_afterwards() -> None:
    """One answer of 30,000 tokens at 6,000 a minute: the next call is five minutes away, less what a burst may be."""
    lane = Lane(RateLimit(tokens_per_minute=6_000))
    lane.call(CallReport(end=CallEnd.ANSWERED, tokens=30_000))
    assert lane.road().wait_s == pytest.approx(290, abs=1)
    lane.now += 291
    assert lane.ticket().tokens == pytest.approx(0.8 * 1_000 + 0.2 * 30_000)


def test_a_call_that_failed_gives_its_tokens_back() -> None:
    """Nothing was used."""
    lane = Lane(RateLimit(tokens_per_minute=6_000))
    before = lane.state.token_at
    lane.call(FAILED)
    assert lane.state.token_at == pytest.approx(max(before, NOW), abs=0.001)


def test_calls_in_flight_are_counted_and_lost_ones_forgotten() -> None:
    """Two places; a ticket that nobody gives back is void after its time."""
    lane = Lane(RateLimit(in_flight=2))
    first, _ = lane.ticket(), lane.ticket()
    assert lane.road().reason is WaitReason.RATE_LIMITED
    lane.leave(first, ANSWERED)
    lane.ticket()
    lane.now += RULE.ticket_s + 1
    assert [type(lane.enter()) for _ in range(3)] == [Ticket, Ticket, ClosedRoad]


def test_the_road_closes_after_failures_in_a_row_and_one_call_goes_first() -> None:
    """Three failures, ten seconds of rest, one probe; it fails, and the rest is twice as long, up to the longest."""
    lane = Lane()
    assert [lane.call(FAILED) for _ in range(2)] == [None, None]
    closed = lane.call(FAILED)
    assert closed == ClosedRoad(reason=WaitReason.PROVIDER_UNAVAILABLE, wait_s=10.0, trouble_s=0.0)
    for pause in (10.0, 20.0, 40.0, 60.0, 60.0):
        assert lane.road().wait_s >= pause
        lane.now += pause
        probe = lane.ticket()
        assert lane.road().reason is WaitReason.PROVIDER_UNAVAILABLE
        lane.leave(probe, FAILED)
    assert lane.road().trouble_s == 190.0


@pytest.mark.parametrize("answer", [CallEnd.ANSWERED, CallEnd.LIMITED])
def test_any_answer_opens_the_road(answer: CallEnd) -> None:
    """A provider that refuses is there."""
    lane = Lane()
    for _ in range(3):
        lane.call(FAILED)
    lane.now += 11
    lane.call(CallReport(end=answer))
    lane.now += 2
    assert [lane.ticket().wait_s for _ in range(5)] == [0.0] * 5


def test_a_probe_that_is_abandoned_lets_another_go_first() -> None:
    """Its job was cancelled, or its worker died."""
    lane = Lane()
    for _ in range(3):
        lane.call(FAILED)
    lane.now += 11
    lane.leave(lane.ticket(), CallReport(end=CallEnd.ABANDONED))
    lane.ticket()
    lane.now += RULE.ticket_s + 1
    lane.ticket()


def test_a_success_in_between_keeps_the_road_open() -> None:
    """One request that always fails closes it for nobody who is answered."""
    lane = Lane()
    for _ in range(10):
        lane.call(FAILED)
        lane.call(FAILED)
        lane.call(ANSWERED)
    lane.ticket()


def test_a_wave_of_failures_counts_once() -> None:
    """Fifty calls were in flight when the provider went: one pause, not fifty doublings."""
    lane = Lane()
    tickets = [lane.ticket() for _ in range(50)]
    for ticket in tickets:
        lane.leave(ticket, FAILED)
    assert lane.state.pause_s == 10.0


def test_a_429_holds_everybody_for_the_time_it_names_and_lets_them_go_one_by_one() -> None:
    """Thirty seconds; then they do not come all at once."""
    lane = Lane()
    road = lane.call(CallReport(end=CallEnd.LIMITED, pause_s=30.0))
    assert road == ClosedRoad(reason=WaitReason.RATE_LIMITED, wait_s=30.0, trouble_s=0.0)
    lane.now += 26
    waits = [lane.ticket().wait_s for _ in range(4)]
    assert waits == pytest.approx([4.0, 4.05, 4.1, 4.15])


def test_429s_without_a_time_are_waited_out_longer_each_time_those_of_one_wave_counted_once() -> None:
    """1 s, 2 s, 4 s."""
    lane = Lane()
    waits: list[float] = []
    for _ in range(3):
        wave = [lane.ticket() for _ in range(5)]
        roads = [lane.leave(ticket, CallReport(end=CallEnd.LIMITED)) for ticket in wave]
        assert all(road is not None for road in roads)
        waits.append(lane.state.paused_until - lane.now)
        lane.now = lane.state.paused_until + 1
    assert waits == [1.0, 2.0, 4.0]


def test_headers_beside_an_answer_hold_the_next_call() -> None:
    """The meter stands at 0."""
    lane = Lane()
    assert lane.call(CallReport(end=CallEnd.ANSWERED, pause_s=3.0)) is None
    assert lane.ticket().wait_s == 3.0


ends = st.sampled_from(CallEnd)


@given(
    st.lists(st.tuples(st.floats(0, 400), ends, st.none() | st.floats(0, 200)), max_size=60),
    st.builds(RateLimit, requests_per_minute=st.none() | st.floats(1, 1e4), in_flight=st.none() | st.integers(1, 5)),
)
def test_whatever_happened_a_call_goes_again_in_time(
    story: list[tuple[float, CallEnd, float | None]], limit: RateLimit
) -> None:
    """No history of ends, pauses and gaps shuts a lane for good."""
    lane = Lane(limit)
    for gap, end, pause in story:
        lane.now += gap
        told = lane.enter()
        if isinstance(told, Ticket):
            lane.leave(told, CallReport(end=end, pause_s=pause))
        else:
            assert told.wait_s > 0
    lane.now += 10_000
    assert isinstance(lane.enter(), Ticket)


def test_a_state_survives_a_change_of_its_shape() -> None:
    """Every field has a default, so that an older worker's state can be read."""
    assert replace(LaneState()) == LaneState()
