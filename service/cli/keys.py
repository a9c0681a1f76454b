"""`fieldmark keys`: who may use an installation."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.flag_groups import HomeFlag
from service.cli.session import load_settings, make_console, open_services, quieter, say, start_logging, write_out
from service.domain.access import Role

if TYPE_CHECKING:
    from service.settings import Settings

keys = typer.Typer(help="API keys: who may use this installation.", no_args_is_help=True)


@keys.command()
def add(
    name: Annotated[str, typer.Argument(help="Person or program; made if not there.")],
    role: Annotated[Role | None, typer.Option(help="What it may do; `submit` if it is new.")] = None,
    label: Annotated[str, typer.Option(help="Where this key is used.")] = "",
    home: HomeFlag = None,
) -> None:
    """Make a key. It is printed once, and kept nowhere."""
    from service.auth.keys import create_key  # the help text needs it not

    with open_services(_settings(home)) as services:
        new = create_key(services, user=name, role=role, label=label)
    say(f"Key {new.key.id} of {new.user.name} ({new.user.role}). Keep it: it is not shown again.")
    write_out(new.secret.encode())


@keys.command("list")
def list_all(home: HomeFlag = None) -> None:
    """Show all keys by their first letters, the ended ones too."""
    from rich.table import Table  # the help text needs neither

    from service.auth.keys import list_keys

    with open_services(_settings(home)) as services:
        found = list_keys(services)
    table = Table("id", "key", "user", "role", "label", "made", "state", box=None, header_style="dim")
    for key, user in found:
        made = datetime.fromtimestamp(key.created_at, UTC).date().isoformat()
        state = "in force" if key.revoked_at is None else "revoked"
        table.add_row(key.id, f"{key.prefix}…", user.name, user.role, key.label, made, state)
    make_console().print(table)


@keys.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it.")], home: HomeFlag = None
) -> None:
    """End a key within seconds."""
    from service.auth.keys import revoke_key  # the help text needs it not

    with open_services(_settings(home)) as services:
        revoke_key(services, key_id)
    say(f"Key {key_id} is revoked.")


def _settings(home: Path | None) -> Settings:
    settings = load_settings(home)
    start_logging(quieter(settings), "keys")
    return settings
