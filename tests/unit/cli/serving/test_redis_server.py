"""Which Redis is started, and how it listens."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.cli.serving.redis_server import find_binary, prepare_redis
from service.domain.errors import InputError


def test_none_means_none():
    """Whatever is installed."""
    assert find_binary("none") is None


def test_a_wanted_program_that_does_not_run_is_refused(tmp_path: Path):
    """It is not silently replaced by another."""
    broken = tmp_path / "redis-server"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o700)
    for wanted in (broken, tmp_path / "missing"):
        with pytest.raises(InputError, match="does not run"):
            find_binary(str(wanted))


def test_a_short_home_gets_a_socket_that_only_its_user_can_open(tmp_path: Path):
    """And no port at all."""
    (tmp_path / "run").mkdir()
    redis = prepare_redis(tmp_path, Path("/usr/bin/redis-server"))
    assert redis.url == f"redis+socket://{tmp_path}/run/redis.sock"
    lines = redis.config.read_text().splitlines()
    assert {"port 0", "unixsocketperm 700", 'save ""', "appendonly no", "maxmemory-policy noeviction"} <= set(lines)


def test_a_long_home_gets_a_port_of_loopback_and_a_password(tmp_path: Path):
    """The file that holds it is for its user alone."""
    home = tmp_path / ("long" * 30)
    (home / "run").mkdir(parents=True)
    redis = prepare_redis(home, Path("/usr/bin/redis-server"))
    lines = redis.config.read_text().splitlines()
    password = next(line.split()[1] for line in lines if line.startswith("requirepass"))
    assert len(password) > 30
    assert redis.url.startswith(f"redis://:{password}@127.0.0.1:")
    assert "bind 127.0.0.1" in lines
    assert redis.config.stat().st_mode & 0o777 == 0o600
