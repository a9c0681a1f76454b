"""Calls to model providers as traffic: how many may go, when the road is closed, and why a step waits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

IN_PLACE_S = 5.0
"""A call whose moment is nearer waits for it where it is; for a longer wait its step is put back, and its worker is
free for another. Longer than a round of the sweeper, so that the moments ahead are always given away."""


class WaitReason(StrEnum):
    """Why a step is not worked on now."""

    RATE_LIMITED = "rate_limited"
    """As many calls as may be were made, or are in flight."""
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    """The provider failed several times in a row, and is left alone for a while."""
    BUDGET = "budget"
    """What is in flight may use up what the job may spend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Why a step was put back, and until when. Times are Unix seconds."""

    reason: WaitReason
    provider: str
    until: float
    since: float | None = None
    """Since when the provider gives this step nothing; None: it is not the provider's doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a call goes."""

    provider: str
    host: str
    """In small letters, with the port where one is named; empty: nowhere, the model is in this process."""
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """What a provider may be asked by all workers together; None: as much as there is."""

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    in_flight: int | None = None


class CallEnd(StrEnum):
    """How a call ended, as far as it says something of the provider."""

    ANSWERED = "answered"
    """An answer came, of whatever kind: the provider is there."""
    LIMITED = "limited"
    """It came too early (429)."""
    FAILED = "failed"
    """The provider failed: no connection, no answer in time, 5xx."""
    ABANDONED = "abandoned"
    """It was stopped here, and says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReport:
    """What is told of a call when it is over."""

    end: CallEnd
    tokens: int = 0
    """Of question and answer together."""
    pause_s: float | None = None
    """The time the provider wants to be left alone for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """The right to make one call, `wait_s` seconds from now."""

    id: str
    wait_s: float
    tokens: float
    """How many were reckoned for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedRoad:
    """Why no call may go now, and when to ask again."""

    reason: WaitReason
    wait_s: float
    trouble_s: float | None = None
    """How long ago the provider began to give nothing but refusals and failures; None: it answers."""


class TrafficGate(Protocol):
    """What every call to a provider passes; one for all workers of an installation, as far as they can reach it."""

    async def enter(self, to: Destination) -> Ticket | ClosedRoad:
        """Ask for one call; whoever holds a ticket leaves with it."""
        ...

    async def leave(self, to: Destination, ticket: Ticket, report: CallReport) -> ClosedRoad | None:
        """End a call; why the next one may not go now, if it may not."""
        ...

    async def close(self) -> None:
        """Close what is open."""
        ...
