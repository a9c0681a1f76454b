"""Runs end, and end right, whatever happens to messages and workers: a simulation under a virtual clock."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from service.domain.pages import TextSource
from tests.unit.jobs.run_setup import Setup
from tests.unit.jobs.run_world import LONGEST_RETRY_AFTER_S, Hand, World

T = TypeVar("T")
READ_AS = (TextSource.DIGITAL, TextSource.OCR, TextSource.NONE, TextSource.UNREADABLE, TextSource.FAILED)
BLOCKS = 8
HISTORIES = 200
"""Of each block; a history is some hundred events."""

SETUPS = st.builds(
    Setup,
    pages=st.lists(st.sampled_from(READ_AS), min_size=1, max_size=30).map(tuple),
    chunk=st.none() | st.integers(1, 8),
    split=st.booleans(),
    documents=st.integers(1, 4),
    io=st.booleans(),
    narrow=st.booleans(),
    slow=st.booleans(),
)
PICK = st.integers(0, 1000)


class Runs(RuleBasedStateMachine):
    """Hypothesis chooses what happens next; a failure shrinks to the shortest history that shows it."""

    world: World

    @initialize(setups=st.lists(SETUPS, min_size=1, max_size=2))
    def submit(self, setups: list[Setup]) -> None:
        self.world = World(setups)

    @precondition(lambda self: self.world.bag.rings)
    @rule(pick=PICK, again=st.booleans())
    def deliver(self, pick: int, again: bool) -> None:
        self.world.deliver(_pick(self.world.bag.rings, pick), again=again)

    @precondition(lambda self: self.world.bag.rings)
    @rule(pick=PICK)
    def drop(self, pick: int) -> None:
        self.world.drop(_pick(self.world.bag.rings, pick))

    @rule(seconds=st.sampled_from([0.5, 5.0, 16.0, 70.0]))
    def tick(self, seconds: float) -> None:
        self.world.tick(seconds)

    @rule(rings=st.booleans())
    def sweep(self, rings: bool) -> None:
        self.world.sweep(rings=rings)

    @precondition(lambda self: self.world.hands)
    @rule(pick=PICK, most_pages=st.none() | st.integers(1, 4), rung=st.booleans(), takes=st.booleans())
    def finish(self, pick: int, most_pages: int | None, rung: bool, takes: bool) -> None:
        self.world.finish(_pick(self.world.hands, pick), most_pages=most_pages, rung=rung, takes=takes)

    @precondition(lambda self: self.world.hands)
    @rule(pick=PICK, rung=st.booleans())
    def truncate(self, pick: int, rung: bool) -> None:
        self.world.truncate(_pick(self.world.hands, pick), rung=rung)

    @precondition(lambda self: self.world.hands)
    @rule(pick=PICK, retryable=st.booleans(), after=st.floats(0, LONGEST_RETRY_AFTER_S), rung=st.booleans())
    def fail(self, pick: int, retryable: bool, after: float, rung: bool) -> None:
        self.world.fail(_pick(self.world.hands, pick), retryable=retryable, retry_after_s=after, rung=rung)

    @precondition(lambda self: self.world.hands)
    @rule(pick=PICK)
    def crash(self, pick: int) -> None:
        self.world.crash(_pick(self.world.hands, pick))

    @precondition(lambda self: self.world.hands)
    @rule(pick=PICK)
    def hand_back(self, pick: int) -> None:
        self.world.hand_back(_pick(self.world.hands, pick))

    @precondition(lambda self: self.world.hands)
    @rule(pick=PICK, paused=st.booleans())
    def pause_or_wake(self, pick: int, paused: bool) -> None:
        _pick(self.world.hands, pick).paused = paused

    @rule(pick=PICK)
    def cancel(self, pick: int) -> None:
        if pick < 100:  # now and then: most histories should go on
            self.world.cancel(_pick(tuple(self.world.tables.jobs.values()), pick))

    @rule(pick=PICK)
    def retry(self, pick: int) -> None:
        self.world.retry(_pick(tuple(self.world.tables.jobs.values()), pick))

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.calm_down()
            self.world.check_ended()


TestRuns = Runs.TestCase
TestRuns.settings = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=250,
    stateful_step_count=50,
    suppress_health_check=[HealthCheck.too_slow],  # the speed of the machine is no property of the product
)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_run_ends_right_in_long_random_histories(block: int) -> None:
    """Like the machine above, but many times as many and longer; a seed names the history that failed."""
    for seed in range(block * HISTORIES, (block + 1) * HISTORIES):
        try:
            _play(random.Random(seed))
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise


def _play(dice: random.Random) -> None:
    world = World([_random_setup(dice) for _ in range(dice.choice([1, 1, 2]))])
    evil, favourite = dice.choice([0.02, 0.1, 0.3, 0.6]), dice.choice(_EVENTS)
    for _ in range(dice.randrange(20, 150)):
        if dice.random() < evil:
            dice.choice([favourite, dice.choice(_EVENTS)])(world, dice)
        else:
            _go_on(world, dice, evil)
    world.calm_down()
    world.check_ended()


def _random_setup(dice: random.Random) -> Setup:
    weights = dice.choice([(1, 0, 0, 0, 0), (6, 3, 1, 1, 1), (0, 1, 2, 2, 2)])
    return Setup(
        pages=tuple(dice.choices(READ_AS, weights, k=dice.randrange(1, 31))),
        chunk=dice.choice([None, 1, 3, 8]),
        split=dice.random() < 0.4,
        documents=dice.randrange(1, 5),
        io=dice.random() < 0.5,
        narrow=dice.random() < 0.3,
        slow=dice.random() < 0.2,
    )


def _go_on(world: World, dice: random.Random, evil: float) -> None:
    if world.hands and dice.random() < 0.6:
        world.finish(dice.choice(world.hands), most_pages=dice.choice([None, None, 2]), takes=dice.random() < 0.3)
    elif world.bag.rings:
        world.deliver(dice.choice(world.bag.rings), again=dice.random() < evil)
    else:
        world.tick(dice.uniform(0, 4))
        world.sweep()


def _drop(world: World, dice: random.Random) -> None:
    if world.bag.rings:
        world.drop(dice.choice(world.bag.rings))


def _cancel(world: World, dice: random.Random) -> None:
    if dice.random() < 0.2:
        world.cancel(dice.choice(list(world.tables.jobs.values())))


def _retry(world: World, dice: random.Random) -> None:
    world.retry(dice.choice(list(world.tables.jobs.values())))


def _to_a_hand(act: Callable[[World, Hand, random.Random], None]) -> Callable[[World, random.Random], None]:
    def event(world: World, dice: random.Random) -> None:
        if world.hands:
            act(world, dice.choice(world.hands), dice)

    return event


def _pause(world: World, hand: Hand, _dice: random.Random) -> None:
    hand.paused = True
    world.tick(20.0)
    world.sweep()


_EVENTS: tuple[Callable[[World, random.Random], None], ...] = (
    _drop,
    _cancel,
    _retry,
    lambda world, dice: world.tick(dice.choice([0.5, 5.0, 16.0, 70.0])),
    lambda world, dice: world.sweep(rings=dice.random() < 0.5),
    _to_a_hand(lambda world, hand, _dice: world.crash(hand)),
    _to_a_hand(lambda world, hand, _dice: world.hand_back(hand)),
    _to_a_hand(lambda world, hand, _dice: world.finish(hand, rung=False)),
    _to_a_hand(lambda world, hand, dice: world.truncate(hand, rung=dice.random() < 0.8)),
    _to_a_hand(lambda world, hand, dice: world.truncate(hand, rung=dice.random() < 0.8)),
    _to_a_hand(lambda world, hand, dice: world.fail(hand, retryable=False, rung=dice.random() < 0.8)),
    _to_a_hand(lambda world, hand, dice: world.fail(hand, retryable=True, retry_after_s=dice.choice([0, 2, 60]))),
    _to_a_hand(_pause),
)


def _pick(among: Sequence[T], number: int) -> T:
    return among[number % len(among)]
