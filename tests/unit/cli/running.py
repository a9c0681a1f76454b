"""How the tests of this folder run commands."""

from __future__ import annotations

from typer.testing import CliRunner

from service.cli.main import app


def run(*arguments: object) -> str:
    """Run a command that is to succeed; its standard output."""
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    assert done.exit_code == 0, (done.exception, done.stderr)
    return done.stdout
