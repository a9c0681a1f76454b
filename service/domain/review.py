"""Where a review stands and how it moves: pure, every refusal with its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.domain.errors import ErrorCode, StateError
from service.domain.jobs import ReviewState

CLAIM_S = 600.0
"""A claim ends after ten idle minutes."""
ASKED_S = 86_400.0
"""A colleague who was asked has a day to take the document up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A review as it stands. Times are Unix seconds."""

    state: ReviewState
    claimed_by: str | None = None
    claimed_until: float = 0.0
    decided_by: str | None = None
    decided_at: float | None = None

    def holder(self, now: float) -> str | None:
        """Who has the document now; None once the claim ran out."""
        return self.claimed_by if self.claimed_by is not None and self.claimed_until > now else None


_DECIDED = (ReviewState.APPROVED, ReviewState.REJECTED)


def claim(standing: Standing, who: str, now: float) -> Standing:
    """Take a document in hand, or keep it for ten more minutes.

    Raises:
        StateError: `wrong_state`: it is decided, or another has it.
    """
    _refuse_decided(standing, "claimed")
    _refuse_held(standing, who, now)
    return replace(standing, state=ReviewState.IN_REVIEW, claimed_by=who, claimed_until=now + CLAIM_S)


def touch(standing: Standing, who: str, now: float) -> Standing:
    """A correction: the document is in review, and the claim of who made it goes on.

    Raises:
        StateError: `wrong_state`: it is decided.
    """
    _refuse_decided(standing, "corrected")
    if standing.holder(now) not in (None, who):
        return replace(standing, state=ReviewState.IN_REVIEW)  # a colleague's help; the claim stays where it is
    return replace(standing, state=ReviewState.IN_REVIEW, claimed_by=who, claimed_until=now + CLAIM_S)


def release(standing: Standing, who: str, now: float) -> Standing:
    """Give a document back undecided.

    Raises:
        StateError: `wrong_state`: it is decided, or another has it.
    """
    _refuse_decided(standing, "given back")
    _refuse_held(standing, who, now)
    return replace(standing, state=ReviewState.NEEDED, claimed_by=None, claimed_until=0.0)


def hand_to(standing: Standing, who: str, colleague: str, now: float) -> Standing:
    """Give a document to a colleague, who has it for a day.

    Raises:
        StateError: `wrong_state`: it is decided, or another has it.
    """
    _refuse_decided(standing, "handed on")
    _refuse_held(standing, who, now)
    return replace(standing, state=ReviewState.IN_REVIEW, claimed_by=colleague, claimed_until=now + ASKED_S)


def decide(standing: Standing, who: str, now: float, *, approved: bool) -> Standing:
    """Approve or reject.

    Raises:
        StateError: `wrong_state`: it is decided already, or another has it.
    """
    _refuse_decided(standing, "decided again")
    _refuse_held(standing, who, now)
    return Standing(
        state=ReviewState.APPROVED if approved else ReviewState.REJECTED,
        decided_by=who,
        decided_at=now,
    )


def reopen(standing: Standing, who: str, now: float) -> Standing:
    """Take a decision back and the document in hand.

    Raises:
        StateError: `wrong_state`: nothing was decided.
    """
    if standing.state not in _DECIDED:
        raise StateError(ErrorCode.WRONG_STATE, f"The review is {standing.state}; only a decided one can be reopened.")
    return Standing(state=ReviewState.IN_REVIEW, claimed_by=who, claimed_until=now + CLAIM_S)


def _refuse_decided(standing: Standing, what: str) -> None:
    if standing.state in _DECIDED:
        raise StateError(
            ErrorCode.WRONG_STATE,
            f"The document is {standing.state} by {standing.decided_by!r} and cannot be {what}; reopen it first.",
        )


def _refuse_held(standing: Standing, who: str, now: float) -> None:
    holder = standing.holder(now)
    if holder not in (None, who):
        raise StateError(
            ErrorCode.WRONG_STATE,
            f"The document is in the hands of {holder!r}; ask them, or take the next one.",
            retry_after_s=max(1.0, standing.claimed_until - now),
        )
