"""`fieldmark rehearse`: a model server that answers from the request alone and fails on demand."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from service.cli.session import say, write_out
from service.domain.errors import ErrorCode, InputError

if TYPE_CHECKING:
    from service.rehearsal.server import RehearsalOptions


def rehearse(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0: any free one.")] = 8090,
    fault: Annotated[
        list[str] | None,
        typer.Option(help="What goes wrong with the next request, or a status; may be given several times, in order."),
    ] = None,
    script: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="File with faults, answers and patterns: docs/rehearse.md."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Begin the faults anew when they are used up.")] = False,
    latency: Annotated[float, typer.Option(min=0, help="Seconds before each answer.")] = 0.0,
    faults: Annotated[bool, typer.Option("--faults", help="List the faults and end.")] = False,
) -> None:
    """Serve the chat-completions protocol without a model, to try a client on everything that goes wrong."""
    from service.rehearsal.script import FAULTS  # the help text needs neither this nor a web server

    if faults:
        write_out("\n".join(f"{name:<22}{note.meaning}" for name, note in FAULTS.items()).encode())
        return
    options = replace(_options(script, fault or []), latency_s=latency, over_again=again)
    asyncio.run(_serve(options, port))


def _options(script: Path | None, faults: list[str]) -> RehearsalOptions:
    """What the flags and the file say, the faults of the flags first.

    Raises:
        InputError: `invalid_option`, a fault is not known or the file cannot be read.
    """
    from service.rehearsal.script import parse_script
    from service.rehearsal.server import RehearsalOptions, read_told

    try:
        told = read_told(script.read_bytes()) if script is not None else RehearsalOptions()
        return replace(told, script=(*parse_script(faults), *told.script))
    except ValueError as error:
        raise InputError(ErrorCode.INVALID_OPTION, str(error)) from error


async def _serve(options: RehearsalOptions, port: int) -> None:
    from service.rehearsal.server import RehearsalServer

    server, stop = RehearsalServer(options), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    bound = await server.start("127.0.0.1", port)
    base_url = f"http://127.0.0.1:{bound}/v1"
    say(
        f"A client is led here by FIELDMARK_UPSTAGE_BASE_URL={base_url} or FIELDMARK_OPENAI_BASE_URL={base_url}, "
        "with any key (FIELDMARK_UPSTAGE_API_KEY, FIELDMARK_OPENAI_API_KEY)"
    )
    write_out(orjson.dumps({"port": bound, "base_url": base_url}))
    await stop.wait()
    await server.stop()
