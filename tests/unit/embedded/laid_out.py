"""Pages made of placed text, as the readers give them: each piece at a column and a line of a 595 × 842 point page."""

from __future__ import annotations

from collections.abc import Sequence

from service.domain.geometry import Box
from service.domain.pages import CheckMark, FormEntry, PageSize, PageText, TextSource, Word

WIDTH, HEIGHT, SIZE = 595.0, 842.0, 10.0
LETTER = 5.0
"""Width of a letter, points."""


def page(
    pieces: Sequence[tuple[float, float, str]],
    *,
    number: int = 1,
    source: TextSource = TextSource.DIGITAL,
    marks: Sequence[CheckMark] = (),
    entries: Sequence[FormEntry] = (),
) -> PageText:
    """A page with pieces of text, each given by its left edge, upper edge (points) and words."""
    words: list[Word] = []
    for x, y, text in pieces:
        left = x
        for part in text.split():
            right = left + LETTER * len(part)
            box = Box(left / WIDTH, y / HEIGHT, right / WIDTH, (y + SIZE) / HEIGHT)
            words.append(Word(part, box, line=len(words), size=SIZE))
            left = right + LETTER * 0.6
    return PageText(
        size=PageSize(number, WIDTH, HEIGHT),
        source=source,
        words=tuple(words),
        marks=tuple(marks),
        entries=tuple(entries),
    )


def place(x0: float, y0: float, x1: float, y1: float) -> Box:
    """A box given in points."""
    return Box(x0 / WIDTH, y0 / HEIGHT, x1 / WIDTH, y1 / HEIGHT)


def rows(x: Sequence[float], y: float, step: float, cells: Sequence[Sequence[str]]) -> list[tuple[float, float, str]]:
    """A table as pieces: the columns' left edges, the first line, the distance of lines, and the cells."""
    return [(x[c], y + r * step, text) for r, row in enumerate(cells) for c, text in enumerate(row) if text]
