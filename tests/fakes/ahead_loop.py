"""An event loop whose clock a test puts forward: a time limit is over when the test says so, on any machine."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.fakes.model_stub import ModelStub

T = TypeVar("T")


class AheadLoop(asyncio.SelectorEventLoop):
    """A loop as usual, but for its clock."""

    ahead_s = 0.0

    def time(self) -> float:
        """Seconds, by which every `timeout` and `call_later` of the loop goes."""
        return super().time() + self.ahead_s


def forward(seconds: float) -> None:
    """On the running loop so much time has passed."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, AheadLoop)
    loop.ahead_s += seconds


def run_ahead(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` on such a loop."""
    with asyncio.Runner(loop_factory=AheadLoop) as runner:
        return runner.run(main)


async def run_out_of_time(stub: ModelStub, call: Coroutine[Any, Any, T], *, seconds: float) -> T:
    """What comes of a call whose time, shorter than those seconds, is over when its request has arrived."""
    calling = asyncio.ensure_future(call)
    await asyncio.to_thread(stub.wait_for, in_flight=1)
    forward(seconds)
    return await calling
