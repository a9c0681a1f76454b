"""A live Fieldmark behind a real socket, with the embedded model, for clients that know nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.fakes.http_server import http_server
from tests.fakes.local_service import LocalService, local_service

KEY = "up_any-key-will-do"


@dataclass(frozen=True, kw_only=True)
class Live:
    """A service, where it listens, and a client of it."""

    url: str
    client: httpx.Client
    service: LocalService

    @property
    def base_url(self) -> str:
        """What a user writes in the place of the vendor's address."""
        return f"{self.url}/v1/information-extraction"


Starter = Callable[..., Live]


def _live(held: ExitStack, home: Path, **settings: object) -> Live:
    service = held.enter_context(local_service(home, **settings))
    url = held.enter_context(http_server(service.app()))
    headers = {"Authorization": f"Bearer {KEY}"}
    return Live(
        url=url,
        service=service,
        client=held.enter_context(httpx.Client(base_url=url, headers=headers, timeout=120)),
    )


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Generator[Live]:
    """One for all tests that do not mind each other's jobs."""
    with ExitStack() as held:
        yield _live(held, tmp_path_factory.mktemp("live") / "home")


@pytest.fixture
def start(tmp_path: Path) -> Generator[Starter]:
    """Starts one with settings of the test's own."""
    with ExitStack() as held:

        def begin(*, home: Path = tmp_path / "home", **settings: object) -> Live:
            return _live(held, home, **settings)

        yield begin
