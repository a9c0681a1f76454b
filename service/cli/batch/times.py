"""How long files take on this machine, from a few of them, worked on by the offline model in a home of their own."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from service.cli.batch.desk import BatchDesk
from service.cli.desk.base import Order
from service.documents.text.judging import Route
from service.domain.errors import ServiceError

_TRIED = {Route.DIGITAL: 20, Route.PICTURES: 10, Route.OCR: 12}
"""Files of each kind whose time is taken."""
_PAGES_TRIED = 80
"""Of each kind, after the first file."""
_WARM = 2
"""Files that go before, as many as there usually are processes: the first of its kind loads what reads it."""
_WAIT_S = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is known of a file without reading it."""

    path: Path
    pages: int
    route: Route
    """Of its first page: DIGITAL, PICTURES, or OCR for all that is read from a picture."""
    password: str | None = None

    @property
    def weight(self) -> int:
        """To which its time is taken to be in proportion: a page each, and one more for the file itself."""
        return self.pages + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What was measured."""

    start_s: float
    """Until the service was ready."""
    of_a_unit: dict[Route, float]
    """Seconds a unit of weight, with `jobs` files in work at once."""
    tried: int


def take_times(looks: Sequence[Look], order: Order, home: Path, *, jobs: int, seed: int) -> Times:
    """Work on some files of each kind and take the time.

    Args:
        looks: files to draw from.
        order: with a schema that any home takes.
        home: an empty one.
        jobs: files in work at once.
        seed: of the drawing.
    """
    desk = BatchDesk(home, None, "", _say_nothing)
    begun = time.monotonic()
    of_a_unit: dict[Route, float] = {}
    tried = 0
    try:
        position = desk.ask(lambda here: here.newest_position())
        start_s = time.monotonic() - begun
        for route, most in _TRIED.items():
            drawn = _draw([look for look in looks if look.route is route], most + _WARM, seed)
            measured = drawn[_WARM:] or drawn
            position = _work(desk, drawn[:_WARM], order, jobs, position)
            begun = time.monotonic()
            position = _work(desk, measured, order, jobs, position)
            if measured:
                of_a_unit[route] = (time.monotonic() - begun) / sum(look.weight for look in measured)
            tried += len(drawn)
    finally:
        desk.close()
    return Times(start_s=start_s, of_a_unit=of_a_unit, tried=tried)


def _draw(looks: list[Look], most: int, seed: int) -> list[Look]:
    """Files as they come, but no more pages than a person waits for."""
    order = random.Random(seed).sample(looks, len(looks))  # noqa: S311 - a sample, no secret
    drawn: list[Look] = []
    pages = 0
    for look in order[:most]:
        pages += look.pages
        if drawn and pages > _PAGES_TRIED:
            continue
        drawn.append(look)
    return drawn


def _work(desk: BatchDesk, looks: Sequence[Look], order: Order, jobs: int, position: int) -> int:
    """Work on files as a batch does, to the last; the position in the event log behind it."""
    waiting = list(looks)
    open_jobs: set[str] = set()
    while waiting or open_jobs:
        while waiting and len(open_jobs) < jobs:
            look = waiting.pop()
            wanted = replace(order, path=look.path, password=look.password)
            try:
                open_jobs.add(desk.ask(lambda here, wanted=wanted: here.submit(wanted)))
            except ServiceError:
                continue  # the batch will say what is wrong with it
        if open_jobs:
            ended, position = desk.ask(lambda here, after=position: here.ended_since(after, _WAIT_S))
            for job_id in ended & open_jobs:
                desk.ask(lambda here, job_id=job_id: here.result_bytes(job_id, "full"))
            open_jobs -= ended
    return position


def _say_nothing(_why: str | None) -> None:
    """A pause of so short a run need not be shown."""
