"""The API in a process of its own, on a socket that it inherits."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.session import load_settings, start_logging

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

_GRACE_S = 3
"""Open streams and downloads are cut after it."""


def api(
    socket_fd: Annotated[int, typer.Option(help="Descriptor of the listening socket.")],
    home: Annotated[Path | None, typer.Option(help="Folder that holds all state.")] = None,
    parent: Annotated[int | None, typer.Option(help="Process with which this one ends.")] = None,
) -> None:
    """Serve the API; started by `fieldmark serve`."""
    from service.app import app_from_environment  # FastAPI is loaded by those who need it
    from workers.lifeline import die_with_parent

    if parent is not None:
        die_with_parent(parent)
    start_logging(load_settings(home), "api")
    make_server(app_from_environment()).run(sockets=[socket.socket(fileno=socket_fd)])


def make_server(app: FastAPI) -> uvicorn.Server:
    """A server that ends on SIGTERM or Ctrl-C; on a second one at once."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(config)
