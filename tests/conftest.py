"""The suite reaches this machine and nothing else."""

from __future__ import annotations

import signal

import pytest_socket
from hypothesis import HealthCheck, settings

# The speed of the machine is no property of the product.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# A shell starts what runs in the background deaf to Ctrl-C, and every process of a test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup() -> None:
    """Loopback and unix sockets only; a test that calls out fails by name."""
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)
