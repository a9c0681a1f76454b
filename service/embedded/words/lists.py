"""Words and turns of speech by language, from the packaged lists: a word or a language more is a line of data there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files


def word_list(name: str) -> frozenset[str]:
    """The words of a list of `lists.txt`, of all languages.

    Raises:
        KeyError: there is no list of that name.
    """
    return frozenset(word for words in _sections("lists.txt")[name].values() for word in words.split())


def cues(name: str) -> str:
    """The pieces of a section of `cues.txt`, of all languages, as a group of a regular expression.

    Raises:
        KeyError: there is no section of that name.
    """
    return f"(?:{'|'.join(_sections('cues.txt')[name].values())})"


@lru_cache(maxsize=2)
def _sections(file: str) -> Mapping[str, Mapping[str, str]]:
    """Name of each section → code of the language → its line."""
    text = files("service.embedded").joinpath(f"data/{file}").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = {}
    lines: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[] "), {})
        elif line and not line.startswith("#"):
            code, _, said = line.partition(": ")
            lines[code] = said
    return found
