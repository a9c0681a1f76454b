"""Properties for the lexicon's concepts, each worded so that the model understands it as its concept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from service.domain.records import JsonObject
from service.embedded.words.labels import Concept, columns, concepts, surfaces
from service.embedded.words.normalise import fold

NUMERIC = frozenset({"money", "percent", "number"})
LONGEST_NAME = 48
_LISTS = frozenset({"party"})
"""Concepts of which a document has several."""
_FORMATS = {"date": "date", "email": "email"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One property that may be proposed."""

    concept: str
    name: str
    source: JsonObject
    """Its JSON Schema."""
    rank: int
    """0-based place in the catalogue; the lower, the more wanted."""


@lru_cache(maxsize=1)
def singles() -> tuple[Entry, ...]:
    """Values that stand once in a document, the most wanted first."""
    return _read("catalogue.txt", concepts())


@lru_cache(maxsize=1)
def table_columns() -> tuple[Entry, ...]:
    """Columns of tables, in the order they usually stand in."""
    return _read("catalogue_columns.txt", columns())


def property_source(kind: str, description: str) -> JsonObject:
    """The JSON Schema of a value of a kind (see `Ask.kind`)."""
    source: JsonObject = {"type": "number" if kind in NUMERIC else "string"}
    if kind in _FORMATS:
        source["format"] = _FORMATS[kind]
    source["description"] = description
    return source


def property_name(text: str) -> str:
    """A printed text as a property's name: snake_case ASCII; nothing where no word of it can be written so.

    Words in other scripts are named by what the lexicon says they mean.
    """
    words: list[str] = []
    for word in re.split(r"[\W_]+", fold(text)):
        plain = word if word.isascii() else next(iter(surfaces().get(word, ())), "")
        if plain and plain.isascii():
            words.append(plain)
    name = ""
    for word in words:
        if len(name) + len(word) >= LONGEST_NAME:
            break
        name = f"{name}_{word}" if name else word
    return f"field_{name}" if name[:1].isdigit() else name


def _read(file: str, known: Mapping[str, Concept]) -> tuple[Entry, ...]:
    text = files("service.embedded").joinpath(f"data/{file}").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(_entry(row, rank, known) for rank, row in enumerate(rows))


def _entry(row: str, rank: int, known: Mapping[str, Concept]) -> Entry:
    concept, name, description = (cell.strip() for cell in row.split("|"))
    if concept in _LISTS:
        items: JsonObject = {"type": "string"}
        return Entry(concept, name, {"type": "array", "description": description, "items": items}, rank)
    return Entry(concept, name, property_source(known[concept].kind, description), rank)
