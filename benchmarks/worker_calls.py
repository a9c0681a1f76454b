"""The whole io worker of a running service with calls in flight: how much memory it holds, what a call costs it.

    python -m benchmarks.worker_calls [--only "4 KB"] [--latency 5]

The service is started as it is run, with every process of its own; as many documents of one page as calls may be in
flight are handed in, twice over. Resident memory counts shared libraries whole; PSS shares them among their users.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pypdfium2

from benchmarks.calls import IN_FLIGHT, SIZES, Bodies, Row
from benchmarks.fleet import Run, fleet, forget_requests, run_jobs
from benchmarks.machine import Meter, roles_below
from benchmarks.papers import copy_of, draw_pages

_MB = 1_000_000
_LOOK_S = 0.05
_ROUNDS = 2


def page_of(size_bytes: int) -> bytes:
    """A page with words, in a file of about that size: the rest is an attachment that cannot be packed."""
    page = draw_pages(1)
    if size_bytes <= len(page):
        return page
    with pypdfium2.PdfDocument(page) as pdf:
        pdf.new_attachment("rest.bin").set_data(os.urandom(size_bytes - len(page)))
        buffer = io.BytesIO()
        pdf.save(buffer)
    return buffer.getvalue()


class ProcessPeak(threading.Thread):
    """The most memory that another process was seen with."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._path = Path(f"/proc/{pid}/smaps_rollup")
        self._over = threading.Event()
        self.mb = {"Rss": 0.0, "Pss": 0.0}

    def run(self) -> None:
        """Look until told to stop."""
        while not self._over.wait(_LOOK_S):
            for line in self._path.read_text(encoding="ascii").splitlines():
                name, _, rest = line.partition(":")
                if name in self.mb:
                    self.mb[name] = max(self.mb[name], int(rest.split()[0]) * 1024 / _MB)

    def stop(self) -> dict[str, float]:
        """Megabytes, resident and by PSS."""
        self._over.set()
        self.join()
        return self.mb


def measure(size: Bodies, latency_s: float) -> tuple[dict[str, float], Run, float]:
    """Memory of the io worker at its peak, what was run, and CPU seconds of the worker a call."""
    page = page_of(size.file_bytes)
    with fleet(latency_s, max_calls_in_flight=IN_FLIGHT) as running:
        asyncio.run(run_jobs(running, [draw_pages(1)]))  # every process has had its first job
        asyncio.run(forget_requests(running))
        worker = next(pid for pid, role in roles_below(running.serve_pid).items() if role == "io")
        peak, meter = ProcessPeak(worker), Meter(running.serve_pid, {"model": running.stub_pid})
        peak.start()
        run = asyncio.run(run_jobs(running, (copy_of(page, number) for number in range(_ROUNDS * IN_FLIGHT))))
        return peak.stop(), run, meter.read()[0]["io"] / run.requests


def rows(size: Bodies, latency_s: float) -> Iterator[Row]:
    """As `benchmarks.calls` has them."""
    mb, run, cpu_s = measure(size, latency_s)
    how = f"{run.peak_in_flight} in flight at most; resident {mb['Rss']:.0f} MB; {1000 * cpu_s:.1f} ms CPU a call"
    wanted = mb["Pss"] <= size.memory_mb and run.peak_in_flight >= 0.9 * IN_FLIGHT
    yield f"the io worker, {size.name}: memory (PSS)", f"{mb['Pss']:.0f} MB", f"≤ {size.memory_mb} MB", wanted, how


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rows as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=5.0)
    parser.add_argument("--only", choices=[size.name for size in SIZES], help="one size")
    given = parser.parse_args(arguments)
    for size in (size for size in SIZES if given.only in (None, size.name)):
        for name, figure, wanted, reached, how in rows(size, given.latency):
            print(f"| {name} | {figure} | {wanted} | {'yes' if reached else 'no'} | {how} |", flush=True)


if __name__ == "__main__":
    main()
