"""The suite reaches this machine and nothing else."""

from __future__ import annotations

import os
import signal

import pytest_socket
from hypothesis import HealthCheck, settings

# The speed of the machine is no property of the product, and the same code is tested with the same examples each time.
# To look for others: FIELDMARK_TEST_EXAMPLES=2000 .venv/bin/python -m pytest tests/unit
settings.register_profile(
    "suite", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")
_MORE = os.environ.get("FIELDMARK_TEST_EXAMPLES")
if _MORE:
    settings.register_profile("search", derandomize=False, max_examples=int(_MORE), print_blob=True)
    settings.load_profile("search")

# A shell starts what runs in the background deaf to Ctrl-C, and every process of a test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup() -> None:
    """Loopback and unix sockets only; a test that calls out fails by name."""
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)
