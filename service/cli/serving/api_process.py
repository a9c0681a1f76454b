"""`fieldmark api`: the API in a process of its own; of a fleet, or on the socket that `fieldmark serve` hands it."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.flag_groups import HomeFlag
from service.cli.session import load_settings, open_services, require_queue, start_logging

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from service.settings import Settings

_GRACE_S = 3
"""Open streams and downloads are cut after it."""


def api(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 0: any free one.", show_default="8000")
    ] = None,
    home: HomeFlag = None,
    socket_fd: Annotated[int | None, typer.Option(hidden=True, help="Descriptor of a listening socket.")] = None,
    parent: Annotated[int | None, typer.Option(hidden=True, help="Process with which this one ends.")] = None,
) -> None:
    """Serve the API of a fleet; its workers run elsewhere."""
    from service.app import open_app  # FastAPI is loaded by those who need it
    from workers.collecting import collect_seldom
    from workers.lifeline import die_with_parent

    if parent is not None:
        die_with_parent(parent)
    settings = load_settings(home, api_host=host, api_port=port)
    start_logging(settings, "api")
    require_queue(settings)
    listener = _listen(settings) if socket_fd is None else socket.socket(fileno=socket_fd)
    server = make_server(open_app(settings))
    collect_seldom()
    server.run(sockets=[listener])


def _listen(settings: Settings) -> socket.socket:
    """Bind, for a process that nobody prepared anything for."""
    from service.cli.serving.listening import listen, refuse_open_door

    with open_services(settings) as services, services.store.read() as rows:
        refuse_open_door(settings.api_host, keys_exist=rows.access.any_key())
    return listen(settings.api_host, settings.api_port)


def make_server(app: FastAPI) -> uvicorn.Server:
    """A server that ends on SIGTERM or Ctrl-C; on a second one at once."""
    import uvicorn

    from service.app import make_routes

    make_routes(app)
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(config)
