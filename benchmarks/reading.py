"""A reader as a default installation has it, and what some work with it costs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from service.cli.session import load_settings
from service.documents.reader import DocumentReader, ReadingLimits
from service.domain.pages import PageRange


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time of the sandboxes and the caller, wall time, and the highest resident memory of one sandbox."""

    cpu_s: float
    wall_s: float
    peak_bytes: int


def new_reader() -> DocumentReader:
    """A reader with the limits of a default installation."""
    return DocumentReader(ReadingLimits.of(load_settings()))


def cost_of(reader: DocumentReader, work: Callable[[], None]) -> Cost:
    """What some work with a warm reader costs."""
    own = psutil.Process()
    children = [psutil.Process(pid) for pid in reader.sandbox_pids()]
    before = sum(sum(process.cpu_times()[:2]) for process in (own, *children))
    begin = time.perf_counter()
    work()
    wall = time.perf_counter() - begin
    after = sum(sum(process.cpu_times()[:2]) for process in (own, *children))
    return Cost(after - before, wall, max(_peak_bytes(process) for process in children))


def read_all(reader: DocumentReader, path: Path) -> int:
    """Read every page; how many there were."""
    count = len(reader.open(path).info.pages)
    for _ in reader.read_pages(path, PageRange(1, count)):
        pass
    return count


def _peak_bytes(process: psutil.Process) -> int:
    """Highest resident memory so far where Linux tells it, else the present one."""
    status = Path(f"/proc/{process.pid}/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return int(process.memory_info().rss)
