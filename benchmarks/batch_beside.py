"""How long a one-page upload takes while a batch runs against the same service, beside its idle time.

    python -m benchmarks.batch_beside [--files 150] [--seed 1] [--uploads 15]

The batch is `fieldmark batch` over documents of the evaluation sets (FIELDMARK_EVAL, or ../shared/eval); the upload
is a digital page, handed in with `?wait=60` and the offline model, each time with other bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from benchmarks.fleet import SCHEMA, fleet
from benchmarks.papers import copy_of, draw_pages

_EVAL = Path(os.environ.get("FIELDMARK_EVAL", Path(__file__).parents[1].parent / "shared" / "eval"))
_SETS = ("adbuy", "nda", "invoices-eu-xml", "sroie")
_SCANNED = 0.06
_REST_S = 0.5
_WARM = 3


def upload_s(client: httpx.Client, data: bytes) -> float:
    """Seconds from the first byte of an upload to the last of its result."""
    began = time.monotonic()
    files = {"file": ("page.pdf", data)}
    answer = client.post("/api/v1/jobs?wait=60", data={"schema": json.dumps(SCHEMA), "model": "embedded"}, files=files)
    if answer.status_code != 200:
        raise RuntimeError(f"the upload was not done: {answer.status_code} {answer.text[:500]}")
    return time.monotonic() - began


def fill(folder: Path, files: int, seed: int) -> None:
    """Documents of the sets again and again, mostly digital."""
    dice = random.Random(seed)
    found = [path for name in _SETS for path in sorted((_EVAL / "sets" / name / "docs").iterdir())]
    digital = [path for path in found if path.suffix == ".pdf"]
    scanned = [path for path in found if path.suffix == ".jpg"]
    folder.mkdir()
    for number in range(files):
        path = dice.choice(scanned if dice.random() < _SCANNED else digital)
        (folder / f"{number:05d}{path.suffix}").write_bytes(path.read_bytes() + f"\n% copy {number}\n".encode())


def main() -> int:
    """Measure, and print both medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--uploads", type=int, default=15)
    arguments = parser.parse_args()
    pages = (copy_of(draw_pages(1), number) for number in range(10_000))
    with (
        tempfile.TemporaryDirectory() as folder,
        fleet(0.0) as target,
        httpx.Client(base_url=target.url, timeout=90, trust_env=False) as client,
    ):
        fill(Path(folder) / "in", arguments.files, arguments.seed)
        for _ in range(_WARM):
            upload_s(client, next(pages))
        idle = [upload_s(client, next(pages)) for _ in range(arguments.uploads)]
        busy = list(_beside_a_batch(client, Path(folder), target.url, pages, arguments.uploads))
    _print("idle", idle)
    _print("beside a batch", busy)
    print(f"{statistics.median(busy) / statistics.median(idle):.1f} times")
    return 0


def _beside_a_batch(
    client: httpx.Client, folder: Path, url: str, pages: Iterator[bytes], uploads: int
) -> Iterator[float]:
    command = [sys.executable, "-m", "service.cli.main", "batch", str(folder / "in"), "--schema", "invoice"]
    command += ["--out", str(folder / "out"), "--server", url]
    with (folder / "batch.log").open("wb") as log:
        batch = subprocess.Popen(command, stderr=log, stdout=log)
    try:
        while not list((folder / "out").rglob("*.json")):  # it is well under way
            if batch.poll() is not None:
                raise RuntimeError((folder / "batch.log").read_text())
            time.sleep(_REST_S)
        for _ in range(uploads):
            yield upload_s(client, next(pages))
            time.sleep(_REST_S)
            if batch.poll() is not None:
                print("the batch was over before the last upload: give it more files")
                return
    finally:
        batch.terminate()
        batch.wait()


def _print(name: str, times: list[float]) -> None:
    print(f"{name}: median {statistics.median(times):.2f} s, least {min(times):.2f} s, most {max(times):.2f} s")


if __name__ == "__main__":
    sys.exit(main())
