"""Flags: groups of them are what a command is told, and docs/cli.md names each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from service.cli.flag_groups import grouped
from service.cli.main import app

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """Where it ends."""

    last: Annotated[list[int] | None, typer.Option("--last")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    """How it begins."""

    first: Annotated[str, typer.Option("--first", help="The beginning.")]
    middle: Annotated[int, typer.Option(help="Between.")] = 7
    inner: Inner


def small_command() -> tuple[typer.Typer, list[object]]:
    """A command with a parameter of each kind, and what it was given."""
    given: list[object] = []
    small = typer.Typer()

    @small.command()
    @grouped
    def run(name: str, outer: Outer, loud: bool = False) -> None:
        given.append((name, outer, loud))

    return small, given


def test_a_group_is_what_its_flags_say():
    """Defaults too, of groups in groups too."""
    small, given = small_command()
    assert CliRunner().invoke(small, ["n", "--first", "a", "--last", "1", "--last", "2", "--loud"]).exit_code == 0
    assert CliRunner().invoke(small, ["n", "--first", "b"]).exit_code == 0
    assert given == [
        ("n", Outer(first="a", middle=7, inner=Inner(last=[1, 2])), True),
        ("n", Outer(first="b", middle=7, inner=Inner(last=None)), False),
    ]


@pytest.mark.parametrize(("flags", "said"), [((), "--first"), (("--first", "a", "--middle", "x"), "--middle")])
def test_a_flag_of_a_group_is_refused_by_its_name(flags: tuple[str, ...], said: str):
    """As any other."""
    small, given = small_command()
    refused = CliRunner().invoke(small, ["n", *flags])
    assert (refused.exit_code, given) == (2, [])
    assert said in refused.output


def test_the_help_text_has_a_heading_for_each_group():
    """By what they are about, not in one long list."""
    shown = CliRunner().invoke(small_command()[0], ["--help"]).output
    assert shown.index("How it begins") < shown.index("--middle") < shown.index("Where it ends") < shown.index("--last")


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command below one, by the words that call it."""
    if not hasattr(command, "commands"):
        yield name, command
    for part, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{name} {part}".strip())


def test_documentation_names_every_flag_of_every_command():
    """docs/cli.md has a row for each, with the commands that have it, and no other."""
    every = dict(commands(typer.main.get_command(app)))
    real = {
        (name, flag)
        for name, command in every.items()
        for parameter in command.params
        if not getattr(parameter, "hidden", False)
        for flag in (*parameter.opts, *parameter.secondary_opts)
        if flag.startswith("--") and flag != "--help"
    }
    text = (ROOT / "docs/cli.md").read_text().partition("## Flags")[2].partition("\n## ")[0]
    told: set[tuple[str, str]] = set()
    for flags, owners in re.findall(r"^\| (`--.*?`) \| (.*?`) \|", text, re.M):
        named = set(re.findall(r"`([a-z ]+)`", owners))
        of = set(every) - named if owners.startswith("all but") else named
        told |= {(name, flag) for name in of for flag in re.findall(r"`(--[\w-]+)", flags)}
    assert told == real
