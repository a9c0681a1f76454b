"""The suite's promise about the network holds."""

from __future__ import annotations

import socket

import pytest
import pytest_socket


def test_a_test_that_calls_out_fails() -> None:
    """An address reserved for documentation is refused before anything is sent."""
    with (
        socket.socket() as connection,
        pytest.warns(UserWarning, match=r"192\.0\.2\.1"),
        pytest.raises(pytest_socket.SocketConnectBlockedError),
    ):
        connection.connect(("192.0.2.1", 80))


def test_loopback_is_allowed() -> None:
    """Servers of our own run on it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
