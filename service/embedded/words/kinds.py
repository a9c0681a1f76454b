"""Kinds of documents: what they are called in many languages, and which words stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from service.embedded.words.normalise import fold

_WORD = re.compile(r"\w+")
_COMPOUND = 6
"""Letters from which the end of a longer word names a kind: `Handwerkerrechnung`."""
_NAMED, _MENTIONED = 1.0, 0.8
"""How sure it is that a schema is for a kind that its title names, and for one that its description does."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document; all phrases as `flat` writes them."""

    name: str
    wider: str
    """Name of the kind that it is a special case of; empty: of none."""
    titles: tuple[str, ...]
    """What it is called."""
    telling: frozenset[str]
    """Phrases that hardly stand in other kinds."""
    usual: frozenset[str]
    """Phrases that stand in others too."""


@lru_cache(maxsize=1)
def kinds() -> Mapping[str, Kind]:
    """All kinds by name, from the packaged list."""
    text = files("service.embedded").joinpath("data/kinds.txt").read_text(encoding="utf-8")
    return {kind.name: kind for kind in _read(text)}


@lru_cache(maxsize=1)
def _titles() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every title with the kinds of that name, the longest first."""
    found: dict[str, list[str]] = {}
    for kind in kinds().values():
        for title in kind.titles:
            found.setdefault(title, []).append(kind.name)
    return tuple((title, tuple(found[title])) for title in sorted(found, key=lambda t: (-len(t), t)))


def kinds_of_schema(title: str, description: str) -> dict[str, float]:
    """The kinds that a schema is for by its own words, with how sure that is (0–1).

    A title inside a longer one counts for nothing: a lease agreement is no agreement of another kind.
    """
    sure: dict[str, float] = {}
    for text, weight in ((flat(title), _NAMED), (flat(description), _MENTIONED)):
        for name in _kinds_named(text):
            sure.setdefault(name, weight)
    return sure


def _kinds_named(text: str) -> Iterator[str]:
    for title, names in _titles():
        if has_phrase(text, title):
            yield from names
            text = f" {text} ".replace(f" {title} ", " | ").strip()


def flat(text: str) -> str:
    """Words in lower case without accents, one space between, nothing else."""
    return " ".join(_WORD.findall(fold(text)))


def has_phrase(text: str, phrase: str) -> bool:
    """Whether the words of a flat phrase stand in a flat text; scripts without spaces are searched through."""
    if phrase.isascii():
        return f" {phrase} " in f" {text} "
    return phrase.replace(" ", "") in text.replace(" ", "")


def ends_in(text: str, phrase: str) -> bool:
    """Whether a word of a flat text is a compound of which a one-word phrase is the end."""
    return len(phrase) >= _COMPOUND and " " not in phrase and any(word.endswith(phrase) for word in text.split())


def _read(text: str) -> Iterator[Kind]:
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, titles, phrases = (cell.strip() for cell in line.split("|"))
        cues = [cue.strip() for cue in phrases.split(";")]
        yield Kind(
            name=name.partition("<")[0].strip(),
            wider=name.partition("<")[2].strip(),
            titles=tuple(flat(title) for title in titles.split(";")),
            telling=frozenset(flat(cue) for cue in cues if cue.startswith("!")),
            usual=frozenset(flat(cue) for cue in cues if not cue.startswith("!")),
        )
