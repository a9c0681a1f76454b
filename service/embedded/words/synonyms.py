"""Phrases that forms of many trades print for the same thing, each as a whole: `SSN` and `social security number`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files

from service.embedded.words.labels import Phrase, canonical

APT = 0.95
"""What another wording of the same thing is worth beside the field's own."""


def reworded(phrase: Phrase) -> Iterator[Phrase]:
    """The phrase with a part of it in each of its other wordings."""
    for group in _groups():
        for said in group:
            if said <= phrase:
                yield from ((phrase - said) | other for other in group if other != said)


@lru_cache(maxsize=1)
def _groups() -> tuple[tuple[Phrase, ...], ...]:
    text = files("service.embedded").joinpath("data/synonyms.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(tuple(dict.fromkeys(canonical(said) for said in line.split(";"))) for line in lines)
