"""What a caller says of the schema that is to be generated: which fields are wanted, and whether only these."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.embedded.words.catalogue import Entry, property_name, singles
from service.embedded.words.labels import concepts, read_text, similarity

MOST_WISHES = 40
_CLEAR = 0.8
"""Similarity from which words name a property of the catalogue."""
_LONGEST = 5
"""Words of a field's name in a list."""
_LEAD = re.compile(
    r".*?\b(?:fields?|extract|include|need|want|get|with|return|values?|felder|champs|campos)\b[^:\n]{0,40}?(?::|\bfor\b|\blike\b|(?=\s))",
    re.IGNORECASE,
)
_LIST = re.compile(r":\s*(?P<rest>.+)", re.DOTALL)
_ARTICLE = re.compile(r"^(?:the|a|an|its|their|all|any|only|just|also|der|die|das|le|la|les|el)\s+", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|just|nothing (?:else|but)|nur|seulement|solo)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wishes:
    """The fields an instruction names."""

    known: tuple[Entry, ...] = ()
    """Of the catalogue."""
    others: tuple[str, ...] = ()
    """Texts of a list that the catalogue does not know."""
    only: bool = False
    """Whether nothing else is wanted."""


def read_wishes(instruction: str) -> Wishes:
    """The fields that an instruction names: those of a list, and properties named in passing."""
    known: dict[str, Entry] = {}
    others: dict[str, str] = {}
    listed = _LIST.search(instruction)
    for item in _items(listed["rest"] if listed else instruction):
        entry = _entry(item)
        if entry is not None:
            known.setdefault(entry.name, entry)
        elif listed and len(item.split()) <= _LONGEST and (name := property_name(item)):
            others.setdefault(name, item)
    only = bool(_ONLY.search(instruction)) and bool(known or others)
    return Wishes(tuple(known.values())[:MOST_WISHES], tuple(others.values())[:MOST_WISHES], only)


def _items(text: str) -> list[str]:
    """The members of a list in words."""
    cut = re.split(r"[,;\n•]|\.(?:\s|$)|\b(?:and|und|et|y)\b", text)
    return [item for piece in cut if (item := _bare(piece))]


def _bare(text: str) -> str:
    text = text.strip(" \t-*·.:\"'")
    lead = _LEAD.match(text)
    text = text[lead.end() :].strip() if lead else text
    while (match := _ARTICLE.match(text)) is not None:
        text = text[match.end() :]
    return text


def _entry(item: str) -> Entry | None:
    """The property of the catalogue that some words name best, if they do so clearly."""
    parts = read_text(item)
    if not parts or len(item.split()) > _LONGEST:
        return None
    rated = [
        (max(w * similarity(phrase, parts) for phrase, w in concepts()[entry.concept].cues), -entry.rank, entry)
        for entry in singles()
    ]
    best = max(rated, key=lambda r: r[:2])
    return best[2] if best[0] >= _CLEAR else None
