"""Answers are settled whatever one of them does, and a process ends although one hangs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from functools import partial

from service.jobs.process.call_room import CallRoom

_HANGS = """
import threading
from service.jobs.process.call_room import CallRoom

room, begun = CallRoom(1, 1), threading.Event()
room.enter(1)
room.answered(lambda: (begun.set(), threading.Event().wait()))
begun.wait()
print(room.stop(0.1))
"""


def _crash() -> None:
    raise SystemExit


def test_a_crash_while_an_answer_is_settled_leaves_the_next_one_its_thread() -> None:
    """There is but one thread: the second answer is settled by the one that met the crash."""
    room, settled = CallRoom(2, 1), threading.Event()
    assert room.enter(2) == 2
    room.answered(_crash)
    room.answered(settled.set)
    assert settled.wait(60)
    assert room.stop()


def test_what_is_answered_is_settled_before_the_threads_end() -> None:
    """None is dropped because the process ends."""
    room, settled = CallRoom(50, 2), list[int]()
    room.enter(50)
    for number in range(50):
        room.answered(lambda number=number: settled.append(number))
    assert room.stop()
    assert sorted(settled) == list(range(50))


def test_what_is_answered_late_is_settled_although_another_answer_hangs() -> None:
    """Closing connections ends the calls that are still under way, and each of them gives its step back."""
    room, begun, go_on, settled = CallRoom(2, 1), threading.Event(), threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        go_on.wait()

    room.enter(2)
    room.answered(hang)
    assert begun.wait(60)
    assert not room.stop(0.01)
    room.answered(settled.set)
    assert settled.wait(60)
    go_on.set()
    assert room.stop()


def test_a_process_ends_although_an_answer_is_never_settled() -> None:
    """Its claim runs out, and another process does it again."""
    ended = subprocess.run([sys.executable, "-c", _HANGS], capture_output=True, text=True, timeout=120, check=True)
    assert ended.stdout == "False\n"


def test_calls_are_made_ready_while_all_others_are_in_flight() -> None:
    """No more than two at once, in the order in which they came; what is ready waits for no thread."""
    room, begun, go_on = CallRoom(2, 1), list[int](), asyncio.Event()
    both = asyncio.Event()

    async def call(number: int) -> int:
        begun.append(number)
        if len(begun) == 2:
            both.set()
        await go_on.wait()
        return number

    async def all_calls() -> list[int]:
        calls = asyncio.gather(*(room.in_turn(partial(call, number)) for number in range(ready)))
        await both.wait()
        assert begun == [0, 1]
        go_on.set()
        return await calls

    ready = room.enter(100)
    assert 2 < ready < 100
    assert asyncio.run(all_calls()) == list(range(ready)) == begun
    room.leave(ready, called=False)
    assert room.wait_settled(0)
