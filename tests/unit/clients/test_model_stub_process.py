"""The stub as a process of its own, as benchmarks start it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.model_stub import StubControl
from tests.fakes.model_stub_faults import parse_script


def test_it_prints_its_port_first_and_ends_on_sigterm() -> None:
    """A script can read where it listens, and leaves nothing behind."""
    command = [sys.executable, "-m", "tests.fakes.model_stub", "--port", "0", "--latency", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout is not None
        stub = StubControl(json.loads(process.stdout.readline())["port"])
        assert stub.stats()["requests"] == 0
        process.terminate()
        assert process.wait(10) == 0


def test_a_misspelt_fault_is_refused() -> None:
    """A test with a wrong script does not pass as one with a good server."""
    with pytest.raises(ValueError, match="lenght"):
        parse_script(["lenght"])
