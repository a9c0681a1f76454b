"""Model calls in flight from one process: how much memory they hold, what they cost, how well they fill the time.

    python -m benchmarks.calls [--waves 10] [--latency 3]

Each row is measured in a process of its own against `fieldmark rehearse` in another one; plain aiohttp, with the same
bodies built in the same way, is measured in the same run. `E` is the ideal over the time the calls took: waves ×
latency, or what plain aiohttp and the server must compute on the cores that other programs left, if that is more.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import orjson
from pydantic import SecretStr

from benchmarks.fleet import SCHEMA, model_server
from benchmarks.machine import Meter
from service.clients.upstage.client import UpstageClient, UpstageOptions
from service.protocol.request import ExtractionOptions, build_extraction_request

IN_FLIGHT = 200
MODEL = "information-extract"
KEY = "up_test"
_MB = 1_000_000
_LOOK_S = 0.01
_ROUNDS = 3
Call = Callable[[bytes], Awaitable[object]]
Row = tuple[str, str, str, bool, str]


@dataclass(frozen=True, kw_only=True)
class Bodies:
    """One size of request."""

    name: str
    file_bytes: int
    """Before base64, which makes four bytes of three."""
    memory_mb: int
    """Most resident memory of the process that is wanted."""
    compared: bool
    """Whether its CPU is compared with plain aiohttp's."""


SIZES = (
    Bodies(name="4 KB", file_bytes=3_000, memory_mb=100, compared=False),
    Bodies(name="1 MB", file_bytes=780_000, memory_mb=300, compared=True),
)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one process made of its calls."""

    makespan_s: float
    cpu_s: float
    """A call."""
    peak_mb: float
    empty_mb: float
    """Before the first call."""
    model_s: float
    """CPU seconds of the server, a call."""
    cores: float
    """What other programs left, on average."""


def resident_mb() -> float:
    """Of this process, now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MB


class Peak(threading.Thread):
    """The most resident memory that was seen while it ran."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.mb = 0.0
        self._over = threading.Event()

    def run(self) -> None:
        """Look until told to stop."""
        while not self._over.wait(_LOOK_S):
            self.mb = max(self.mb, resident_mb())

    def stop(self) -> float:
        """The peak."""
        self._over.set()
        self.join()
        return self.mb


async def with_client(base_url: str, use: Callable[[Call], Awaitable[Measured]]) -> Measured:
    """Our client, with a request built for each call as the service does."""
    options = UpstageOptions(base_url=base_url, api_key=SecretStr(KEY), attempts=1, max_connections=IN_FLIGHT)
    client = UpstageClient(options)

    def call(data: bytes) -> Awaitable[object]:
        request = build_extraction_request(
            model=MODEL,
            file=data,
            schema=SCHEMA,
            schema_name="document",
            options=ExtractionOptions(location=True, location_granularity="all", confidence=True),
        )
        return client.complete(request, timeout_s=120)

    try:
        return await use(call)
    finally:
        await client.close()


async def with_aiohttp(base_url: str, use: Callable[[Call], Awaitable[Measured]]) -> Measured:
    """The least that does the same."""
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    options = {"location": True, "location_granularity": "all", "confidence": True}
    form = {"type": "json_schema", "json_schema": {"name": "document", "schema": SCHEMA}}
    url = f"{base_url}/information-extraction"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call(data: bytes) -> object:
            file_url = "data:application/octet-stream;base64," + base64.b64encode(data).decode("ascii")
            content = [{"type": "image_url", "image_url": {"url": file_url}}]
            body = {"model": MODEL, "messages": [{"role": "user", "content": content}], "response_format": form}
            async with session.post(url, data=orjson.dumps(body | options), headers=headers) as answer:
                answer.raise_for_status()
                return orjson.loads(await answer.read())

        return await use(call)


def waves(data: bytes, count: int, server_pid: int) -> Callable[[Call], Awaitable[Measured]]:
    """So many times the calls that may be in flight, each sent as soon as another one has ended."""
    calls = count * IN_FLIGHT

    async def use(call: Call) -> Measured:
        gate = asyncio.Semaphore(IN_FLIGHT)

        async def one() -> None:
            async with gate:
                await call(bytes(bytearray(data)))  # each has a file of its own, as in the service

        await one()  # connections, imports and caches of the first call belong to nobody
        empty, peak = resident_mb(), Peak()
        peak.start()
        meter = Meter(os.getpid(), {"model": server_pid, "client": os.getpid()})
        cpu, began = time.process_time(), time.monotonic()
        await asyncio.gather(*(one() for _ in range(calls)))
        took, used = time.monotonic() - began, time.process_time() - cpu
        shares, cores = meter.read()
        return Measured(
            makespan_s=took,
            cpu_s=used / calls,
            peak_mb=peak.stop(),
            empty_mb=empty,
            model_s=shares["model"] / calls,
            cores=cores,
        )

    return use


def measure(road: str, size: Bodies, count: int, latency_s: float) -> Measured:
    """In a process of its own, against a server of its own."""
    with model_server(latency_s) as (server_pid, url):
        command = [sys.executable, "-m", "benchmarks.calls", "--child", road, "--url", f"{url}/v1"]
        command += ["--bytes", str(size.file_bytes), "--waves", str(count), "--server", str(server_pid)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Measured(**json.loads(answer))


def rows(size: Bodies, count: int, latency_s: float) -> Iterator[Row]:
    """Name, figure, wanted, reached and how, for one size of body."""
    flight = f"{IN_FLIGHT} calls of {size.name} in flight"
    # Other work on the machine only ever adds CPU: the least of some rounds, taken in turns.
    pairs = [[measure(road, size, 1, 0.0).cpu_s for road in ("client", "aiohttp")] for _ in range(_ROUNDS)]
    ours, plain = (min(costs) for costs in zip(*pairs, strict=True))
    both = f"{1000 * ours:.2f} ms and {1000 * plain:.2f} ms"
    wanted = "≤ 2" if size.compared else "–"
    yield f"{flight}: CPU a call", f"{ours / plain:.2f} × aiohttp", wanted, ours <= 2 * plain, both
    long, calls = measure("client", size, count, latency_s), count * IN_FLIGHT
    memory = f"{long.empty_mb:.0f} MB before"
    yield (
        f"{flight}: memory",
        f"{long.peak_mb:.0f} MB",
        f"≤ {size.memory_mb} MB",
        long.peak_mb <= size.memory_mb,
        memory,
    )
    ideal = max(count * latency_s, calls * (plain + long.model_s) / long.cores + latency_s)
    efficiency = ideal / long.makespan_s
    how = (
        f"{calls} calls at {latency_s:g} s: {long.makespan_s:.1f} s, ideal {ideal:.1f} s on {long.cores:.1f} cores left"
    )
    yield f"{flight}: {count} waves", f"E {efficiency:.2f}", "≥ 0.9", efficiency >= 0.9, how


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rows as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--waves", type=int, default=10)
    parser.add_argument("--latency", type=float, default=3.0)
    parser.add_argument("--only", choices=[size.name for size in SIZES], help="one size")
    parser.add_argument("--child", choices=("client", "aiohttp"), help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--bytes", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--server", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        road = with_client if given.child == "client" else with_aiohttp
        found = asyncio.run(road(given.url, waves(os.urandom(given.bytes), given.waves, given.server)))
        print(json.dumps(vars(found)))
        return
    for size in (size for size in SIZES if given.only in (None, size.name)):
        for name, figure, wanted, reached, how in rows(size, given.waves, given.latency):
            print(f"| {name} | {figure} | {wanted} | {'yes' if reached else 'no'} | {how} |", flush=True)


if __name__ == "__main__":
    main()
