"""A page as text that looks like the page: words on their lines, at their horizontal positions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from textwrap import dedent

from service.domain.geometry import Box, union_box
from service.domain.pages import PageText, TextSource

_MAX_COLUMNS = 160
_MIN_COLUMNS = 40
_SAME_ROW = 0.5
"""Lines whose middles are closer than this share of the lower one's height stand beside each other."""
_GAP = 2.5
"""A distance of so many line heights between two rows' middles shows as an empty line."""
_WORD_SPACE = 1.2
"""Widths of a sign; words that are closer are one text, and models copy its spaces."""
_FILLER = re.compile(r"([._\-=*|·•…─━])\1{4,}")
_MARK = re.compile(r"<(?=/?page\b)", re.IGNORECASE)
_NO_WORDS = {
    TextSource.NONE: "(this page is empty)",
    TextSource.UNREADABLE: "(no words could be read on this page)",
    TextSource.FAILED: "(this page could not be read)",
}


def layout_document(pages: Iterable[PageText]) -> str:
    """The pages between markers, numbered from 1 in the order given; nothing in them can end a marker early."""
    return "\n".join(
        f'<page number="{number}">\n{_MARK.sub("< ", layout_page(page))}\n</page>'
        for number, page in enumerate(pages, start=1)
    )


def layout_page(page: PageText) -> str:
    """One page's words with the distances between them; check boxes as [x] and [ ].

    Leaders and rules of one repeated sign are shortened: models that copy them do not find the end.
    """
    pieces = [*_pieces(page)]
    if not pieces:
        return _NO_WORDS.get(page.source, _NO_WORDS[TextSource.NONE])
    columns = _column_count(pieces)
    rows = _rows(pieces)
    lines: list[str] = []
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None and row.middle - before.middle > _GAP * max(before.height, row.height):
            lines.append("")
        lines.append(_line(row, columns))
    return dedent("\n".join(lines))


@dataclass(frozen=True, slots=True)
class _Piece:
    """What was printed side by side on one line."""

    words: tuple[tuple[str, Box], ...]
    box: Box

    def boxes(self) -> Iterator[Box]:
        return (box for _, box in self.words)


@dataclass(slots=True)
class _Row:
    """Lines that stand beside each other; the first one decides where the row is."""

    middle: float
    height: float
    pieces: list[_Piece] = field(default_factory=list[_Piece])

    def takes(self, piece: _Piece) -> bool:
        box = piece.box
        near = abs(box.center.y - self.middle) < _SAME_ROW * min(self.height, box.height)
        return near and not any(_overlap(a, b) for a in piece.boxes() for other in self.pieces for b in other.boxes())


def _pieces(page: PageText) -> Iterator[_Piece]:
    for line in page.lines():
        words = tuple((_FILLER.sub(r"\1\1\1", word.text), word.box) for word in line if word.text)
        if words:
            yield _Piece(words, union_box(box for _, box in words))
    for mark in page.marks:
        yield _Piece((("[x]" if mark.checked else "[ ]", mark.box),), mark.box)


def _overlap(one: Box, other: Box) -> bool:
    """Whether they share some of the width."""
    return one.x0 < other.x1 and other.x0 < one.x1


def _column_count(pieces: Sequence[_Piece]) -> int:
    """So many characters a line that the common word just fits into its box."""
    widths = [box.width / len(text) for piece in pieces for text, box in piece.words if text and box.width > 0]
    common = median(widths) if widths else 1 / _MAX_COLUMNS
    return max(_MIN_COLUMNS, min(_MAX_COLUMNS, round(1 / common)))


def _rows(pieces: Sequence[_Piece]) -> list[_Row]:
    rows: list[_Row] = []
    for piece in sorted(pieces, key=lambda p: p.box.center.y):
        row = next((r for r in reversed(rows[-4:]) if r.takes(piece)), None)
        if row is None:
            row = _Row(piece.box.center.y, piece.box.height)
            rows.append(row)
        row.pieces.append(piece)
    return rows


def _line(row: _Row, columns: int) -> str:
    """The words in reading order; a line that is read from the right begins there, so its distances are mirrored."""
    words = [word for piece in row.pieces for word in piece.words]
    mirrored = _reads_from_right("".join(text for text, _ in words))
    placed = sorted((1 - box.x1, 1 - box.x0, text) if mirrored else (box.x0, box.x1, text) for text, box in words)
    line, end, wide = "", 0.0, 0.0
    for start, next_end, text in placed:
        sign = max(1 / columns, (next_end - start) / len(text))
        beside = line and start - end < _WORD_SPACE * max(sign, wide)
        line += (" " if beside else " " * max(int(start * columns) - len(line), 1 if line else 0)) + text
        end, wide = next_end, sign
    return line.rstrip()


def _reads_from_right(text: str) -> bool:
    kinds = [unicodedata.bidirectional(character) for character in text]
    return sum(kind in ("R", "AL") for kind in kinds) > sum(kind == "L" for kind in kinds)
