"""The embedded road calls nobody: a whole extraction in processes whose sockets are shut."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.exit_codes import ExitCode

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
GUARD = '''
import os, sys

def refuse(event, arguments):
    """Any name looked up and any address connected or written to, but for sockets of the file system."""
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        target = arguments[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg") and isinstance(arguments[1], tuple):
        target = arguments[1]
    else:
        return
    with open(os.environ["CALLED"], "a") as told:
        told.write(f"{event} {target}\\n")
    raise PermissionError(f"no network: {event} {target}")

sys.addaudithook(refuse)
'''


@pytest.fixture
def shut(tmp_path: Path) -> dict[str, str]:
    """An environment in which every Python process, those that a process starts too, has its sockets shut."""
    guard = tmp_path / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(GUARD)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FIELDMARK_")}
    return kept | {"PYTHONPATH": f"{guard}:{ROOT}", "CALLED": str(tmp_path / "called"), "FIELDMARK_MODEL": "embedded"}


def run(command: list[str], environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A process to its end."""
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )


def test_the_guard_shuts_sockets(shut: dict[str, str], tmp_path: Path) -> None:
    """So that the other test says something."""
    code = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    ended = run([sys.executable, "-c", code], shut, tmp_path)
    assert "no network" in ended.stderr
    assert "192.0.2.1" in Path(shut["CALLED"]).read_text()


@pytest.mark.parametrize("sample", ["invoice", "receipt"])
def test_an_extraction_by_the_embedded_model_calls_nobody(shut: dict[str, str], tmp_path: Path, sample: str) -> None:
    """From the file to its record, sandboxes included; the result says that its pages went nowhere."""
    folder = SAMPLES / sample
    [file] = list(folder.glob("document.*"))
    command = [sys.executable, "-m", "service.cli.main", "extract", str(file), "--schema", str(folder / "schema.json")]
    ended = run([*command, "--json", "--home", str(tmp_path / "home")], shut, tmp_path)
    assert ended.returncode in (ExitCode.OK, ExitCode.PARTIAL), ended.stderr
    result = json.loads(ended.stdout)
    assert result["records"]
    assert {(entry["provider"], entry["host"]) for entry in result["processing"]} == {("embedded", None)}
    assert not Path(shut["CALLED"]).exists(), Path(shut["CALLED"]).read_text()
