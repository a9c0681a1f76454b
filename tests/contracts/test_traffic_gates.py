"""The gate with its state in this process and in a real Redis: the same promises, kept over several workers."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
import redis

from service.cli.serving.redis_server import find_binary
from service.domain.traffic import CallEnd, CallReport, ClosedRoad, Destination, RateLimit, Ticket, WaitReason
from service.messaging.traffic_gate import Gate, LocalStates, RedisStates
from service.messaging.traffic_rule import GateRule
from tests.fakes.pipeline import wait_until

TO = Destination(provider="upstage", host="api.example", model="m-1")
FAILED = CallReport(end=CallEnd.FAILED)
PATIENT_S = 30.0
"""However slow the machine is: what is tested is what Redis keeps, not when it is given up."""
MakeGate = Callable[..., Gate]


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """A server of our own on a socket."""
    binary = find_binary("")
    assert binary is not None, "these tests need a Redis: `make setup-test` installs one"
    socket = Path(tmp_path_factory.mktemp("redis")) / "r.sock"
    command = [str(binary), "--port", "0", "--unixsocket", str(socket), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _answers(socket))
        yield f"redis+socket://{socket}"
    finally:
        process.terminate()
        process.wait(60)


def _answers(socket: Path) -> bool:
    server = redis.Redis(unix_socket_path=str(socket))
    try:
        return bool(server.ping())
    except redis.ConnectionError:
        return False
    finally:
        server.close()


@pytest.fixture(params=["local", "redis"])
def make_gate(request: pytest.FixtureRequest) -> MakeGate:
    """Gates of one installation."""
    if request.param == "local":
        states = LocalStates()
        return lambda limits=None, **rule: Gate(states, limits or {}, GateRule(**rule))
    url: str = request.getfixturevalue("redis_url")
    server = redis.Redis(unix_socket_path=url.removeprefix("redis+socket://"))
    server.flushall()
    server.close()
    return lambda limits=None, **rule: Gate(RedisStates(url, timeout_s=PATIENT_S), limits or {}, GateRule(**rule))


def test_two_workers_share_the_places(make_gate: MakeGate) -> None:
    """Five places, twenty who ask from two gates at once: five go, and one more when one has left."""
    limits = {"upstage": RateLimit(in_flight=5)}

    async def main() -> None:
        gates = [make_gate(limits), make_gate(limits)]
        told = await asyncio.gather(*(gates[n % 2].enter(TO) for n in range(20)))
        tickets = [t for t in told if isinstance(t, Ticket)]
        assert len(tickets) == 5
        assert {t.reason for t in told if isinstance(t, ClosedRoad)} == {WaitReason.RATE_LIMITED}
        await gates[1].leave(TO, tickets[0], CallReport(end=CallEnd.ANSWERED))
        assert isinstance(await gates[0].enter(TO), Ticket)
        for gate in gates:
            await gate.close()

    asyncio.run(main())


def test_two_workers_share_the_rate(make_gate: MakeGate) -> None:
    """Sixty a minute: no two of the moments they are given are nearer than a second, but for clocks' grain."""
    limits = {"upstage": RateLimit(requests_per_minute=60)}

    async def main() -> None:
        gates = [make_gate(limits), make_gate(limits)]
        began = time.monotonic()
        told = [await gates[n % 2].enter(TO) for n in range(5)]
        waits = [t.wait_s for t in told if isinstance(t, Ticket)]
        assert len(waits) == 5
        assert time.monotonic() + waits[-1] > began + 3.9
        for gate in gates:
            await gate.close()

    asyncio.run(main())


def test_failures_seen_by_one_worker_hold_the_other(make_gate: MakeGate) -> None:
    """And a model or host of its own is not held."""

    async def main() -> None:
        gates = [make_gate(failures=2, first_pause_s=600.0, longest_pause_s=600.0) for _ in range(2)]
        for gate in gates:
            ticket = await gate.enter(TO)
            assert isinstance(ticket, Ticket)
            await gate.leave(TO, ticket, FAILED)
        closed = await gates[0].enter(TO)
        assert isinstance(closed, ClosedRoad)
        assert closed.reason is WaitReason.PROVIDER_UNAVAILABLE
        elsewhere = Destination(provider="upstage", host="other.example", model="m-1")
        assert isinstance(await gates[0].enter(elsewhere), Ticket)
        for gate in gates:
            await gate.close()

    asyncio.run(main())


def test_a_models_own_limit_goes_before_its_providers(make_gate: MakeGate) -> None:
    """The others share the provider's."""
    limits = {"openai": RateLimit(in_flight=1), "openai:big-*": RateLimit(in_flight=2)}

    async def main() -> None:
        gate = make_gate(limits)
        big, small = (Destination(provider="openai", host="h", model=name) for name in ("big-1", "small"))
        told = [type(await gate.enter(to)) for to in (big, big, big, small, small)]
        assert told == [Ticket, Ticket, ClosedRoad, Ticket, ClosedRoad]
        await gate.close()

    asyncio.run(main())


def test_many_at_once_lose_nothing(make_gate: MakeGate) -> None:
    """Two hundred calls come and go through four gates: every place is free again afterwards."""
    limits = {"upstage": RateLimit(in_flight=200)}

    async def main() -> None:
        gates = [make_gate(limits) for _ in range(4)]

        async def one(gate: Gate) -> None:
            ticket = await gate.enter(TO)
            assert isinstance(ticket, Ticket)
            await gate.leave(TO, ticket, CallReport(end=CallEnd.ANSWERED, tokens=10))

        await asyncio.gather(*(one(gates[n % 4]) for n in range(200)))
        told = await asyncio.gather(*(gates[n % 4].enter(TO) for n in range(201)))
        assert sum(isinstance(t, Ticket) for t in told) == 200
        for gate in gates:
            await gate.close()

    asyncio.run(main())


def test_one_who_leaves_while_asking_takes_no_place(make_gate: MakeGate) -> None:
    """Wherever the cancelled call was on its way to its ticket."""
    limits = {"upstage": RateLimit(in_flight=1)}

    async def main() -> None:
        gate = make_gate(limits)
        for turns in range(1, 12):
            asking = asyncio.ensure_future(gate.enter(TO))
            for _ in range(turns):
                await asyncio.sleep(0)
            asking.cancel()
            (told,) = await asyncio.gather(asking, return_exceptions=True)
            if isinstance(told, Ticket):  # it came first
                await gate.leave(TO, told, CallReport(end=CallEnd.ABANDONED))
        assert isinstance(await gate.enter(TO), Ticket)
        await gate.close()

    asyncio.run(main())


def test_an_emptied_redis_forgets_and_goes_on(redis_url: str) -> None:
    """Pauses and counts begin anew."""
    to = Destination(provider="upstage", host="emptied.example", model="m-1")

    async def main() -> None:
        gate = Gate(RedisStates(redis_url, timeout_s=PATIENT_S), {"upstage": RateLimit(in_flight=1)}, GateRule())
        assert [type(await gate.enter(to)) for _ in range(2)] == [Ticket, ClosedRoad]
        server = redis.Redis(unix_socket_path=redis_url.removeprefix("redis+socket://"))
        server.flushall()
        server.close()
        assert isinstance(await gate.enter(to), Ticket)
        await gate.close()

    asyncio.run(main())


def test_without_a_redis_that_answers_the_limits_hold_within_the_process() -> None:
    """No call is held up by it."""

    async def main() -> None:
        states = RedisStates("redis://127.0.0.1:1/0")
        gate = Gate(states, {"upstage": RateLimit(in_flight=1)}, GateRule())
        assert isinstance(await gate.enter(TO), Ticket)
        assert isinstance(await gate.enter(TO), ClosedRoad)
        await gate.close()

    asyncio.run(main())
