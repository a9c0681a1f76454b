"""Nearly JSON, as models write it, made JSON again: single quotes, commas behind the last entry, Python's own words.

Nothing is guessed: a text whose quotes do not pair, or that ends before its last bracket, stays unreadable.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<double>"(?:[^"\\]|\\.)*")
    | (?P<single>'(?:[^'\\]|\\.)*')
    | (?P<sign>[{}\[\],:])
    | (?P<number>-?(?:\d[\d.eE+-]*|Infinity))
    | (?P<word>[A-Za-z]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = {
    "None": "null",
    "True": "true",
    "False": "false",
    **{word: word for word in ("null", "true", "false", "NaN", "Infinity")},
    **{word: "NaN" for word in ("nan", "inf")},
}
_QUOTES = re.compile(r"\\(.)|(\")", re.DOTALL)


def tighten(text: str, at: int) -> str | None:
    """The object or list that begins at a position, as strict JSON; None when it cannot be told what is meant."""
    pieces: list[str] = []
    depth = 0
    while match := _TOKEN.match(text, at):
        at = match.end()
        kind, piece = match.lastgroup, match.group()
        if kind == "space":
            continue
        if kind == "word":
            if piece not in _WORDS:
                return None
            piece = _WORDS[piece]
        elif kind == "single":
            piece = f'"{_QUOTES.sub(_requoted, piece[1:-1])}"'
        elif piece in "]}" and kind == "sign" and pieces[-1:] == [","]:
            pieces.pop()
        pieces.append(piece)
        depth += (piece in "{[") - (piece in "]}") if kind == "sign" else 0
        if depth == 0:
            return "".join(pieces)
    return None


def _requoted(match: re.Match[str]) -> str:
    """An escape or a quote of a single-quoted text, for double quotes around it."""
    escaped = match[1]
    if escaped == "'":
        return "'"
    return '\\"' if escaped is None else f"\\{escaped}"
