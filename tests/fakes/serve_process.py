"""A real `fieldmark serve`, watched from outside: its processes by kind, and what is left of them after its end."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psutil
from reportlab.pdfgen.canvas import Canvas

from service.cli.home import ServerInfo, find_server

T = TypeVar("T")
SAMPLES = Path(__file__).parents[2] / "samples"
OVER = {"succeeded", "partially_succeeded", "failed", "cancelled"}
CALM = {"FIELDMARK_LEASE_S": "3600", "FIELDMARK_SWEEP_S": "1"}
"""No machine is too slow for these leases."""
KILLED = {"FIELDMARK_LEASE_S": "3", "FIELDMARK_STEP_ATTEMPTS": "1000"}
"""For a service of which processes are killed: their leases are soon over, and to be too slow for one harms nobody."""
ORPHANS_END_S = 5.0
"""What is promised; a test waits longer, since it shares its machine."""
_PATIENCE_S = 200.0
_START_S = 200.0
_MARKS: Mapping[str, tuple[str, ...]] = {
    "api": ("service.cli.main", "api"),
    "cpu": ("service.cli.serving.worker_process", "--queue", "cpu"),
    "io": ("service.cli.serving.worker_process", "--queue", "io"),
    "redis": ("unixsocket:",),
    "sandbox": ("service.documents.sandbox",),
}


def fieldmark(*arguments: str | Path) -> list[str]:
    """A command line of this interpreter's Fieldmark."""
    return [sys.executable, "-m", "service.cli.main", *map(str, arguments)]


def environment(**more: str) -> dict[str, str]:
    """The tests' own, without settings of whoever runs them."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FIELDMARK_")}
    return kept | CALM | more


class ServeProcess:
    """Start it with `with`; at the end it is asked to end, and nothing of it may be left."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.home = home
        self._environment = environment(**settings)
        self._seen: set[psutil.Process] = set()
        self._log = home.with_name(f"{home.name}.log")

    def __enter__(self) -> ServeProcess:
        with self._log.open("ab") as log:
            command = fieldmark("serve", "--port", "0", "--home", self.home)
            # In a folder of its own: a `.env` or a `service` folder lying about must change nothing.
            self.process = subprocess.Popen(
                command, env=self._environment, stderr=log, stdout=log, cwd=self.home.parent
            )
        try:
            self.info = self.wait_until(self._ready, _START_S)
        except BaseException:
            self.end(signal.SIGTERM)
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.end(signal.SIGTERM)
        self.check_nothing_is_left()

    @property
    def log(self) -> str:
        """All that it wrote."""
        return self._log.read_text(errors="replace")

    def client(self) -> httpx.Client:
        """A caller of its API."""
        return httpx.Client(base_url=f"{self.info.url}/api/v1", timeout=120, trust_env=False)

    def wait_until(self, ask: Callable[[], T | None], seconds: float) -> T:
        """The first answer that is one."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            answer = ask()
            if answer:
                return answer
            time.sleep(0.05)
        raise AssertionError(f"not within {seconds} s; the service wrote:\n{self.log}")

    def _ready(self) -> ServerInfo | None:
        assert self.process.poll() is None, self.log
        info = find_server(self.home)
        try:
            if info is not None and httpx.get(f"{info.url}/readyz", timeout=60, trust_env=False).status_code == 200:
                return info
        except httpx.TransportError:
            pass
        return None

    def family(self) -> list[psutil.Process]:
        """Every process below it; each is remembered until the end."""
        try:
            found = psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            found = []
        self._seen.update(found)
        return found

    def find(self, kind: str) -> psutil.Process | None:
        """A process of a kind; `cpu child` is one that the cpu worker forked."""
        forked = kind == "cpu child"
        marks = _MARKS["cpu" if forked else kind]
        for process in self.family():
            try:
                line = process.cmdline()
                is_kind = any(marks[0] in part for part in line) and all(mark in line for mark in marks[1:])
                if is_kind and (kind == "sandbox" or (process.ppid() != self.process.pid) == forked):
                    return process
            except psutil.NoSuchProcess:
                continue
        return None

    def command_lines(self) -> list[str]:
        """Of every process below it."""
        return [_line(process) for process in self.family()]

    def end(self, number: signal.Signals) -> int:
        """Send a signal and wait for its end."""
        self.family()
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=_PATIENCE_S)

    def left(self) -> list[str]:
        """Processes that should be gone."""
        alive = [p for p in self._seen | set(psutil.process_iter()) if self._is_left(p)]
        return [f"{p.pid}: {_line(p)}" for p in alive]

    def check_nothing_is_left(self, within_s: float = _PATIENCE_S) -> None:
        """Every process is gone some time after the end."""
        until = time.monotonic() + within_s
        while self.left() and time.monotonic() < until:
            time.sleep(0.1)
        assert self.left() == []

    def _is_left(self, process: psutil.Process) -> bool:
        try:
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                return False
            if process in self._seen:
                return process.is_running()
            return any(str(self.home) in part for part in process.cmdline())
        except psutil.NoSuchProcess:
            return False


def submit(client: httpx.Client, path: Path, schema: str, **options: str) -> str:
    """Upload a file; the id of its job."""
    with path.open("rb") as file:
        answer = client.post("/jobs", data={"schema": schema} | options, files={"file": (path.name, file)})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def status_of(client: httpx.Client, job_id: str) -> str:
    """Where a job stands; the API may be on its way back."""
    try:
        return client.get(f"/jobs/{job_id}").json()["status"]
    except (httpx.TransportError, KeyError):
        return "unknown"


def long_invoice(path: Path, pages: int, number: str = "LONG-4711") -> str:
    """Draw an invoice of many pages of lines; the schema to read it with. Pages of one content are read once only."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(595, 842))
    for page in range(1, pages + 1):
        canvas.setFont("Helvetica", 10)
        canvas.drawString(50, 800, f"Invoice number: {number}" if page == 1 else f"{number}, page {page} of {pages}")
        for row in range(40):
            canvas.drawString(50, 770 - row * 18, f"{page}-{row} An item of the list")
            canvas.drawRightString(500, 770 - row * 18, f"{page * 100 + row}.50")
        canvas.showPage()
    canvas.save()
    path.write_bytes(buffer.getvalue())
    return '{"type": "object", "properties": {"invoice_number": {"type": "string", "description": "Invoice number"}}}'


def values_of(client: httpx.Client, job_id: str) -> dict[str, Any]:
    """The values of a job's first record."""
    return client.get(f"/jobs/{job_id}/result").json()["records"][0]["values"]


def _line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return "gone"
