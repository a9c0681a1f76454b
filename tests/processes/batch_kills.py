"""A folder of mixed files, done once in peace and once with kill -9 in between; not part of the suite.

    python -m tests.processes.batch_kills --files 1000 --seed 1 [--kills 3] [--schemas invoice,receipt] [--folder DIR]

Prints what was as promised and what was not: books that balance and are the same, each file once, the same tables, the
peak memory of the command, and how far the dry run was from the truth.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.mixed_folder import Mixture, make_mixed_folder
from tests.fakes.serve_process import KILLED, environment, fieldmark

EVAL = Path(os.environ.get("FIELDMARK_EVAL", Path(__file__).parents[2].parent / "shared" / "eval"))
SETS = ("adbuy", "nda", "invoices-eu-xml", "invoices-misc", "tax-forms", "sroie", "wildreceipt", "funsd")
MOST_PAGES = 3
"""Of a document that is repeated, so that the run takes no longer than it must."""
MOST_MB = 150.0
MOST_OFF = 0.3
_LOOK_S = 0.05
_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")
_BOOKS = re.compile(r"^(\d+) files found = (.*) \((\d+) of them done earlier\)$", re.MULTILINE)
_TIME = re.compile(r"time\s+about (?:(\d+) days?, )?(\d+):(\d\d):(\d\d)")


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a command ended."""

    code: int
    seconds: float
    peak_mb: float
    said: str


def run(arguments: Sequence[str | Path], log: Path, *, kill_when: Callable[[float], bool] | None = None) -> Ended:
    """Run `fieldmark batch`; kill it when it is time, by its seconds so far, unless it is over before."""
    began, peak_kb = time.monotonic(), 0
    with log.open("wb") as said:
        process = subprocess.Popen(
            fieldmark("batch", *arguments), env=environment(**KILLED), stderr=said, cwd=log.parent
        )
        while process.poll() is None:
            if kill_when is not None and kill_when(time.monotonic() - began):
                process.send_signal(signal.SIGKILL)
            peak_kb = max(peak_kb, _peak_kb(process.pid))
            time.sleep(_LOOK_S)
    seconds = time.monotonic() - began
    return Ended(code=process.returncode, seconds=seconds, peak_mb=peak_kb / 1024, said=log.read_text(errors="replace"))


def _peak_kb(pid: int) -> int:
    """The largest resident memory of a process so far, of itself alone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = _PEAK.search(status)
    return int(found[1]) if found else 0


def books_of(out: Path) -> list[dict[str, str]]:
    """The rows of the books, without what is another each time."""
    with (out / "_batch" / "books.csv").open(newline="", encoding="utf-8") as file:
        return [{name: value for name, value in row.items() if name != "job_id"} for row in csv.DictReader(file)]


def tables_of(out: Path) -> dict[str, bytes]:
    """The tables over all results, by name."""
    return {path.name: path.read_bytes() for path in sorted((out / "_batch" / "tables").iterdir())}


def jobs_in(home: Path) -> int:
    """Jobs that an installation ever made."""
    with sqlite3.connect(home / "fieldmark.db") as connection:
        return int(connection.execute("SELECT count(*) FROM jobs").fetchone()[0])


def faults_of(out: Path, home: Path, folder: Path, said: str) -> list[str]:
    """What is not as promised of one folder of results."""
    books = books_of(out)
    faults: list[str] = []
    found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    if sorted(row["path"] for row in books) != found:
        faults.append(f"the books have {len(books)} rows for {len(found)} files")
    counted = _BOOKS.search(said)
    if counted is None or sum(int(part.split()[0]) for part in counted[2].split(" + ")) != int(counted[1]):
        faults.append(f"the books do not balance: {said[-500:]}")
    worked = [row for row in books if row["state"] in ("succeeded", "partial", "failed", "unrouted")]
    if jobs_in(home) != len(worked):
        faults.append(f"{jobs_in(home)} jobs for {len(worked)} files")
    results = [row for row in books if row["state"] in ("succeeded", "partial")]
    doubles = {row["path"] for row in results}
    wanted = len(results) + sum(row["duplicate_of"] in doubles for row in books)
    there = sum(1 for path in out.rglob("*.json") if "_batch" not in path.parts)
    if there != wanted:
        faults.append(f"{there} results for {wanted} files")
    return faults + [f"left over: {path}" for path in out.rglob("*.part")]


def compare(out: Path, other: Path) -> list[str]:
    """In what two folders of results differ."""
    faults = [f"other books: {a} {b}" for a, b in zip(books_of(out), books_of(other), strict=True) if a != b][:5]
    one, two = tables_of(out), tables_of(other)
    return faults + [f"another table {name}" for name in one.keys() | two.keys() if one.get(name) != two.get(name)]


def sources() -> list[Path]:
    """Documents of the evaluation sets."""
    if not EVAL.is_dir():
        raise SystemExit(f"There are no evaluation sets at {EVAL}; name their folder in FIELDMARK_EVAL.")
    found: list[Path] = []
    for name in SETS:
        lines = (EVAL / "sets" / name / "truth.jsonl").read_text(encoding="utf-8").splitlines()
        for row in map(json.loads, lines):
            path = EVAL / "sets" / name / row["file"]
            if row.get("pages", 1) <= MOST_PAGES and path.suffix in (".pdf", ".jpg", ".png"):
                found.append(path)
    return found


def estimated_s(said: str) -> float:
    """The time that a dry run tells."""
    match = _TIME.search(said)
    assert match is not None, said
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def main() -> int:
    """Do it, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--schemas", default="")
    parser.add_argument("--schema", default="invoice")
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        base = arguments.folder or Path(temporary)
        faults = _try(base, arguments)
    print(*faults, sep="\n")
    print("as promised" if not faults else f"{len(faults)} faults")
    return int(bool(faults))


def _try(base: Path, arguments: argparse.Namespace) -> list[str]:
    folder, dice = base / "in", random.Random(arguments.seed)
    made = sources()
    random.Random(arguments.seed).shuffle(made)
    make_mixed_folder(folder, made, Mixture.of(arguments.files), arguments.seed)
    wanted = ["--schemas", arguments.schemas] if arguments.schemas else ["--schema", arguments.schema]

    def command(name: str) -> list[str | Path]:
        return [folder, *wanted, "--out", base / name, "--home", base / f"home-{name}"]

    dry = run([*command("dry"), "--dry-run"], base / "dry.log")
    print(f"dry run: {dry.seconds:.0f} s, {dry.peak_mb:.0f} MB\n{dry.said}", flush=True)
    calm = run(command("calm"), base / "calm.log")
    print(f"in peace: {calm.seconds:.0f} s, {calm.peak_mb:.0f} MB, code {calm.code}\n{calm.said[-1500:]}", flush=True)
    faults = faults_of(base / "calm", base / "home-calm", folder, calm.said)
    off = estimated_s(dry.said) / calm.seconds - 1
    print(f"the dry run said {estimated_s(dry.said):.0f} s, {off:+.0%}", flush=True)
    faults += [f"the dry run was {off:+.0%} off"] if abs(off) > MOST_OFF else []
    peak = max(dry.peak_mb, calm.peak_mb)
    for number in range(arguments.kills):
        moment = dice.uniform(0.1, 0.9) * calm.seconds / (arguments.kills + 1)
        killed = run(
            command("killed"), base / "killed.log", kill_when=lambda seconds, moment=moment: seconds > 8 + moment
        )
        peak = max(peak, killed.peak_mb)
        print(f"kill {number + 1} after {killed.seconds:.0f} s: code {killed.code}", flush=True)
    last = run(command("killed"), base / "killed.log")
    print(f"to the end: {last.seconds:.0f} s, code {last.code}\n{last.said[-1500:]}", flush=True)
    peak = max(peak, last.peak_mb)
    faults += faults_of(base / "killed", base / "home-killed", folder, last.said)
    faults += compare(base / "calm", base / "killed")
    print(f"peak memory of the command: {peak:.0f} MB")
    return faults + ([f"{peak:.0f} MB"] if peak > MOST_MB else [])


if __name__ == "__main__":
    sys.exit(main())
