"""`fieldmark schema`: named schemas, one's own and those that come with the product."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.flag_groups import HomeFlag
from service.cli.session import (
    load_settings,
    make_console,
    open_services,
    quieter,
    read_schema,
    say,
    start_logging,
    write_out,
)

if TYPE_CHECKING:
    from service.settings import Settings

schema = typer.Typer(help="Named schemas: what is wanted of documents.", no_args_is_help=True)


@schema.command("list")
def list_all(home: HomeFlag = None) -> None:
    """Show every name and the version that it means."""
    from rich.table import Table  # the help text needs none of these

    from service.auth.callers import LOCAL_TENANT
    from service.domain.schema import parse_schema
    from service.domain.schema_version import READY_VERSION
    from service.jobs.intake.schemas import list_schemas

    with open_services(_settings(home)) as services:
        found = list_schemas(services, LOCAL_TENANT)
    table = Table("name", "version", "made", "fields", box=None, header_style="dim")
    for one in found:
        ready = one.version == READY_VERSION
        made = "ready" if ready else datetime.fromtimestamp(one.created_at, UTC).date().isoformat()
        names = [field.name for field in parse_schema(one.source).root.properties]
        table.add_row(one.name, str(one.version), made, ", ".join(names))
    make_console().print(table)


@schema.command()
def show(
    reference: Annotated[str, typer.Argument(metavar="REF", help="`name`, or `name@version`.")],
    effective: Annotated[bool, typer.Option("--effective", help="What values always satisfy, instead.")] = False,
    home: HomeFlag = None,
) -> None:
    """Print a schema."""
    import orjson  # the help text needs none of these

    from service.auth.callers import LOCAL_TENANT
    from service.domain.schema import parse_schema
    from service.extraction.schema.effective import effective_schema
    from service.jobs.intake.schemas import find_schema

    with open_services(_settings(home)) as services:
        found = find_schema(services, LOCAL_TENANT, reference)
    body = effective_schema(parse_schema(found.source, found.name)) if effective else found.source
    write_out(orjson.dumps(body, option=orjson.OPT_INDENT_2))


@schema.command()
def add(
    name: Annotated[str, typer.Argument(help="Letters, digits, `_`, `-` and `.`.")],
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSON Schema, bare or in a wrapper.")],
    home: HomeFlag = None,
) -> None:
    """Keep a schema under a name; the same content is the same version."""
    from service.auth.callers import LOCAL_TENANT, LOCAL_USER  # the help text needs neither
    from service.jobs.intake.schemas import put_schema

    source = read_schema(file)
    with open_services(_settings(home)) as services:
        kept, is_new = put_schema(services, LOCAL_TENANT, name, source, created_by=LOCAL_USER)
    say(f"{kept.reference} is {'kept' if is_new else 'known: nothing changed'}.")
    write_out(kept.reference.encode())


@schema.command()
def generate(
    files: Annotated[
        list[Path], typer.Argument(exists=True, dir_okay=False, help="1 to 3 documents of one kind.", metavar="FILE...")
    ],
    instruction: Annotated[str, typer.Option(help="Which fields are wanted, in words.", show_default=False)] = "",
    home: HomeFlag = None,
) -> None:
    """Propose a schema for documents, to look over and to keep with `schema add`; works offline."""
    import orjson  # the help text needs none of these

    from service.cli.desk.opening import open_desk

    desk = open_desk(_settings(home))
    try:
        name, proposed = desk.generate_schema(files, instruction)
    finally:
        desk.close()
    write_out(orjson.dumps({"name": name, "schema": proposed}, option=orjson.OPT_INDENT_2))


def _settings(home: Path | None) -> Settings:
    settings = load_settings(home)
    start_logging(quieter(settings), "schema")
    return settings
