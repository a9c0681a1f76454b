"""Chooses the desk: the `serve` that owns the home, or this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.cli.desk.base import Desk

if TYPE_CHECKING:
    from service.settings import Settings


def open_desk(settings: Settings, *, workers: int = 1, server: str | None = None) -> Desk:
    """The `serve` that owns this home, if there is one, else this process.

    Args:
        settings: of this process.
        workers: files that are worked on at once, if this process works; 0: it only answers questions.
        server: URL of a service that is to be asked instead.
    """
    if server is not None:
        from service.cli.desk.http import HttpDesk

        return HttpDesk(server, settings.api_key.get_secret_value(), far=True)
    from service.cli.home import find_server  # only what is needed is loaded: a command is to answer at once

    found = find_server(settings.home)
    if found is not None:
        from service.cli.desk.http import HttpDesk

        return HttpDesk(found.url, settings.api_key.get_secret_value())
    from service.cli.desk.local import LocalDesk

    return LocalDesk(settings, workers=workers)
