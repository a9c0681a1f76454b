"""Who owns a home."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from service.cli.home import HomeLock, ServerInfo, find_server
from service.domain.errors import StateError

INFO = ServerInfo(pid=4711, url="http://127.0.0.1:8000", redis_url="", started_at=1.0, version="0.1.0")


def _refuse_to_wait(said: str) -> None:
    raise AssertionError(said)


def test_a_home_has_one_owner_whom_others_can_find(tmp_path: Path):
    """The second is told pid and address of the first."""
    lock = HomeLock(tmp_path / "home")
    lock.take(_refuse_to_wait)
    lock.note(INFO)
    assert find_server(tmp_path / "home") == INFO
    with pytest.raises(StateError, match=r"pid 4711 at http://127\.0\.0\.1:8000"):
        HomeLock(tmp_path / "home").take(_refuse_to_wait)
    lock.release()
    assert find_server(tmp_path / "home") is None


def test_what_a_killed_owner_left_counts_for_nothing(tmp_path: Path):
    """Its note is there, its lock is not."""
    lock = HomeLock(tmp_path)
    lock.take(_refuse_to_wait)
    lock.note(INFO)
    lock.release()
    (tmp_path / "run" / "serve.json").write_text('{"pid": 1, "url": "http://127.0.0.1:1"}')
    assert find_server(tmp_path) is None
    following = HomeLock(tmp_path)
    following.take(_refuse_to_wait)
    assert find_server(tmp_path) is None
    following.release()


def test_who_starts_while_the_owner_ends_waits_for_it(tmp_path: Path):
    """A restart is not refused; it says what it waits for, and is the owner once the other is."""
    ending = HomeLock(tmp_path)
    ending.take(_refuse_to_wait)
    ending.note(INFO)
    ending.retract()
    said: list[str] = []

    def hear(message: str) -> None:
        said.append(message)
        ending.release()

    following = HomeLock(tmp_path)
    following.take(hear)
    following.note(INFO)
    assert find_server(tmp_path) == INFO
    assert len(said) == 1
    assert f"pid {os.getpid()}, which is just starting or ending" in said[0]
    following.release()


def test_a_folder_that_never_had_a_serve_has_none(tmp_path: Path):
    """Asking makes nothing."""
    assert find_server(tmp_path / "nothing") is None
    assert not (tmp_path / "nothing").exists()
