"""`make bench`: what the service makes of its time, as Markdown.

    python -m benchmarks.run [--only NAME …] [--rounds 2]

Every makespan is compared with the ideal that `benchmarks.ideal` computes from raw loops measured in the same run.
Other programs on the machine take cores from the service: the ideal counts the cores that were left.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.fleet import Run, fleet, forget_requests, last_request_at, model_server, run_jobs
from benchmarks.ideal import Costs, Load, ideal_s
from benchmarks.machine import CORES, Meter
from benchmarks.papers import copy_of, draw_pages
from benchmarks.reading import cost_of, new_reader, read_all
from service.domain.pages import PageRange

_MB = 1_000_000
_MANY_PAGES = 500
_ROUNDS_OF_ONE = 20


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of the table."""

    name: str
    figure: str
    wanted: str
    reached: bool
    more: str


def measure_costs() -> Costs:
    """The raw loops, in a process of their own."""
    with model_server(0.0) as (_, url), tempfile.TemporaryDirectory() as folder:
        pdf = Path(folder) / "hundred.pdf"
        pdf.write_bytes(draw_pages(100))
        command = [
            sys.executable,
            "-m",
            "benchmarks.reference",
            "--pdf",
            str(pdf),
            "--url",
            f"{url}/v1/information-extraction",
        ]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return Costs(page_s=answer["page_s"], call_s=answer["call_s"])


def _measured(load: Load, **options: str) -> tuple[Run, dict[str, float], float]:
    pdf = draw_pages(load.pages)
    with fleet(load.latency_s, max_calls_in_flight=load.in_flight) as running:
        asyncio.run(run_jobs(running, [draw_pages(1)]))  # every process has had its first job
        asyncio.run(forget_requests(running))
        meter = Meter(running.serve_pid, {"model": running.stub_pid})
        files = (copy_of(pdf, number) for number in range(load.documents))
        run = asyncio.run(run_jobs(running, files, **options))
        return run, *meter.read()


def measure_load(name: str, load: Load, costs: Costs, *, least: float | None) -> Line:
    """One load once; `least` is the efficiency that is wanted, None: at most half a second over the ideal."""
    run, used, cores = _measured(load)
    ideal = ideal_s(load, costs, cores)
    efficiency = ideal / run.makespan_s
    over = run.makespan_s - ideal
    shares = ", ".join(f"{role} {seconds:.1f}" for role, seconds in sorted(used.items()) if role)
    more = (
        f"measured {run.makespan_s:.2f} s, ideal {ideal:.2f} s on {cores:.1f} cores left "
        f"({ideal_s(load, costs, CORES):.2f} s on {CORES}); "
        f"{run.requests} calls, {run.peak_in_flight} at once; CPU s: {shares}"
    )
    if least is None:
        return Line(name=name, figure=f"ideal + {over:.2f} s", wanted="≤ ideal + 0.5 s", reached=over <= 0.5, more=more)
    return Line(name=name, figure=f"E {efficiency:.2f}", wanted=f"≥ {least}", reached=efficiency >= least, more=more)


def measure_split_cpu() -> Line:
    """CPU of the io worker for one split, from its claim to its end, while the model takes no time."""
    load = Load(documents=10, pages=100, latency_s=0.0, in_flight=200, pages_a_call=1)
    run, used, _ = _measured(load, pages_per_chunk="1")
    each_ms = 1000 * used.get("io", 0.0) / run.requests
    others = ", ".join(f"{role} {1000 * seconds / run.requests:.1f}" for role, seconds in sorted(used.items()) if role)
    more = f"{run.requests} splits; ms a split by process: {others}"
    return Line(name="CPU per split", figure=f"{each_ms:.1f} ms", wanted="≤ 15 ms", reached=each_ms <= 15, more=more)


def measure_first_request() -> Line:
    """From the reply to an upload to the first model request, with a split of one page."""
    waits: list[float] = []
    with fleet(0.0) as running:
        for number in range(1 + _ROUNDS_OF_ONE):
            run = asyncio.run(run_jobs(running, [copy_of(draw_pages(1), number)]))
            waits.append(asyncio.run(last_request_at(running)) - run.first_reply_at)
    middle = 1000 * statistics.median(waits[1:])
    more = f"median of {_ROUNDS_OF_ONE}; least {1000 * min(waits[1:]):.0f} ms, most {1000 * max(waits[1:]):.0f} ms"
    return Line(
        name="upload reply → model request",
        figure=f"{middle:.0f} ms",
        wanted="≤ 100 ms",
        reached=middle <= 100,
        more=more,
    )


def measure_sandbox_memory() -> Line:
    """The most memory a reading process has while it reads and cuts 500 pages."""
    reader = new_reader()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "five_hundred.pdf"
        path.write_bytes(draw_pages(_MANY_PAGES))

        def read_and_cut() -> None:
            read_all(reader, path)
            for first in range(1, _MANY_PAGES, 10):
                reader.cut(path, PageRange(first, first + 9))

        try:
            reader.open(path)
            cost = cost_of(reader, read_and_cut)
        finally:
            reader.close()
    peak = cost.peak_bytes / _MB
    more = f"{1000 * cost.cpu_s / _MANY_PAGES:.1f} ms CPU a page, read, handed over and cut"
    return Line(name="sandbox, 500 pages", figure=f"{peak:.0f} MB", wanted="≤ 150 MB", reached=peak <= 150, more=more)


LOADS = {
    "1 × 100 pages": (Load(documents=1, pages=100, latency_s=2.0, in_flight=200), None),
    "20 × 100 pages": (Load(documents=20, pages=100, latency_s=5.0, in_flight=200), 0.8),
    "200 × 1 page": (Load(documents=200, pages=1, latency_s=5.0, in_flight=200), 0.8),
    "1,000 splits, 50 at once": (Load(documents=100, pages=100, latency_s=2.0, in_flight=50), 0.9),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is asked for, and print the best of the rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of what is measured")
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args(arguments)
    costs = measure_costs()
    measures: dict[str, Callable[[], Line]] = {
        name: lambda name=name, load=load, least=least: measure_load(name, load, costs, least=least)
        for name, (load, least) in LOADS.items()
    }
    measures |= {
        "CPU per split": measure_split_cpu,
        "upload reply": measure_first_request,
        "sandbox": measure_sandbox_memory,
    }
    print(f"# Benchmarks, {datetime.now(UTC):%Y-%m-%d}, commit {_commit()}\n")
    print(f"Raw costs: {1000 * costs.page_s:.2f} ms CPU a page, {1000 * costs.call_s:.2f} ms a call of ten pages.\n")
    print("| what | reached | wanted | | how |\n|---|---|---|---|---|")
    for name, measure in measures.items():
        if not given.only or any(part in name for part in given.only):
            for _ in range(given.rounds):
                line = measure()
                mark = "yes" if line.reached else "no"
                print(f"| {line.name} | {line.figure} | {line.wanted} | {mark} | {line.more} |", flush=True)


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "unknown"


if __name__ == "__main__":
    main()
