"""The entry point: every command, and the one place where an error becomes a line and an exit code."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated

import typer

from service import __version__
from service.cli import (
    api_process,
    batch,
    doctor,
    evaluate,
    export,
    extract,
    keys,
    models,
    rehearse,
    schema,
    serve,
    session,
    worker,
)
from service.cli.exit_codes import EPILOG, EXIT_CODES, ExitCode
from service.domain.errors import ServiceError

app = typer.Typer(
    name="fieldmark",
    help="Turns documents into records in which every value has its page, its box and whether to trust it.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve.serve)
app.command()(worker.worker)
app.command()(api_process.api)
app.command(epilog=EPILOG)(extract.extract)
app.command(epilog=EPILOG)(batch.batch)
app.command(epilog=EPILOG)(export.export)
app.command(epilog=EPILOG)(evaluate.evaluate)
app.command()(models.models)
app.command()(rehearse.rehearse)
app.command()(doctor.doctor)
app.add_typer(keys.keys, name="keys")
app.add_typer(schema.schema, name="schema")


@app.command()
def version() -> None:
    """Print the version."""
    session.write_out(__version__.encode())


def _print_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def _start(  # pyright: ignore[reportUnusedFunction] - typer calls it
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """See the app's help."""


def main() -> None:
    """Run one command and end the process with its exit code."""
    try:
        app()
    except ServiceError as error:
        session.say(f"fieldmark: {error.message} [{error.code}]")
        sys.exit(EXIT_CODES[error.code])
    except SystemExit as end:
        if end.code == ExitCode.INTERRUPTED:
            sys.stdout.flush()
            os._exit(ExitCode.INTERRUPTED)  # Python would wait for a model that still computes in a thread
        raise
    except OSError as error:  # of this machine: a folder that cannot be written to, a full disk
        session.say(f"fieldmark: {error}")
        sys.exit(ExitCode.INTERNAL)
    except Exception:  # the edge of the process
        logging.getLogger(__name__).exception("an error inside Fieldmark")
        sys.exit(ExitCode.INTERNAL)


if __name__ == "__main__":
    main()
