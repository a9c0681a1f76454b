"""What reading costs: `python -m benchmarks.reading [--documents FOLDER]`.

Digital pages and the start of a sandbox are measured on pages drawn here; scans on the evaluation documents, if given.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.papers import draw_pages
from service.documents.reader import DocumentReader, ReadingLimits
from service.domain.pages import PageRange
from service.settings import Settings

_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time of the sandboxes and the caller, wall time, and the highest resident memory of one sandbox."""

    cpu_s: float
    wall_s: float
    peak_bytes: int


def new_reader() -> DocumentReader:
    """A reader with the limits of a default installation."""
    settings = Settings()
    return DocumentReader(ReadingLimits.of(settings))


def start_ms(path: Path) -> float:
    """Wall time from nothing to an open one-page file, the best of three."""
    times: list[float] = []
    for _ in range(3):
        reader = new_reader()
        begin = time.perf_counter()
        reader.open(path)
        times.append((time.perf_counter() - begin) * 1000)
        reader.close()
    return min(times)


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


def measure_digital(folder: Path) -> None:
    """Start, pages drawn here, and memory over 500 of them."""
    one, many = folder / "one.pdf", folder / "many.pdf"
    one.write_bytes(draw_pages(1))
    many.write_bytes(draw_pages(500))
    print(f"| sandbox start and open of one page | {start_ms(one):.0f} ms |")
    reader = new_reader()
    reader.open(one)
    cost = cost_of(reader, lambda: (read_all(reader, many), None)[1])
    print(f"| digital page | {cost.cpu_s / 500 * 1000:.1f} ms CPU |")
    print(f"| memory after 500 pages | {cost.peak_bytes / _MB:.0f} MB |")
    reader.close()


def measure_documents(folder: Path) -> None:
    """Real digital documents and scans, a few of each set."""
    for name in ("nda", "adbuy", "invoices-eu-xml", "sroie", "funsd"):
        files = sorted((folder / "sets" / name / "docs").glob("*"))[:6]
        reader = new_reader()
        read_all(reader, files[0])
        pages: list[int] = []
        cost = cost_of(reader, lambda r=reader, p=pages, f=files[1:]: p.extend(read_all(r, path) for path in f))
        each = cost.cpu_s / sum(pages)
        print(f"| {name}, {sum(pages)} pages | {each * 1000:.0f} ms CPU, {cost.peak_bytes / _MB:.0f} MB |")
        reader.close()


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    beside = Path(__file__).parents[1].parent / "shared" / "eval"
    parser.add_argument("--documents", type=Path, default=Path(os.environ.get("FIELDMARK_EVAL") or beside))
    documents: Path = parser.parse_args().documents
    print("| what | cost |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        measure_digital(Path(folder))
    if documents.is_dir():
        measure_documents(documents)


if __name__ == "__main__":
    main()
