"""A review moves only along its states, and a claim binds others until it ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain import review
from service.domain.errors import StateError
from service.domain.jobs import ReviewState
from service.domain.review import CLAIM_S, Standing

NOW = 1000.0
NEEDED = Standing(state=ReviewState.NEEDED)


def test_a_claim_keeps_others_out_until_it_ends() -> None:
    """Ten idle minutes, begun anew by each touch."""
    held = review.claim(NEEDED, "ada", NOW)
    with pytest.raises(StateError):
        review.claim(held, "ben", NOW + CLAIM_S - 1)
    held = review.touch(held, "ada", NOW + CLAIM_S - 1)
    assert held.holder(NOW + CLAIM_S + 1) == "ada"
    assert review.claim(held, "ben", NOW + 2 * CLAIM_S).claimed_by == "ben"


def test_a_colleague_may_help_without_taking_over() -> None:
    """A correction by another leaves the claim where it is."""
    held = review.touch(review.claim(NEEDED, "ada", NOW), "ben", NOW + 1)
    assert held.holder(NOW + 1) == "ada"


def test_a_decided_document_moves_by_reopening_alone() -> None:
    """Whatever else is tried is refused."""
    for approved in (True, False):
        decided = review.decide(NEEDED, "ada", NOW, approved=approved)
        for move in (review.claim, review.touch, review.release):
            with pytest.raises(StateError):
                move(decided, "ada", NOW)
        with pytest.raises(StateError):
            review.decide(decided, "ada", NOW, approved=True)
        assert review.reopen(decided, "ben", NOW).holder(NOW) == "ben"
    with pytest.raises(StateError):
        review.reopen(NEEDED, "ada", NOW)


_MOVES = st.lists(
    st.tuples(
        st.sampled_from(["claim", "touch", "release", "approve", "reject", "reopen"]),
        st.sampled_from(["ada", "ben"]),
        st.floats(0, 2 * CLAIM_S),
    ),
    max_size=20,
)


@given(_MOVES)
def test_nobody_decides_over_anothers_claim(moves: list[tuple[str, str, float]]) -> None:
    """However it came there; and a decided document is in nobody's hands."""
    standing, now = NEEDED, NOW
    for what, who, later in moves:
        now += later
        before = standing
        try:
            if what in ("approve", "reject"):
                standing = review.decide(standing, who, now, approved=what == "approve")
                assert before.holder(now) in (None, who)
                assert standing.holder(now) is None
            else:
                move = {
                    "claim": review.claim,
                    "touch": review.touch,
                    "release": review.release,
                    "reopen": review.reopen,
                }[what]
                standing = move(standing, who, now)
        except StateError:
            standing = before
