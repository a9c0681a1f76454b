"""The service as it is run, with every process of its own, over a model server with a fixed latency."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.machine import roles_below
from service.cli.home import read_info
from service.domain.records import JsonObject

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "invoice_number": {"type": "string"},
        "total": {"type": "number"},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"description": {"type": "string"}, "amount": {"type": "number"}},
            },
        },
    },
}
_START_S = 60.0
_UPLOADS_AT_ONCE = 8


@contextmanager
def model_server(latency_s: float) -> Generator[tuple[int, str]]:
    """`fieldmark rehearse` in a process of its own; its pid and root URL."""
    command = [sys.executable, "-m", "service.cli.main", "rehearse", "--port", "0", "--latency", str(latency_s)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        port = json.loads(process.stdout.readline())["port"]
        yield process.pid, f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """Running processes."""

    url: str
    stub_url: str
    serve_pid: int
    stub_pid: int


@contextmanager
def fleet(latency_s: float, **settings: str | int) -> Generator[Fleet]:
    """Start all, wait until all are ready, and leave nothing."""
    with model_server(latency_s) as (stub_pid, stub_url), tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        given = {
            "home": home,
            "log_level": "WARNING",
            "upstage_base_url": f"{stub_url}/v1",
            "upstage_api_key": "up_test",
        }
        environment = {**os.environ, **{f"FIELDMARK_{k.upper()}": str(v) for k, v in (given | settings).items()}}
        command = [sys.executable, "-m", "service.cli.main", "serve", "--port", "0"]
        log = Path(folder) / "serve.log"
        with log.open("wb") as output:
            process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            url = _wait_ready(home, process, log)
            yield Fleet(url=url, stub_url=stub_url, serve_pid=process.pid, stub_pid=stub_pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def _wait_ready(home: Path, process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + _START_S
    while time.monotonic() < end and process.poll() is None:
        info = read_info(home)
        if info is not None and asyncio.run(_is_ready(info.url)):
            roles = set(roles_below(process.pid).values())
            if {"api", "cpu", "io", "redis"} <= roles:
                return info.url
        time.sleep(0.2)
    raise RuntimeError(f"the service did not get ready in {_START_S:g} s:\n{log.read_text(errors='replace')[-2000:]}")


async def _is_ready(url: str) -> bool:
    try:
        async with aiohttp.ClientSession() as session, session.get(f"{url}/readyz") as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a set of jobs took."""

    makespan_s: float
    """From the first byte of the first upload to the end of the last job."""
    jobs: int
    requests: int
    peak_in_flight: int
    started_at: float
    """Unix seconds."""
    first_reply_at: float


async def run_jobs(target: Fleet, files: Iterable[bytes], **options: str) -> Run:
    """Upload all files as jobs, a few at once, and wait until every one is over.

    Raises:
        RuntimeError: a job did not succeed.
    """
    gate = asyncio.Semaphore(_UPLOADS_AT_ONCE)
    replies: list[float] = []

    async def hand_in(session: aiohttp.ClientSession, number: int, data: bytes) -> str:
        async with gate:
            form = aiohttp.FormData({"schema": json.dumps(SCHEMA), "model": "upstage", **options})
            form.add_field("file", data, filename=f"{number}.pdf")
            async with session.post(f"{target.url}/api/v1/jobs", data=form) as answer:
                body = await answer.json()
                replies.append(time.time())
                if answer.status != 202:
                    raise RuntimeError(f"not taken: {body}")
                return body["id"]

    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        started = time.time()
        ids = await asyncio.gather(*(hand_in(session, n, data) for n, data in enumerate(files)))
        ends = [await _end_of(session, target, job_id) for job_id in ids]
        async with session.get(f"{target.stub_url}/stats") as answer:
            stats: Mapping[str, Any] = await answer.json()
    return Run(
        makespan_s=max(ends) - started,
        jobs=len(ids),
        requests=stats["requests"],
        peak_in_flight=stats["peak_in_flight"],
        started_at=started,
        first_reply_at=min(replies),
    )


async def _end_of(session: aiohttp.ClientSession, target: Fleet, job_id: str) -> float:
    """When a job ended; the time comes from the service, so asking late does not count."""
    while True:
        async with session.get(f"{target.url}/api/v1/jobs/{job_id}", params={"wait": "30"}) as answer:
            body = await answer.json()
        if body["status"] in ("failed", "cancelled", "partially_succeeded"):
            raise RuntimeError(f"a job ended as {body['status']}: {body}")
        if body["status"] == "succeeded":
            return datetime.fromisoformat(body["timing"]["finished_at"]).timestamp()


async def last_request_at(target: Fleet) -> float:
    """When the model server got its last request, in Unix seconds."""
    async with aiohttp.ClientSession() as session, session.get(f"{target.stub_url}/requests") as answer:
        return (await answer.json())[-1]["at"]


async def forget_requests(target: Fleet) -> None:
    """Let the model server count from nothing."""
    async with aiohttp.ClientSession() as session, session.post(f"{target.stub_url}/reset", json={}) as answer:
        answer.raise_for_status()
