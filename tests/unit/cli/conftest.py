"""A home for commands that run in this process."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own."""
    monkeypatch.setenv("FIELDMARK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("FIELDMARK_REDIS_URL", raising=False)
    return tmp_path
