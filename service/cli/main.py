"""The entry point: every command."""

from __future__ import annotations

from typing import Annotated

import typer

from service import __version__
from service.cli import export, extract, keys, models, rehearse, schema, serve, session, worker
from service.cli.batch import command as batch
from service.cli.doctor import command as doctor
from service.cli.edge import run_to_end
from service.cli.evaluate import command as evaluate
from service.cli.exit_codes import EPILOG
from service.cli.serving import api_process

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
    run_to_end(app)


if __name__ == "__main__":
    main()
