"""The gate that calls to providers pass: one rule, its state in this process or in Redis for all workers.

Losing the state loses nothing: limits and pauses begin anew. Where Redis cannot be reached, the limits hold within
this process.
"""

from __future__ import annotations

import asyncio
import fnmatch
import logging
import random
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from pydantic import TypeAdapter
from redis import asyncio as redis_asyncio
from redis.exceptions import RedisError

from service.domain.traffic import CallReport, ClosedRoad, Destination, RateLimit, Ticket
from service.messaging import traffic_rule
from service.messaging.traffic_rule import GateRule, LaneState

_log = logging.getLogger(__name__)
T = TypeVar("T")
Change = Callable[[LaneState, float], tuple[LaneState, T]]
"""From a state and the time to the next state and what is told of it."""
NO_LIMIT = RateLimit()
_STATE = TypeAdapter(LaneState)
_KEY = "fieldmark:traffic:"
_KEPT_S = 86_400
_REDIS_TIMEOUT_S = 2.0
_LOCAL_FOR_S = 5.0
"""Time for which Redis is not asked again after it could not be reached."""
_MOST_TRIES = 300
_STEP_S, _SLOWEST = 0.001, 20
"""Those who meet at one lane step back by chance, ever further, so that one of them comes first."""
_SWAP = """
if (redis.call('GET', KEYS[1]) or '') == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
  return 1
end
return 0
"""


class LaneStates(Protocol):
    """Where the states of lanes are kept."""

    async def change(self, lane: str, change: Change[T]) -> T:
        """Put a lane's next state in the place of its present one, with nobody in between."""
        ...

    async def close(self) -> None:
        """Close what is open."""
        ...


class LocalStates:
    """Of this process alone; used on one event loop."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._states: dict[str, LaneState] = {}

    async def change(self, lane: str, change: Change[T]) -> T:
        """See `LaneStates.change`."""
        state, told = change(self._states.get(lane, LaneState()), self._clock())
        self._states[lane] = state
        return told

    async def close(self) -> None:
        """Nothing is open."""


class RedisStates:
    """Shared by all workers of one Redis, by its clock."""

    def __init__(self, url: str, *, beside: LaneStates | None = None, timeout_s: float = _REDIS_TIMEOUT_S) -> None:
        """As told.

        Args:
            url: of the Redis.
            beside: what is used while Redis cannot be reached.
            timeout_s: after which it counts as that.
        """
        self._redis = redis_asyncio.Redis.from_url(
            _plain_url(url), socket_timeout=timeout_s, socket_connect_timeout=timeout_s
        )
        self._swap = self._redis.register_script(_SWAP)
        self._beside = beside or LocalStates()
        self._local_until = 0.0
        self._locks: dict[str, asyncio.Lock] = {}

    async def change(self, lane: str, change: Change[T]) -> T:
        """See `LaneStates.change`. The calls of one process take turns, so that they do not get in each other's way."""
        if time.monotonic() < self._local_until:
            return await self._beside.change(lane, change)
        try:
            async with self._locks.setdefault(lane, asyncio.Lock()):
                return await self._change(_KEY + lane, change)
        except (RedisError, OSError, TimeoutError) as error:
            _log.warning("limits hold within this process only: Redis cannot be asked (%s)", type(error).__name__)
            self._local_until = time.monotonic() + _LOCAL_FOR_S
            return await self._beside.change(lane, change)

    async def _change(self, key: str, change: Change[T]) -> T:
        for attempt in range(_MOST_TRIES):
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.get(key)
                pipe.time()
                raw, (seconds, micros) = await pipe.execute()
            known = LaneState() if raw is None else _STATE.validate_json(raw)
            state, told = change(known, seconds + micros / 1e6)
            if await self._swap(keys=[key], args=[raw or b"", _STATE.dump_json(state), _KEPT_S]):
                return told
            await asyncio.sleep(random.uniform(0.0, min(attempt, _SLOWEST) * _STEP_S))  # noqa: S311 - no secret
        raise TimeoutError("another process always came first")

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()


class Gate:
    """Fills `TrafficGate`."""

    def __init__(self, states: LaneStates, limits: Mapping[str, RateLimit], rule: GateRule) -> None:
        """Args: limits: by `provider`, or by `provider:pattern` of names of its models, which goes first."""
        self._states = states
        self._limits = dict(sorted(limits.items(), key=lambda item: ":" not in item[0]))
        self._rule = rule

    async def enter(self, to: Destination) -> Ticket | ClosedRoad:
        """See `TrafficGate.enter`."""
        lane, limit = self._lane(to)
        ticket_id = uuid.uuid4().hex[:12]

        def change(state: LaneState, now: float) -> tuple[LaneState, Ticket | ClosedRoad]:
            return traffic_rule.enter(state, limit, self._rule, now=now, ticket_id=ticket_id)

        return await self._states.change(lane, change)

    async def leave(self, to: Destination, ticket: Ticket, report: CallReport) -> ClosedRoad | None:
        """See `TrafficGate.leave`."""
        lane, limit = self._lane(to)

        def change(state: LaneState, now: float) -> tuple[LaneState, ClosedRoad | None]:
            return traffic_rule.leave(state, limit, self._rule, now=now, ticket=ticket, report=report)

        return await self._states.change(lane, change)

    async def close(self) -> None:
        """Close what is open."""
        await self._states.close()

    def _lane(self, to: Destination) -> tuple[str, RateLimit]:
        """A provider's calls to one host go in one lane, but for models that have limits of their own."""
        for name, limit in self._limits.items():
            provider, _, pattern = name.partition(":")
            if provider == to.provider and (not pattern or fnmatch.fnmatchcase(to.model, pattern)):
                return f"{to.provider}@{to.host}" + (f":{pattern}" if pattern else ""), limit
        return f"{to.provider}@{to.host}", NO_LIMIT


def _plain_url(url: str) -> str:
    """Celery's way to write the address of a socket, as the client library writes it."""
    return url.replace("redis+socket://", "unix://", 1)
