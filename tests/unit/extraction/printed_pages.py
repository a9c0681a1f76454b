"""Pages made from plain lines: each character is equally wide, columns are parted by two spaces or more."""

from __future__ import annotations

import re

from service.domain.geometry import Box
from service.domain.pages import PageSize, PageText, TextSource, Word

WIDTH, HEIGHT = 100.0, 140.0
"""A page of 100 characters a line, 70 lines, in points of our own."""
LINE = 1 / 70
CHAR = 1 / 100


def page_of(*lines: str, page: int = 1, source: TextSource = TextSource.DIGITAL, top: int = 2) -> PageText:
    """A page whose n-th line holds the n-th text; empty lines leave space."""
    words: list[Word] = []
    for number, line in enumerate(lines):
        y = (number + top) * LINE
        words.extend(
            Word(
                match.group(),
                Box(match.start() * CHAR, y, match.end() * CHAR, y + LINE * 0.8),
                number,
                size=10.0,
            )
            for match in re.finditer(r"\S+", line)
        )
    size = PageSize(page, WIDTH, HEIGHT)
    return PageText(size=size, source=source if words else TextSource.NONE, words=tuple(words))


def line_box(number: int, start: int, end: int, top: int = 2) -> Box:
    """The box of characters `start`..`end` (exclusive) of a line."""
    y = (number + top) * LINE
    return Box(start * CHAR, y, end * CHAR, y + LINE * 0.8)
