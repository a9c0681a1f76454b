"""Waiting without a thread: asking again, ever more slowly, until there is an answer, or the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

import anyio
from anyio import to_thread
from fastapi import Request
from starlette.requests import ClientDisconnect

from service.api.context import context_of

MOST_WAIT_S = 120
_SHORTEST_S, _LONGEST_S = 0.02, 0.5
T = TypeVar("T")


async def ask_until(request: Request, ask: Callable[[], T], enough: Callable[[T], bool], *, seconds: float) -> T:
    """The first answer that is enough, or the last one when the time is up.

    Args:
        request: who waits; nothing is asked for one who left.
        ask: a short question to the database, asked in a thread.
        enough: whether an answer ends the wait.
        seconds: longest wait; 0 asks once.

    Raises:
        ClientDisconnect: the caller left.
        InternalError: `overloaded`, too many wait already.
    """
    with context_of(request).places.take() if seconds else nullcontext():
        return await keep_asking(request, ask, enough, seconds=seconds)


async def keep_asking(request: Request, ask: Callable[[], T], enough: Callable[[T], bool], *, seconds: float) -> T:
    """As `ask_until`, for one who holds a place already."""
    limiter = context_of(request).waiting
    started = time.monotonic()
    while True:
        answer = await to_thread.run_sync(ask, limiter=limiter)
        waited = time.monotonic() - started
        if enough(answer) or waited >= seconds:
            return answer
        if await request.is_disconnected():
            raise ClientDisconnect
        await anyio.sleep(min(seconds - waited, _LONGEST_S, max(_SHORTEST_S, waited / 10)))
