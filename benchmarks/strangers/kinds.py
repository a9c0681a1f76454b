"""Reads the descriptions of the kinds in `kinds/*.txt`.

A description begins with `~~~ kind language currency`; up to `---` each line is a field, then comes the page.

    path      maker arguments   # description in the schema
    ~path     is printed but not asked for; `!path` is asked for and not in the document (`!path type`); `?path` is in
              half of the documents
    rows[]    3-5               a list of so many rows; `rows[].*` is the value of a list of single values

The makers are those of `values.py`; how a page is written stands in `page.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

KINDS = Path(__file__).with_name("kinds")
HALVES = ("development", "validation")


@dataclass(frozen=True, kw_only=True)
class Field:
    """What a document holds of one name."""

    path: str
    maker: str
    arguments: tuple[str, ...] = ()
    description: str = ""
    asked: bool = True
    sometimes: bool = False
    absent: bool = False


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of document in one language."""

    name: str
    language: str
    currency: str
    fields: tuple[Field, ...]
    page: tuple[str, ...]
    half: str
    """The half that its file is written for."""


@lru_cache(maxsize=1)
def all_kinds() -> tuple[Kind, ...]:
    """Every description, in the order of the files."""
    return tuple(kind for path in sorted(KINDS.glob("*.txt")) for kind in _kinds(path))


def half_of(group: str) -> str:
    """The half in which `fieldmark evaluate` counts a group."""
    return HALVES[int(hashlib.sha256(group.encode()).hexdigest()[0], 16) % 2]


def _kinds(path: Path) -> Iterator[Kind]:
    half = path.stem.rpartition("_")[2]
    for text in path.read_text("utf-8").split("~~~ ")[1:]:
        heading, _, body = text.partition("\n")
        name, language, currency = heading.split()
        fields, _, page = body.partition("\n---\n")
        lines = tuple(line for line in page.strip().split("\n"))
        read = tuple(_field(line) for line in fields.splitlines() if line.strip())
        yield Kind(name=name, language=language, currency=currency, fields=read, page=lines, half=half)


def _field(line: str) -> Field:
    told, _, description = line.partition(" # ")
    path, maker, *arguments = told.strip().split(maxsplit=2)
    mark = path[0] if path[0] in "~!?" else ""
    return Field(
        path=path.removeprefix(mark),
        maker=maker,
        arguments=tuple(arguments[0].split("|") if "|" in told else arguments[0].split()) if arguments else (),
        description=description.strip(),
        asked=mark != "~",
        sometimes=mark == "?",
        absent=mark == "!",
    )
