"""`fieldmark serve`: the whole service on one machine, until Ctrl-C."""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING, Annotated

import typer

from service import __version__
from service.cli.flag_groups import HomeFlag
from service.cli.session import load_settings, open_services, say, start_logging

if TYPE_CHECKING:
    from service.settings import Settings

_log = logging.getLogger(__name__)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 0: any free one.", show_default="8000")
    ] = None,
    home: HomeFlag = None,
) -> None:
    """Run API, workers and a private Redis, and end them together."""
    settings = load_settings(home, api_host=host, api_port=port)
    start_logging(settings, "serve")
    from service.cli.home import HomeLock, ServerInfo  # the help text needs none of these
    from service.cli.serving.listening import listen, refuse_open_door, url_of
    from service.cli.serving.redis_server import find_binary, prepare_redis
    from service.cli.serving.single_process import serve_in_one_process
    from service.cli.serving.supervisor import Supervisor

    lock = HomeLock(settings.home)
    lock.take(say)
    try:
        refuse_open_door(settings.api_host, keys_exist=_keys_exist(settings))
        listener = listen(settings.api_host, settings.api_port)
        binary = None if settings.redis_url else find_binary(settings.redis_binary)
        redis = prepare_redis(settings.home, binary) if binary else None
        redis_url = settings.redis_url or (redis.url if redis else "")
        info = ServerInfo(
            pid=os.getpid(),
            url=url_of(listener, settings.api_host),
            redis_url=redis_url,
            started_at=time.time(),
            version=__version__,
        )
        lock.note(info)
        settings = settings.model_copy(update={"redis_url": redis_url})
        if redis_url:
            Supervisor(settings, listener, info, redis).run(on_end=lock.retract)
        else:
            say(_NO_REDIS)
            serve_in_one_process(settings, listener, info, on_end=lock.retract)
    finally:
        lock.release()


_NO_REDIS = (
    "No Redis or Valkey program was found: API and workers run in this one process. Everything works, on fewer cores. "
    "`fieldmark doctor` says how to get one."
)


def _keys_exist(settings: Settings) -> bool:
    with open_services(settings) as services, services.store.read() as rows:
        return rows.access.any_key()
