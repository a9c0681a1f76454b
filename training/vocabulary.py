"""The words that invented documents are made of, read from the lists in `data/`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

LANGUAGES = ("en", "de", "fr", "es", "it", "nl")
_DATA = Path(__file__).with_name("data")
NO_LABEL = "-"


@dataclass(frozen=True)
class Slot:
    """Something that documents say once."""

    key: str
    kind: str
    """As `Ask.kind` of the embedded model names kinds of value."""
    names: tuple[str, ...]
    descriptions: tuple[str, ...]
    labels: dict[str, tuple[str, ...]]
    """Language → how it is labelled; empty where it stands without a label."""

    def label(self, rng: Random, language: str) -> str:
        """One of its labels; empty where it has none."""
        return rng.choice(self.labels[language])


@lru_cache(maxsize=1)
def slots() -> dict[str, Slot]:
    """All slots by key, in the order of the list."""
    found: dict[str, Slot] = {}
    for line in _lines("slots.txt"):
        if line.startswith("  "):
            language, _, labels = line.strip().partition(":")
            list(found.values())[-1].labels[language] = tuple("" if x == NO_LABEL else x for x in _parts(labels))
        else:
            key, kind, names, descriptions = (cell.strip() for cell in line.split("|"))
            found[key] = Slot(key, kind, _parts(names), _parts(descriptions), {})
    return found


@lru_cache(maxsize=1)
def _headers() -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in _lines("headers.txt"):
        if line.startswith("  "):
            language, _, texts = line.strip().partition(":")
            list(found.values())[-1][language] = _parts(texts)
        else:
            found[line] = {}
    return found


def printed_header(rng: Random, key: str, language: str) -> str:
    """One of the headers of a column (`quantity`, `statement date`), or a title (`title invoice`)."""
    return rng.choice(_headers()[key][language])


@lru_cache(maxsize=1)
def foreign() -> tuple[Slot, ...]:
    """What no invented document says, so that it can be asked for in vain."""
    found: list[Slot] = []
    for line in _lines("foreign.txt"):
        name, kind, descriptions = (cell.strip() for cell in line.split("|"))
        found.append(Slot(name, kind, (name.replace("_", " "),), _parts(descriptions), {}))
    return tuple(found)


@lru_cache(maxsize=1)
def words() -> dict[str, tuple[str, ...]]:
    """Kind of name → its words."""
    return {kind.strip(): _parts(rest) for kind, _, rest in (line.partition(":") for line in _lines("names.txt"))}


def pick(rng: Random, kind: str) -> str:
    """One word of a kind."""
    return rng.choice(words()[kind])


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";"))


def _lines(file: str) -> list[str]:
    lines = (_DATA / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]
