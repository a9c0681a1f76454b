"""API, workers and queue in one process, where no Redis is to be had."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

from service.cli.exit_codes import ExitCode
from service.cli.home import ServerInfo
from service.cli.serving.api_process import make_server
from service.cli.serving.listening import is_ready
from service.cli.session import announce
from service.domain.steps import QueueName
from service.jobs.control.sweep import Sweeper
from service.jobs.events.send_webhooks import WebhookSender
from service.jobs.steps.run_steps import run_ring
from service.messaging.queue_inline import InlineQueue
from service.settings import Settings
from service.wiring.services import build_services, close_services

if TYPE_CHECKING:
    import uvicorn

_PROBE_EVERY_S = 0.3
_CLOSING_S = 4.0
_IO_THREADS = 64
"""Each waits for the calls of its message, so that none is under way when all have ended."""


def serve_in_one_process(
    settings: Settings, listener: socket.socket, info: ServerInfo, *, on_end: Callable[[], None]
) -> None:
    """Serve until Ctrl-C, SIGTERM or the end of the terminal; a second signal ends it at once.

    `on_end` is called once nothing is served any more.
    """
    from service.app import create_app

    queue = InlineQueue({QueueName.CPU: settings.cpu_workers, QueueName.IO: _IO_THREADS})
    services = build_services(settings, role="local", queue=queue)
    services.keeper.start()
    queue.start(lambda ring: run_ring(services, ring))
    sweeper = Sweeper(services, every_s=settings.sweep_s)
    sweeper.start()
    sender = WebhookSender(services)
    sender.start()
    threading.Thread(target=_announce_when_ready, args=(settings, info), name="announcer", daemon=True).start()
    server = make_server(create_app(services, settings))
    _handle_signals(server)
    server.run(sockets=[listener])
    on_end()
    sender.stop()
    sweeper.stop()
    services.keeper.let_go()
    if queue.stop(_CLOSING_S):
        close_services(services)
    else:  # a model that computes in a thread cannot be stopped; its claim runs out, and the next start does it again
        os._exit(0)


def _handle_signals(server: uvicorn.Server) -> None:
    """While it serves, uvicorn takes most signals itself; when it has ended it raises them anew, and they come here."""
    received = 0

    def end(_number: int, _frame: FrameType | None) -> None:
        nonlocal received
        received += 1
        server.should_exit = True
        if received > 1:
            os._exit(ExitCode.INTERRUPTED)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def _announce_when_ready(settings: Settings, info: ServerInfo) -> None:
    while not is_ready(info):
        time.sleep(_PROBE_EVERY_S)
    announce(info.url, settings.home, "one process without Redis")
