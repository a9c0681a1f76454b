"""Text reduced to what must agree for two texts to be the same: letters, digits and marks, without case or form."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from service.domain.records import Scalar

_RADICALS = str.maketrans(
    "⺟⺠⻁⻄⻅⻆⻋⻑⻓⻔⻘⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻬⻭⻮⻯⻰⻲⻳",
    "母民虎西见角车長长门青页风飞食马骨鬼鱼鸟卤麦黄齐歯齿竜龙亀龟",
)
"""Radicals that fonts write in place of the letter, and that NFKC leaves (Unicode's EquivalentUnifiedIdeograph)."""
_KEPT = "LNM"
"""Unicode classes: letters, numbers, combining marks."""
_ASCII_DROPPED = {code: None for code in range(128) if not chr(code).isalnum()}
_ASCII_DROPPED_IN_LINES = {code: None for code in _ASCII_DROPPED if chr(code) != "\n"}
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x3400, 0x9FFF),
    (0xAC00, 0xD7AF),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)  # fmt: skip - ranges in rows
"""Thai, Lao, Burmese, Khmer, kana, Han, Hangul: words may touch."""
_RTL = (
    (0x0590, 0x08FF),
    (0xFB1D, 0xFDFF),
    (0xFE70, 0xFEFF),
)  # fmt: skip - one range a script block


def match_key(text: str) -> str:
    """The letters, digits and marks of a text after NFKC and case folding; ligatures and wide forms become plain."""
    if text.isascii():
        return text.translate(_ASCII_DROPPED).lower()
    return "".join(map(_fold, unicodedata.normalize("NFC", text)))


def match_keys(texts: Sequence[str]) -> list[str]:
    """The `match_key` of each text."""
    joined = "\n".join(texts)
    if joined.isascii() and joined.count("\n") == len(texts) - 1:  # all at once: a page has hundreds of words
        return joined.translate(_ASCII_DROPPED_IN_LINES).lower().split("\n")
    return [match_key(text) for text in texts]


def value_key(value: Scalar) -> str | Decimal | bool:
    """The same for values that are the same but for how they are written."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return Decimal(str(value)).normalize()
    text = str(value)
    return match_key(text) or text


def key_origins(text: str) -> tuple[str, list[int]]:
    """The text in NFC, and for each character of its `match_key` the index of the character there that it is from."""
    composed = unicodedata.normalize("NFC", text)
    return composed, [index for index, char in enumerate(composed) for _ in _fold(char)]


@lru_cache(maxsize=8192)
def _fold(char: str) -> str:
    folded = unicodedata.normalize("NFKC", char).translate(_RADICALS).casefold()
    return "".join(c for c in folded if unicodedata.category(c)[0] in _KEPT)


def is_unspaced(char: str) -> bool:
    """Whether a character's script writes words without spaces between."""
    code = ord(char)
    return any(low <= code <= high for low, high in _UNSPACED)


def has_rtl(text: str) -> bool:
    """Whether a text holds letters that run from right to left."""
    return not text.isascii() and any(any(low <= ord(c) <= high for low, high in _RTL) for c in text)


def mirrored_key(text: str) -> str:
    """The key of a word whose characters were stored from left to right as seen; its digits read as they stand.

    The raw characters are turned round before ligatures are taken apart, so that a lam-alef keeps its inner order.
    """
    pieces: list[str] = []
    run = ""
    for char in reversed(unicodedata.normalize("NFC", text)):
        if char.isdecimal():
            run = char + run
            continue
        pieces += [run, char]
        run = ""
    return "".join(_fold(char) for char in "".join([*pieces, run]))
