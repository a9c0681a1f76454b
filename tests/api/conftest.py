"""The routes over a real socket: an app over real stores, real readers and the embedded model."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.fakes.http_server import http_server
from tests.fakes.local_service import LocalService, local_service

Starter = Callable[..., tuple[httpx.Client, LocalService]]


@pytest.fixture
def start(tmp_path: Path) -> Generator[Starter]:
    """Starts a service of its own with other settings; gives a client and the service."""
    with ExitStack() as held:

        def begin(*, home: Path = tmp_path / "home", working: bool = True, **settings: object):
            service = held.enter_context(local_service(home, working=working, **settings))
            base_url = held.enter_context(http_server(service.app()))
            return held.enter_context(httpx.Client(base_url=base_url, timeout=120)), service

        yield begin


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[httpx.Client, LocalService]]:
    """One working service for all tests that do not mind each other's jobs."""
    with (
        local_service(tmp_path_factory.mktemp("shared") / "home") as service,
        http_server(service.app()) as base_url,
        httpx.Client(base_url=base_url, timeout=120) as client,
    ):
        yield client, service


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[httpx.Client, LocalService]]:
    """One service without any job, for tests in which none is made."""
    with (
        local_service(tmp_path_factory.mktemp("bare") / "home", working=False) as service,
        http_server(service.app()) as base_url,
        httpx.Client(base_url=base_url, timeout=120) as client,
    ):
        yield client, service


@pytest.fixture
def client(shared: tuple[httpx.Client, LocalService]) -> httpx.Client:
    """A client of the shared service."""
    return shared[0]


@pytest.fixture
def idle(start: Starter) -> tuple[httpx.Client, LocalService]:
    """A service of the test's own in which jobs stay queued."""
    return start(working=False)
