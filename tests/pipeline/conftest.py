"""A model server and a service in this process, shared by the tests of one file."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import Pipeline, pipeline


@pytest.fixture(scope="module")
def stub() -> Generator[ModelStub]:
    """A model server that answers at once."""
    with ModelStub() as server:
        yield server


@pytest.fixture(scope="module")
def service(stub: ModelStub, tmp_path_factory: pytest.TempPathFactory) -> Generator[Pipeline]:
    """A service whose Upstage is the stub."""
    with pipeline(Path(tmp_path_factory.mktemp("home")), stub=stub) as running:
        yield running


@pytest.fixture(autouse=True)
def fresh_stub(request: pytest.FixtureRequest) -> None:
    """The stub forgets what the test before told it."""
    if "stub" in request.fixturenames:
        request.getfixturevalue("stub").reset()
