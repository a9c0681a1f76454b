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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from pydantic import TypeAdapter
from redis import asyncio as redis_asyncio
from redis.exceptions import RedisError

from service.domain.traffic import CallEnd, CallReport, ClosedRoad, Destination, RateLimit, Ticket
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


class _Asked(Generic[T]):
    """A change that waits for its turn, and who waits for what it tells."""

    def __init__(self, change: Change[T]) -> None:
        self._change = change
        self._told: list[T] = []
        self.answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def apply(self, state: LaneState, now: float) -> LaneState:
        """The next state; nothing is told before it is kept."""
        state, told = self._change(state, now)
        self._told = [told]
        return state

    def tell(self) -> None:
        """The state was kept."""
        if not self.answer.done():
            self.answer.set_result(self._told[0])

    def fail(self, error: Exception) -> None:
        """It was not."""
        if not self.answer.done():
            self.answer.set_exception(error)


class _Turn(Protocol):
    """An `_Asked` of any kind."""

    def apply(self, state: LaneState, now: float) -> LaneState: ...
    def tell(self) -> None: ...
    def fail(self, error: Exception) -> None: ...


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
        self._waiting: dict[str, list[_Turn]] = {}
        self._turns: dict[str, asyncio.Task[None]] = {}

    async def change(self, lane: str, change: Change[T]) -> T:
        """See `LaneStates.change`. What the calls of one process ask while Redis is being asked goes together, next."""
        if time.monotonic() < self._local_until:
            return await self._beside.change(lane, change)
        asked = _Asked(change)
        self._waiting.setdefault(lane, []).append(asked)
        if lane not in self._turns:
            self._turns[lane] = asyncio.create_task(self._take_turns(lane))
        try:
            return await asked.answer
        except (RedisError, OSError, TimeoutError) as error:
            _log.warning("limits hold within this process only: Redis cannot be asked (%s)", type(error).__name__)
            self._local_until = time.monotonic() + _LOCAL_FOR_S
            return await self._beside.change(lane, change)

    async def _take_turns(self, lane: str) -> None:
        """Bring all that waits to Redis; a task of its own, so that no caller who leaves stops what is under way."""
        while turn := self._waiting.pop(lane, None):
            try:
                await self._change(_KEY + lane, turn)
            except Exception as error:  # whatever it is, those who wait are told
                for asked in turn:
                    asked.fail(error)
            else:
                for asked in turn:
                    asked.tell()
        del self._turns[lane]

    async def _change(self, key: str, turn: Sequence[_Turn]) -> None:
        for attempt in range(_MOST_TRIES):
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.get(key)
                pipe.time()
                raw, (seconds, micros) = await pipe.execute()
            state = LaneState() if raw is None else _STATE.validate_json(raw)
            for asked in turn:
                state = asked.apply(state, seconds + micros / 1e6)
            if await self._swap(keys=[key], args=[raw or b"", _STATE.dump_json(state), _KEPT_S]):
                return
            await asyncio.sleep(random.uniform(0.0, min(attempt, _SLOWEST) * _STEP_S))  # noqa: S311 - no secret
        raise TimeoutError("another process always came first")

    async def close(self) -> None:
        """Close the connections."""
        await asyncio.gather(*self._turns.values())
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

        asking = asyncio.ensure_future(self._states.change(lane, change))
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:  # what was asked is under way, and nobody would give the place back
            await asyncio.shield(self._give_back(to, asking))
            raise

    async def leave(self, to: Destination, ticket: Ticket, report: CallReport) -> ClosedRoad | None:
        """See `TrafficGate.leave`."""
        lane, limit = self._lane(to)

        def change(state: LaneState, now: float) -> tuple[LaneState, ClosedRoad | None]:
            return traffic_rule.leave(state, limit, self._rule, now=now, ticket=ticket, report=report)

        return await self._states.change(lane, change)

    async def _give_back(self, to: Destination, asking: asyncio.Future[Ticket | ClosedRoad]) -> None:
        with suppress(Exception):  # then there is no ticket
            found = await asking
            if isinstance(found, Ticket):
                await self.leave(to, found, CallReport(end=CallEnd.ABANDONED))

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
