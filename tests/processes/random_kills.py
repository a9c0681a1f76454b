"""kill -9 at random moments of a job of 100 pages and 20 model calls, for every kind of process; not part of the suite.

    python -m tests.processes.random_kills --times 20 --seed 1 [--kind cpu]

Each line is a kind: how often, the longest time from the kill to the end of the job, and what was not as promised: a
job that did not succeed within the lease and ten seconds, a page without its text, more calls at the model than splits
and calls in flight at the kill, a process left over.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
import redis

from tests.fakes.model_stub import ModelStub
from tests.fakes.serve_process import ORPHANS_END_S, ServeProcess, long_invoice, status_of, submit

PAGES, PAGES_PER_CHUNK = 100, 5
SPLITS = PAGES // PAGES_PER_CHUNK
LATENCY_S = 0.5
LEASE_S = 5.0
EXTRA_S = 10.0
LONGEST_S = 120.0
KINDS = ("api", "cpu", "cpu child", "sandbox", "io", "redis", "redis emptied", "supervisor")


@dataclass
class Findings:
    """What came of one kind."""

    kind: str
    times: int = 0
    longest_s: float = 0.0
    faults: list[str] = field(default_factory=list)


class Trial:
    """One service, one document, one model."""

    def __init__(self, folder: Path, stub: ModelStub) -> None:
        self.folder = folder
        self.document = folder / "long.pdf"
        self.number = 0
        self.stub = stub
        self.service = self.new_service()

    def new_service(self) -> ServeProcess:
        """On the same home each time."""
        settings = {"FIELDMARK_UPSTAGE_BASE_URL": self.stub.base_url, "FIELDMARK_UPSTAGE_API_KEY": "up_test"}
        return ServeProcess(self.folder / "home", FIELDMARK_LEASE_S=str(LEASE_S), **settings)

    def submit(self) -> str:
        """A new job, of a file that was not read before; the stub counts from here."""
        self.number += 1
        schema = long_invoice(self.document, PAGES, f"LONG-{self.number}")
        self.stub.reset()
        self.stub.answers([{"invoice_number": f"LONG-{self.number}"}])
        options = {"model": "upstage", "pages_per_chunk": str(PAGES_PER_CHUNK)}
        with self.service.client() as client:
            return submit(client, self.document, schema, **options)

    def wait(self, job_id: str) -> float:
        """Seconds until the job is over, and how it ended is checked."""
        started = time.monotonic()
        with self.service.client() as client:
            self.service.wait_until(lambda: status_of(client, job_id) in ("succeeded", "failed"), LONGEST_S)
        return time.monotonic() - started

    def faults_of(self, job_id: str) -> list[str]:
        """What is wrong with a finished job."""
        with self.service.client() as client:
            result = client.get(f"/jobs/{job_id}/result").json()
        faults = [] if result["status"] == "succeeded" else [f"the job ended {result['status']}"]
        lost = [row["page"] for row in result["coverage"] if row["text"] != "digital"]
        return faults + ([f"pages without their text: {lost}"] if lost else [])

    def kill(self, kind: str, job_id: str) -> int:
        """Do the harm; how many calls were begun whose answer was not stored yet."""
        victim = self.service.find(kind) if kind not in ("supervisor", "redis emptied") else None
        with self.service.client() as client:
            stored = client.get(f"/jobs/{job_id}").json()["progress"]["splits_done"]
        if kind == "supervisor":
            self.service.end(signal.SIGKILL)
        elif kind == "redis emptied":
            redis.Redis(unix_socket_path=str(self.folder / "home/run/redis.sock")).flushall()
        elif victim is not None:
            with suppress(psutil.NoSuchProcess):
                victim.kill()
        begun = self.stub.stats()["requests"]
        if kind == "supervisor":
            self.service.check_nothing_is_left(ORPHANS_END_S)
            self.service = self.new_service()
            self.service.__enter__()
        return max(0, begun - stored)


def try_kind(trial: Trial, kind: str, moments: list[float]) -> Findings:
    """Kill one kind at each moment of a job of its own."""
    findings = Findings(kind)
    for moment in moments:
        job_id = trial.submit()
        time.sleep(moment)
        in_flight = trial.kill(kind, job_id)
        took = trial.wait(job_id)
        findings.times += 1
        findings.longest_s = max(findings.longest_s, took)
        said = trial.faults_of(job_id)
        if took > LEASE_S + EXTRA_S:
            said.append(f"{took:.1f} s from the kill to the end")
        calls = trial.stub.stats()["requests"]
        if calls > SPLITS + in_flight:
            said.append(f"{calls} calls for {SPLITS} splits, {in_flight} in flight at the kill")
        findings.faults += [f"{job_id} at {moment:.2f} s: {fault}" for fault in said]
    return findings


def main() -> int:
    """Try each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, action="append")
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, ModelStub(latency_s=LATENCY_S) as stub:
        trial = Trial(Path(folder), stub)
        trial.service.__enter__()
        try:
            job_id = trial.submit()
            usual_s = trial.wait(job_id)
            print(
                f"undisturbed: {usual_s:.1f} s, {stub.stats()['requests']} calls", *trial.faults_of(job_id), flush=True
            )
            dice = random.Random(arguments.seed)
            for kind in arguments.kind or KINDS:
                found = try_kind(trial, kind, [dice.uniform(0, usual_s) for _ in range(arguments.times)])
                wrong += len(found.faults)
                print(
                    f"{kind}: {found.times} kills, longest {found.longest_s:.1f} s",
                    *found.faults,
                    sep="\n  ",
                    flush=True,
                )
        except (AssertionError, httpx.HTTPError) as error:
            wrong += 1
            print(f"ended early: {error}")
        finally:
            trial.service.__exit__()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
