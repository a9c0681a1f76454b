"""The flags that say what is wanted of a file, the same for every command that takes some."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.flag_groups import ModelFlag
from service.cli.session import schema_of_flag
from service.domain.errors import ErrorCode, InputError

if TYPE_CHECKING:
    from service.cli.desk.base import Order


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFlags:
    """What is wanted."""

    schema: Annotated[
        str | None,
        typer.Option(
            "--schema",
            help="File with a JSON Schema, or the `name` or `name@version` of one; `schema list`.",
            show_default=False,
        ),
    ] = None
    schemas: Annotated[
        str | None,
        typer.Option(
            "--schemas",
            help="Several names with commas between, or `auto`: each document gets the schema it fits, or none.",
            show_default=False,
        ),
    ] = None
    model: ModelFlag = None
    split_documents: Annotated[
        bool, typer.Option("--split-documents", help="A file may hold several documents: a record for each.")
    ] = False
    second_opinion: Annotated[
        bool | None,
        typer.Option(
            "--second-opinion/--no-second-opinion",
            help="Ask the embedded model about the same pages too.",
            show_default=False,
        ),
    ] = None
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ask the model even if the answer is known.")] = False

    def order(self, path: Path) -> Order:
        """What they ask of a file, or of each file of a folder.

        Raises:
            InputError: `invalid_option`, none of `--schema` and `--schemas` is given, or both; `invalid_schema`,
                `--schema` is neither a file nor can it be a name.
        """
        from service.cli.desk.base import Order  # the help text needs it not

        if (self.schema is None) == (self.schemas is None):
            message = "Say what is wanted with --schema, or with --schemas; one of them."
            raise InputError(ErrorCode.INVALID_OPTION, message, param="schema")
        source, reference = ({}, None) if self.schema is None else schema_of_flag(self.schema)
        return Order(
            path=path,
            schema=source,
            schema_ref=reference,
            schemas=() if self.schemas is None else tuple(name.strip() for name in self.schemas.split(",")),
            model=self.model,
            split_documents=self.split_documents,
            second_opinion=self.second_opinion,
            cache=not self.no_cache,
        )
