"""Keeps the processes of `fieldmark serve` running, and leaves none behind."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from service.cli.home import ServerInfo
from service.cli.serving.children import Child, ChildSpec, end_together
from service.cli.serving.listening import is_ready
from service.cli.serving.redis_server import PrivateRedis
from service.cli.serving.worker_process import command_of, environment_of
from service.cli.session import announce
from service.domain.steps import QueueName
from service.settings import Settings

_TICK_S = 0.1
_PROBE_EVERY_S = 0.3
_GRACE_S = 5.0
_REDIS_GRACE_S = 1.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_log = logging.getLogger(__name__)


class Supervisor:
    """Starts Redis, workers and API, and starts each again when it ends.

    Args:
        settings: of this installation, with the Redis URL in force.
        listener: the socket of the API.
        info: where this service is found.
        redis: the private one; None: the operator's is used.
    """

    def __init__(
        self, settings: Settings, listener: socket.socket, info: ServerInfo, redis: PrivateRedis | None
    ) -> None:
        self._settings = settings
        self._info = info
        self._listener = listener
        self._stop = threading.Event()
        self._hurry = threading.Event()
        environment = _environment(settings)
        self._redis = [_redis_child(redis, environment)] if redis else []
        self._others = [*(_worker_child(settings, queue, environment) for queue in QueueName)]
        self._others.append(_worker_child(settings, QueueName.CPU, environment, urgent=True))
        self._others.append(_api_child(settings, listener, environment))

    def run(self, *, on_end: Callable[[], None]) -> None:
        """Run until a signal ends it; `on_end` is called before anything is ended."""
        for number in _SIGNALS:
            signal.signal(number, self._on_signal)
        try:
            self._keep_all()
        finally:
            _log.info("ending")
            on_end()
            end_together(self._others, grace_s=_GRACE_S, hurry=self._hurry)
            end_together(self._redis, grace_s=_REDIS_GRACE_S, hurry=self._hurry)

    def _keep_all(self) -> None:
        announced, probed_at = False, 0.0
        while not self._stop.wait(_TICK_S):
            now = time.monotonic()
            for child in (*self._redis, *self._others):
                child.keep(now)
            if not announced and now - probed_at > _PROBE_EVERY_S:
                announced, probed_at = is_ready(self._info), now
                if announced:
                    how = f"API, {self._settings.cpu_workers} cpu workers and an urgent one, io worker" + (
                        ", Redis" if self._redis else ""
                    )
                    announce(self._info.url, self._settings.home, how)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if self._stop.is_set():
            self._hurry.set()
        self._stop.set()


def _environment(settings: Settings) -> dict[str, str]:
    """What children are told; it holds the Redis password, which a command line would show to everyone."""
    return os.environ | {
        "FIELDMARK_HOME": str(settings.home),
        "FIELDMARK_REDIS_URL": settings.redis_url,
        "FIELDMARK_API_HOST": settings.api_host,
        "FIELDMARK_API_PORT": str(settings.api_port),
    }


def _python(*arguments: str) -> list[str]:
    """Our own modules, whatever folder this was started in."""
    return [sys.executable, "-P", "-m", *arguments]


def _worker_child(settings: Settings, queue: QueueName, environment: dict[str, str], *, urgent: bool = False) -> Child:
    name = f"{queue} worker{' (urgent)' if urgent else ''}"
    command = command_of(queue, urgent=urgent, home=settings.home, parent=os.getpid())
    return Child(ChildSpec(name=name, command=command, environment=environment_of(queue, environment)))


def _api_child(settings: Settings, listener: socket.socket, environment: dict[str, str]) -> Child:
    options = ["--home", str(settings.home), "--parent", str(os.getpid()), "--socket-fd", str(listener.fileno())]
    command = _python("service.cli.main", "api", *options)
    return Child(ChildSpec(name="API", command=command, environment=environment, files=[listener.fileno()]))


def _redis_child(redis: PrivateRedis, environment: dict[str, str]) -> Child:
    command = _python("workers.lifeline", str(os.getpid()), str(redis.binary), str(redis.config))
    return Child(ChildSpec(name="Redis", command=command, environment=environment))
