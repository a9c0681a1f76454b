"""A real HTTP server around an app, in a thread of the test, on a free port of this machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

_STARTS_WITHIN_S = 60.0


@contextmanager
def http_server(app: ASGIApp) -> Generator[str]:
    """Serve the app as long as the context lasts; gives its base URL."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="http-server", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{_port_of(server)}"
    finally:
        server.should_exit = True
        thread.join()


def _port_of(server: uvicorn.Server) -> int:
    until = time.monotonic() + _STARTS_WITHIN_S
    while not server.started:
        if time.monotonic() > until:
            raise TimeoutError("the HTTP server did not start")
        time.sleep(0.005)
    port: int = server.servers[0].sockets[0].getsockname()[1]
    return port
