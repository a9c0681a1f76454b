"""Parts of commands that need no service."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from service.cli.main import app
from service.cli.serving.listening import listen, refuse_open_door, url_of
from service.cli.session import load_settings, read_schema
from service.clients.upstage import client as upstage
from service.domain.errors import ErrorCode, InputError
from service.wiring import models as wiring
from tests.fakes.pipeline import wait_until

SAMPLES = Path(__file__).parents[3] / "samples"


def test_wiring_names_the_upstage_client_as_it_names_itself():
    """It says both without loading it."""
    assert (wiring.UPSTAGE, wiring.UPSTAGE_MODEL) == (upstage.PROVIDER, upstage.DEFAULT_MODEL)


def test_a_flag_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """And what is not given is left to it."""
    monkeypatch.setenv("FIELDMARK_HOME", str(tmp_path / "other"))
    monkeypatch.setenv("FIELDMARK_API_PORT", "8123")
    settings = load_settings(tmp_path, api_port=None)
    assert (settings.home, settings.api_port) == (tmp_path, 8123)


def test_a_setting_that_cannot_be_taken_is_named(monkeypatch: pytest.MonkeyPatch):
    """As the variable that holds it."""
    monkeypatch.setenv("FIELDMARK_API_PORT", "many")
    with pytest.raises(InputError, match="FIELDMARK_API_PORT"):
        load_settings()


@pytest.mark.parametrize("content", [b"{", b"[]", None])
def test_a_schema_that_is_none_is_refused_by_name(tmp_path: Path, content: bytes | None):
    """The file is named, its text is not shown."""
    path = tmp_path / "schema.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"schema\.json") as caught:
        read_schema(path)
    assert caught.value.code is ErrorCode.INVALID_SCHEMA


def test_beyond_loopback_nobody_listens_without_keys():
    """Loopback in all its forms is open; the rest needs a key."""
    for host in ("127.0.0.1", "::1", "localhost", "127.1.2.3"):
        refuse_open_door(host, keys_exist=False)
    refuse_open_door("0.0.0.0", keys_exist=True)
    for host in ("0.0.0.0", "::", "192.168.1.5"):
        with pytest.raises(InputError, match="fieldmark keys add"):
            refuse_open_door(host, keys_exist=False)


def test_a_listener_has_an_address_that_a_browser_takes():
    """Port 0 becomes the one that was given."""
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert url_of(listener, "127.0.0.1") == f"http://127.0.0.1:{port}"
        assert url_of(listener, "0.0.0.0") == f"http://127.0.0.1:{port}"
        assert url_of(listener, "::1") == f"http://[::1]:{port}"


def test_a_worker_without_a_queue_to_share_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Instead of waiting for nothing."""
    monkeypatch.delenv("FIELDMARK_REDIS_URL", raising=False)
    caught = CliRunner().invoke(app, ["worker", "--queue", "cpu", "--home", str(tmp_path)]).exception
    assert isinstance(caught, InputError)
    assert "FIELDMARK_REDIS_URL" in caught.message


def test_a_program_ends_with_the_parent_it_was_given():
    """Even if that is killed."""
    script = (
        "import os, subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-m', 'workers.lifeline', str(os.getpid()), '/bin/sleep', '900'])\n"
        "print(p.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=SAMPLES.parent
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        wait_until(lambda: _is_gone(child))


def _is_gone(pid: int) -> bool:
    """Who is dead but not yet collected is gone."""
    try:
        return psutil.Process(pid).status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return True


def test_the_samples_comparison_counts_as_a_person_would():
    """Half a cent, letters and digits, rows in order with one missing."""
    sys.path.insert(0, str(SAMPLES))
    try:
        from compare import count_right
    finally:
        sys.path.remove(str(SAMPLES))
    wanted = {"a": "Café, Nr. 1", "n": 2.0, "none": None, "rows": [{"x": 1}, {"x": 2}, {"x": 3}]}
    got = json.loads('{"a": "CAFÉ Nr 1", "n": 2.004, "none": "junk", "rows": [{"x": 1}, {"x": 3}]}')
    assert count_right(wanted, got) == (4, 5)
    assert count_right([wanted], []) == (0, 5)
