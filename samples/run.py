"""Start Fieldmark, send it every sample over REST, show the records, and keep serving: what `make run` does."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from compare import count_right
from rich.console import Console

from service.cli.home import ServerInfo, find_server
from service.cli.result_table import print_result

SAMPLES = Path(__file__).parent
SPLIT = {"bound_invoices"}
"""Files that hold several documents."""
USUAL_PORT = 8000
START_S = 90
JOB_S = 300
ROWS_SHOWN = 5
ENOUGH = 0.6
"""Share of the truth's values that must be right for the run to count as a success."""
OVER = {"succeeded", "partially_succeeded", "failed", "cancelled"}


@dataclass
class Score:
    """What came of all samples."""

    right: int = 0
    total: int = 0
    failed: int = 0


def main() -> int:
    """Run the samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, default=Path(".fieldmark"), help="folder that holds all state")
    parser.add_argument("--once", action="store_true", help="end after the samples")
    arguments = parser.parse_args()
    console = Console(highlight=False)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with running_service(arguments.home.absolute()) as (server, process):
            score = run_samples(server.url, console)
            say_score(score, server.url, console)
            if not arguments.once and process is not None:
                console.print("Serving until Ctrl-C.")
                process.wait()
    except KeyboardInterrupt:
        return 0
    except (RuntimeError, httpx.HTTPError) as error:
        console.print(f"The samples did not run: {error}", markup=False)
        return 1
    return int(score.failed > 0 or score.right < ENOUGH * score.total)


@contextlib.contextmanager
def running_service(home: Path) -> Generator[tuple[ServerInfo, subprocess.Popen[bytes] | None]]:
    """The service that owns the home: one that runs already, or one that is started, and ended at the end."""
    server = find_server(home)
    if server is not None:
        yield server, None
        return
    serve = [sys.executable, "-m", "service.cli.main", "serve", "--home", str(home), "--port", str(choose_port())]
    command = [sys.executable, "-m", "workers.lifeline", str(os.getpid()), *serve]  # it ends with this script
    # A session of its own: Ctrl-C reaches this script alone, which passes it on once.
    process = subprocess.Popen(command, start_new_session=True)  # noqa: S603 - our own command
    try:
        yield wait_until_ready(home, process), process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait()


def choose_port() -> int:
    """The usual port, or any free one when it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", USUAL_PORT))
        except OSError:
            return 0
    return USUAL_PORT


def wait_until_ready(home: Path, process: subprocess.Popen[bytes]) -> ServerInfo:
    """Wait until /readyz answers 200."""
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"`fieldmark serve` ended with exit code {process.returncode}")
        server = find_server(home)
        with contextlib.suppress(httpx.TransportError):
            if server is not None and httpx.get(f"{server.url}/readyz", timeout=5, trust_env=False).is_success:
                return server
        time.sleep(0.1)
    raise RuntimeError(f"`fieldmark serve` was not ready within {START_S} s")


def run_samples(url: str, console: Console) -> Score:
    """Upload every sample at once, then show each record as it is done."""
    score = Score()
    key = os.environ.get("FIELDMARK_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60, trust_env=False) as client:
        jobs = {folder: upload(client, folder) for folder in sorted(p.parent for p in SAMPLES.glob("*/schema.json"))}
        for folder, job_id in jobs.items():
            result = wait_for_result(client, job_id)
            console.rule(folder.name)
            print_result(result, console, most_rows=ROWS_SHOWN)
            right, total = count_right(
                records_of(json.loads((folder / "expected.json").read_text())), records_of(result)
            )
            console.print(f"{right} of {total} values are right\n", style="bold")
            score.right, score.total = score.right + right, score.total + total
            score.failed += result["status"] == "failed"
    return score


def upload(client: httpx.Client, folder: Path) -> str:
    """Send one sample; the id of its job."""
    document = next(path for path in folder.iterdir() if path.stem == "document")
    fields = {"schema": (folder / "schema.json").read_text()}
    if folder.name in SPLIT:
        fields["split_documents"] = "true"
    with document.open("rb") as file:
        answer = client.post("/jobs", data=fields, files={"file": (f"{folder.name}{document.suffix}", file)})
    if not answer.is_success:
        raise RuntimeError(f"{folder.name}: {answer.text}")
    return answer.json()["id"]


def wait_for_result(client: httpx.Client, job_id: str) -> dict[str, Any]:
    """The result of a job once it is over."""
    until = time.monotonic() + JOB_S
    while time.monotonic() < until:
        job = client.get(f"/jobs/{job_id}", params={"wait": 20}).json()
        if job["status"] in OVER:
            return client.get(f"/jobs/{job_id}/result").json()
    raise RuntimeError(f"{job_id} was not done within {JOB_S} s; `fieldmark doctor --explain {job_id}` tells more")


def records_of(body: dict[str, Any]) -> list[Any]:
    """The values of each record, in order."""
    return [record["values"] for record in body["records"]]


def say_score(score: Score, url: str, console: Console) -> None:
    """The last lines."""
    console.rule("samples")
    share = 100 * score.right / max(1, score.total)
    console.print(f"{score.right} of {score.total} values are right ({share:.0f} %), {score.failed} jobs failed")
    console.print(f"The service is at {url}")


if __name__ == "__main__":
    sys.exit(main())
