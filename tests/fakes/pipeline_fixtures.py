"""A model server and a service in this process, shared by the tests of one file; for a folder's conftest to import."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import Pipeline, pipeline


@pytest.fixture(scope="module")
def server() -> Generator[ModelStub]:
    """A model server that answers at once."""
    with ModelStub() as running:
        yield running


@pytest.fixture(scope="module")
def service(server: ModelStub, tmp_path_factory: pytest.TempPathFactory) -> Generator[Pipeline]:
    """A service whose Upstage is that server."""
    with pipeline(Path(tmp_path_factory.mktemp("home")), stub=server) as running:
        yield running


@pytest.fixture
def stub(server: ModelStub) -> ModelStub:
    """The server without memory of the test before."""
    server.reset()
    return server
