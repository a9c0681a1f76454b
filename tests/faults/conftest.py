"""The model server and the service that the tests of this folder use."""

from __future__ import annotations

from tests.fakes.pipeline_fixtures import server, service, stub

__all__ = ["server", "service", "stub"]
