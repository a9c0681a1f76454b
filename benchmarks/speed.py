"""What reading costs: `python -m benchmarks.speed [--documents FOLDER]`.

Digital pages and the start of a sandbox are measured on pages drawn here; scans on the evaluation documents, if given,
in pairs with RapidOCR's own pipeline on one thread. Writes `quality_speed.md`, which `make quality` puts into
docs/quality.md.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
from rapidocr import RapidOCR

from benchmarks.papers import draw_pages
from benchmarks.quality import ROOT, SPEED, commit
from benchmarks.reading import cost_of, new_reader, read_all

PICTURES = 8
"""Scans that both pipelines read."""
ONE_THREAD = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
_MB = 1_000_000


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


def measure_digital(folder: Path) -> Iterator[tuple[str, str]]:
    """Start, pages drawn here, and memory over 500 of them."""
    one, many = folder / "one.pdf", folder / "many.pdf"
    one.write_bytes(draw_pages(1))
    many.write_bytes(draw_pages(500))
    yield "sandbox start and open of one page", f"{start_ms(one):.0f} ms"
    reader = new_reader()
    reader.open(one)
    cost = cost_of(reader, lambda: (read_all(reader, many), None)[1])
    yield "digital page, drawn here", f"{cost.cpu_s / 500 * 1000:.1f} ms CPU"
    yield "memory of the sandbox after 500 pages", f"{cost.peak_bytes / _MB:.0f} MB"
    reader.close()


def measure_documents(folder: Path) -> Iterator[tuple[str, str]]:
    """Real digital documents and scans, a few of each set."""
    for name in ("nda", "adbuy", "invoices-eu-xml", "sroie", "funsd"):
        files = sorted((folder / "sets" / name / "docs").glob("*"))[:6]
        reader = new_reader()
        read_all(reader, files[0])
        pages: list[int] = []
        cost = cost_of(reader, lambda r=reader, p=pages, f=files[1:]: p.extend(read_all(r, path) for path in f))
        each = cost.cpu_s / sum(pages)
        yield f"{name}, {sum(pages)} pages, a page", f"{each * 1000:.0f} ms CPU, {cost.peak_bytes / _MB:.0f} MB"
        reader.close()


def measure_beside_rapidocr(folder: Path) -> Iterator[tuple[str, str]]:
    """The same pictures by our reader and by RapidOCR's own pipeline, one after the other, each warm."""
    first, *files = sorted((folder / "sets" / "sroie" / "docs").glob("*"))[: PICTURES + 1]
    reader = new_reader()
    cv2.setNumThreads(1)
    theirs = RapidOCR(params=ONE_THREAD)
    read_all(reader, first)
    theirs(first)
    ratios: list[float] = []
    for path in files:
        ours = cost_of(reader, lambda p=path: (read_all(reader, p), None)[1]).cpu_s
        begin = time.process_time()
        theirs(path)
        ratios.append(ours / (time.process_time() - begin))
    reader.close()
    yield f"scans against RapidOCR's own pipeline, {len(files)} pairs", f"{statistics.median(ratios):.2f} × its CPU"


def measure_whole() -> Iterator[tuple[str, str]]:
    """The command line on a digital page: the largest of its processes, the embedded model in it."""
    sample = ROOT / "samples" / "form"
    with tempfile.TemporaryDirectory() as home:
        command = [
            "-m",
            "service.cli.main",
            "extract",
            str(sample / "document.pdf"),
            "--schema",
            str(sample / "schema.json"),
        ]
        environment = os.environ | {"FIELDMARK_HOME": home}
        begin = time.perf_counter()
        subprocess.run([sys.executable, *command], env=environment, check=True, capture_output=True, cwd=ROOT)
        took = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    yield "`fieldmark extract` of a digital page, cold", f"{took:.1f} s, largest process {peak / _MB:.0f} MB"


def main() -> None:
    """Write a Markdown table, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    beside = Path(__file__).parents[1].parent / "shared" / "eval"
    parser.add_argument("--documents", type=Path, default=Path(os.environ.get("FIELDMARK_EVAL") or beside))
    documents: Path = parser.parse_args().documents
    rows = list(measure_whole())
    with tempfile.TemporaryDirectory() as folder:
        rows += measure_digital(Path(folder))
    if documents.is_dir():
        rows += [*measure_documents(documents), *measure_beside_rapidocr(documents)]
    head = f"Made by `python -m benchmarks.speed`, {dt.datetime.now(dt.UTC):%Y-%m-%d}, commit {commit()}."
    table = "\n".join(["| what | cost |", "|---|---|", *(f"| {what} | {cost} |" for what, cost in rows)])
    SPEED.write_text(f"{head}\n\n{table}\n", encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main()
