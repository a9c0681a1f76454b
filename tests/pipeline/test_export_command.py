"""`fieldmark export`: each record leaves once, in a file that is there whole or not at all."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.api.job_calls import SCHEMA, letter
from tests.fakes.http_server import http_server
from tests.fakes.local_service import local_service


def export(home: Path, out: Path, *flags: str) -> list[Path]:
    """Run the command; the files it names."""
    command = [sys.executable, "-m", "service.cli.main", "export", "--schema", "letter", "--out", str(out), *flags]
    env = {**os.environ, "FIELDMARK_HOME": str(home)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [Path(line) for line in done.stdout.splitlines()]


def numbers(file: Path) -> list[str]:
    """What a receiver reads."""
    with file.open(newline="") as text:
        return [row["number"] for row in csv.DictReader(text)]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two letters, the first approved, and a service that ended."""
    with (
        local_service(tmp_path / "home") as service,
        http_server(service.app()) as url,
        httpx.Client(base_url=url, timeout=120) as c,
    ):
        for number in ("A-1", "A-2"):
            files = {"file": (f"{number}.pdf", letter(f"Letter number: {number}"))}
            job = c.post("/api/v1/jobs?wait=110", files=files, data={"schema": json.dumps(SCHEMA)}, timeout=120).json()
            if number == "A-1":
                c.post(f"/api/v1/jobs/{job['job_id']}/approve", json={"accept_unseen": True}).raise_for_status()
    return tmp_path / "home"


def test_what_was_approved_leaves_once(home: Path, tmp_path: Path) -> None:
    """A second run has nothing to do; another receiver gets its own; `--all` asks no books."""
    out = tmp_path / "out"
    (first,) = export(home, out, "--approved", "--since-last")
    assert numbers(first) == ["A-1"]
    assert export(home, out, "--approved", "--since-last") == []
    (other,) = export(home, out, "--to", "ledger")
    assert numbers(other) == ["A-1"]
    (everything,) = export(home, out, "--all")
    assert numbers(everything) == ["A-1"]
    assert sorted(out.iterdir()) == sorted([first, other, everything])
