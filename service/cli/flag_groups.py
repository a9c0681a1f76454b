"""Flags that belong together are one frozen dataclass, which commands share; typer itself knows parameters alone."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Annotated, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.models import ParameterInfo

P = ParamSpec("P")
R = TypeVar("R")

HomeFlag = Annotated[
    Path | None, typer.Option("--home", help="Folder that holds all state.", show_default=".fieldmark")
]
ModelFlag = Annotated[str | None, typer.Option("--model", help="`provider` or `provider:model`.", show_default=False)]


def grouped(command: Callable[P, R]) -> Callable[..., R]:
    """A command as typer wants it: a parameter whose type is a dataclass becomes a flag for each field of it.

    A field is declared as a parameter would be, `name: Annotated[type, typer.Option(…)] = default`; a field whose type
    is a dataclass is a group in the group. The first line of a class's docstring heads its flags in the help text.
    Names are unique over all groups of a command.
    """
    hints = get_type_hints(command, include_extras=True)
    given = inspect.signature(command).parameters.values()
    flags = [flag for one in given for flag in _flags_of(one.name, hints[one.name], one.default)]

    @functools.wraps(command)
    def called_with_flags(**values: object) -> R:
        built = {one.name: _value(one.name, hints[one.name], values) for one in given}
        return command(**built)  # pyright: ignore[reportCallIssue] - by the names of its own signature

    signature = inspect.Signature(flags, return_annotation=None)
    called_with_flags.__signature__ = signature  # pyright: ignore[reportAttributeAccessIssue] - inspect reads it
    called_with_flags.__annotations__ = {flag.name: flag.annotation for flag in flags}
    return called_with_flags


def _flags_of(name: str, hint: object, default: object, heading: str | None = None) -> Iterator[inspect.Parameter]:
    """A parameter as it is, or one for each flag of a group."""
    if not isinstance(hint, type) or not is_dataclass(hint):
        annotation = _headed(hint, heading) if heading else hint
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        return
    hints = get_type_hints(hint, include_extras=True)
    heading = (hint.__doc__ or "").partition("\n")[0].removesuffix(".")
    for field in fields(hint):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield from _flags_of(field.name, hints[field.name], default, heading)


def _headed(hint: object, heading: str) -> object:
    """The same flag under a heading of the help text; other commands may have it under another one."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *extras = get_args(hint)
    found = [copy(extra) for extra in extras]
    for extra in found:
        if isinstance(extra, ParameterInfo):
            extra.rich_help_panel = heading
    return Annotated[(kind, *found)]  # pyright: ignore[reportInvalidTypeForm] - made anew of what was taken apart


def _value(name: str, hint: object, values: Mapping[str, object]) -> object:
    if not isinstance(hint, type) or not is_dataclass(hint):
        return values[name]
    hints = get_type_hints(hint, include_extras=True)
    return hint(**{field.name: _value(field.name, hints[field.name], values) for field in fields(hint)})
